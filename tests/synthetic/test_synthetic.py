"""The generators keep their word: right sizes, every spelling, the same bytes each time."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from tests.synthetic import CASES, Region, make_cnn, make_transformer
from tests.synthetic.cases import zstd_stored
from tests.synthetic.cnn import cnn
from tests.synthetic.irregular import irregular
from tests.synthetic.spellings import VERSIONS, long_format, spell_graph
from tests.synthetic.transformer import transformer
from tests.synthetic.unet import unet


@pytest.mark.parametrize("count", [2, 3, 11, 57])
def test_networks_have_exactly_as_many_layers_as_asked(count: int) -> None:
    assert len(cnn(count).steps) == count
    assert len(transformer(count).steps) == count
    assert len(unet(count).steps) == count
    assert len(irregular(count).steps) == count


def test_a_unet_has_wires_from_its_way_down_to_its_way_up() -> None:
    steps = unet(200).steps
    place = {region.name: number for number, step in enumerate(steps) for region in step.outputs}
    spans = [n - place[region.name] for n, step in enumerate(steps) for region in step.inputs if region.name in place]
    assert sum(span > 20 for span in spans) > 10


def test_in_an_irregular_network_no_two_layers_are_alike() -> None:
    steps = irregular(300).steps
    assert irregular(300).steps == steps != irregular(300, seed=1).steps
    looks = {tuple(region.dims for region in (*step.inputs, *step.outputs)) for step in steps}
    assert len(looks) > 290
    read = {region.name for step in steps for region in step.inputs}
    written = {region.name for step in steps for region in step.outputs}
    assert len(written - read) < 30


@pytest.mark.parametrize("make", [make_cnn, make_transformer])
def test_the_same_seed_gives_the_same_bytes_and_another_does_not(make: Any) -> None:
    assert make(25) == make(25)
    assert make(25, seed=1) != make(25)


@pytest.mark.parametrize("version", VERSIONS)
def test_each_version_has_its_own_keys(version: str) -> None:
    document = spell_graph(cnn(4), version)
    layer = document["Layers"][1]
    tensor = layer["Inputs"][0]
    assert ("Bindings" in document) == (version in ("8.4", "8.6", "10.4", "10.16"))
    assert ("I/O Tensors" in document) == (version == "11.1")
    assert ("Location" in tensor) == (version != "8.2")
    assert ("Metadata" in layer and "StreamId" in layer) == (version not in ("8.2", "8.4"))
    assert ("Format/Datatype" in tensor) == (version != "11.1")


def test_an_unknown_version_is_refused() -> None:
    with pytest.raises(ValueError, match="none of"):
        spell_graph(cnn(4), "7.2")


@pytest.mark.parametrize(
    ("region", "words", "size"),
    [
        (Region("", (1, 3, 4, 4), "INT8", "chw4"), "Four wide channel vectorized row major Int8 format", 64),
        (Region("", (1, 3, 4, 4), "FP16", "hwc8"), "Channel major FP16 format where channel % 8 == 0", 256),
        (Region("", (1, 3, 4, 4), "BF16"), "Row major linear BFloat16 format", 96),
        (Region("", (3,), "INT4"), "Row major linear Int4 format", 2),
        (Region("", (-1, 3), "FP32"), "Row major linear FP32", None),
        (
            Region("", (1, 3, 2, 4, 4), "FP16", "dhwc8"),
            "Channel major FP16 format where channel % 8 == 0 with 3 spatial dimensions",
            512,
        ),
    ],
)
def test_formats_and_sizes(region: Region, words: str, size: int | None) -> None:
    assert long_format(region) == words
    assert region.stored_bytes == size


@pytest.mark.parametrize("length", [0, 5, 300_000])
def test_stored_zstandard_frames_are_valid(length: int) -> None:
    zstandard = pytest.importorskip("zstandard")
    data = b"trex " * (length // 5)
    assert zstandard.ZstdDecompressor().decompress(zstd_stored(data), max_output_size=length + 1) == data


@pytest.mark.parametrize("name", CASES)
def test_expectations_hold_together(name: str) -> None:
    case = CASES[name]
    expect = case.expect
    assert case.main in case.files
    assert not expect.roles or sum(expect.roles.values()) == expect.layer_count
    assert expect.row_count is None or expect.row_count <= expect.layer_count
    for file, data in case.files.items():
        if file.endswith(".gz"):
            data = gzip.decompress(data)
        if file.endswith(".graph.json") and name.startswith(("cnn", "transformer", "type", "conv")):
            assert len(json.loads(data)["Layers"]) == expect.layer_count


def test_the_catalog_covers_what_has_once_gone_wrong() -> None:
    assert len(CASES["thirteen-profiles"].expect.profiles) == 13
    assert b"FC [profile 12]" not in CASES["thirteen-profiles"].files["thirteen-profiles.graph.json"]
    assert b"/fc/MatMul [profile 12]_myl15_0" in CASES["thirteen-profiles"].files["thirteen-profiles.graph.json"]
    assert CASES["dynamic-dimensions"].expect.sizes["input"] is None
    assert CASES["type-int4"].expect.sizes["input"] == 8
    assert CASES["profile-of-another-engine"].expect.error
    assert len(CASES) > 70
