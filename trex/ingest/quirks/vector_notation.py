"""Vectorized dimensions in rows of a build log.

What it finds: tensors in ``Engine Layer Information`` with a dimension like ``32:8``: 32 channels in vectors of 8.
Why it matters: the rows contain no memory layout, but the vector width determines the padding of the channels.
What it does: keeps vector width and axis, so that sizes include the padding.
"""

from typing import Any

from trex.core.data_type import DataType
from trex.core.tensor_format import TensorFormat
from trex.ingest.quirk import Quirk, QuirkStage
from trex.ingest.raw_engine import RawEngine, TypeReader
from trex.ingest.spelling.tensor_formats import parse_format


def applies(raw: RawEngine) -> bool:
    return "VectorWidth" in raw.tensor_keys


def apply(raw: RawEngine) -> None:
    raw.type_readers.append(TypeReader(("VectorWidth", "VectorAxis", "Format/Datatype"), read))


def read(record: dict[str, Any]) -> tuple[DataType, TensorFormat] | None:
    """Type and vectorized layout of one tensor record; None without a vector."""
    width, axis, written = record.get("VectorWidth"), record.get("VectorAxis"), record.get("Format/Datatype")
    if type(width) is not int or type(axis) is not int or not 0 < width <= 4096 or not 0 <= axis < 16:
        return None
    data_type = parse_format(written)[0] if type(written) is str else DataType.UNKNOWN
    return data_type, TensorFormat(
        f"vectors of {width}", "vectorized", width, axis, text=f"dimension {axis} in :{width}"
    )


QUIRK = Quirk(QuirkStage.SCHEMA, applies, apply)
