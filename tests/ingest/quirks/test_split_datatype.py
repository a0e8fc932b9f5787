"""Type and format in two keys."""

from __future__ import annotations

import pytest

from tests.raw_records import layer, tensor
from trex.ingest.graph_json import layers_from_raw
from trex.ingest.raw_engine import RawEngine


def example() -> RawEngine:
    return RawEngine([{"Layers": [layer("a", inputs=[tensor("x", written=None, Datatype="Half")])]}])


CHANNELS_LAST = "Channel major FP16 format where channel % 8 == 0 (kHWC8)"


@pytest.mark.parametrize(
    ("keys", "label", "layout", "size"),
    [
        ({"Datatype": "Half", "Format": CHANNELS_LAST}, "FP16", "NHWC8", 256),
        ({"DataType": "Half", "Format": "kLINEAR"}, "FP16", "NCHW", 96),
        ({"Datatype": "Float"}, "FP32", "Unknown layout", 192),
        ({"Format": CHANNELS_LAST}, "FP16", "NHWC8", 256),
        ({"Datatype": 7, "Format": 3}, "Unknown", "Unknown", None),
        ({"Datatype": "Posit9", "Format": "kLINEAR"}, "Unknown", "NCHW", None),
        ({}, "Unknown", "Unknown", None),
    ],
)
def test_type_and_layout(keys: dict, label: str, layout: str, size: int | None) -> None:
    (item,) = layers_from_raw([layer("a", inputs=[tensor("x", [1, 3, 4, 4], None, **keys)])])
    read = item.inputs[0]
    assert (read.precision, read.format.label, read.size_bytes) == (label, layout, size)


def test_the_older_key_wins() -> None:
    both = tensor("x", [4], "Float", Datatype="Half")
    (item,) = layers_from_raw([layer("a", inputs=[both, tensor("t", [4], None, Datatype="Half")])])
    assert [read.precision for read in item.inputs] == ["FP32", "FP16"]
