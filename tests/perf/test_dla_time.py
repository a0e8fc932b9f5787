"""GPU layers with the run time of a DLA part: which they are, and that nothing judges them by it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.factories import conv, engine, layer, t, time
from tests.perf.round_device import round_device
from trex.core.layer import Layer
from trex.core.metadata import Metadata
from trex.core.timings import LayerTimes
from trex.engine_plan import load
from trex.perf.achievable import Bound
from trex.perf.dla_time import DLA_TIME
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.rules.lint import lint
from trex.views.perf.document import performance_document
from trex.views.summary import summary_document

PART = "{ForeignNode[conv1...fc]}"
SMALL, IMAGE = (1, 1000, 1, 1), (1, 3, 224, 224)


def dla(name: str = PART, source: str = "xr", output: str = "a", shape: tuple[int, ...] = SMALL) -> Layer:
    return layer(name, "DLA", [t(source, IMAGE)], [t(output, shape)])


def copy(name: str, source: str, output: str, shape: tuple[int, ...] = SMALL) -> Layer:
    return layer(name, "Reformat", [t(source, shape)], [t(output, shape, "FP32")])


def softmax(source: str = "b", shape: tuple[int, ...] = SMALL) -> Layer:
    return layer("softmax", "SoftMax", [t(source, shape, "FP32")], [t("y", shape, "FP32")])


def performance(*pairs: tuple[Layer, float | None], version: str = "", simulated: bool = False) -> Performance:
    layers, ms = zip(*pairs, strict=True)
    times = LayerTimes(tuple(time(one.name, one_ms) for one, one_ms in zip(layers, ms, strict=True)))
    whole = replace(engine(*layers, inputs=["x"], outputs=["y"]), tensorrt_version=version)
    return Performance(EnginePlan(whole, times, metadata=Metadata(simulated=simulated)), round_device())


def network(part_ms: float | None, copy_ms: float, softmax_ms: float = 0.01, **keys: object) -> Performance:
    first = layer("in", "Reformat", [t("x", IMAGE, "FP32")], [t("xr", IMAGE)])
    rows = ((first, 0.05), (dla(), part_ms), (copy("out", "a", "b"), copy_ms), (softmax(), softmax_ms))
    return performance(*rows, **keys)


@pytest.mark.parametrize(
    ("of", "waits"),
    [
        pytest.param(network(0.02, 2.9), {2}, id="in the copy after the part"),
        pytest.param(network(0.0, 0.3), {2}, id="a launch below the resolution"),
        pytest.param(network(0.02, 0.01, 2.9), {3}, id="after a copy that does not wait"),
        pytest.param(network(0.02, 2.9, 2.9), {2}, id="one that waits, one that is slow itself"),
        pytest.param(network(0.02, 2.9, version="8.5.2.2"), {2}, id="the release of the sources"),
        pytest.param(network(0.02, 2.9, version="10.3.0"), set(), id="a release that gives the part its time"),
        pytest.param(network(2.9, 0.02), set(), id="the part has its time"),
        pytest.param(network(2.9, 1.0), set(), id="slow, and the part has its time"),
        pytest.param(network(0.02, 0.15), set(), id="a launch"),
        pytest.param(network(1.0, 1.2), set(), id="a part with its time, and a slow copy"),
        pytest.param(network(None, 2.9), set(), id="a part without a time"),
        pytest.param(network(0.02, 2.9, simulated=True), set(), id="predicted"),
    ],
)
def test_the_layers_that_wait(of: Performance, waits: set[int]) -> None:
    assert of.dla_waits == waits
    assert [note.code for note in of.notes if note.code == DLA_TIME] == [DLA_TIME] * bool(waits)


def test_work_that_explains_a_time() -> None:
    """64 MiB that a GPU copies at 16 GB/s, and what is known of no work, are no wait; 5 times that is."""
    large = (1, 64, 512, 512)  # 32 MiB in FP16, 64 MiB in FP32
    for ms, waits in ((6.3, set()), (40.0, set()), (60.0, {1})):
        rows = (dla(source="x", shape=large), 0.02), (copy("out", "a", "b", large), ms), (softmax("b", large), 1.0)
        assert performance(*rows).dla_waits == waits
    for kind in ("PluginV2", "Myelin", "DLA"):
        other = layer("next", kind, [t("a", SMALL)], [t("y", SMALL)])
        assert performance((dla(source="x"), 0.02), (other, 5.0)).dla_waits == set()


def test_a_convolution_that_reads_a_part() -> None:
    """256 channels of 14 × 14: 0.23 GFLOP, less than 2 ms on any GPU."""
    first = dla(source="x", output="a", shape=(1, 256, 14, 14))
    second = conv("c", [t("a", (1, 256, 14, 14))], [t("y", (1, 256, 14, 14))], kernel=(3, 3), maps=256)
    assert performance((first, 0.03), (second, 4.0)).dla_waits == {1}
    assert performance((first, 0.03), (second, 0.06)).dla_waits == set()


def test_a_layer_that_reads_several_parts_takes_longer_than_all() -> None:
    join = layer("sum", "ElementWise", [t("a", SMALL), t("c", SMALL)], [t("y", SMALL)])
    parts = (dla("p", "x", "a"), 0.1), (dla("q", "x", "c"), 0.1)
    assert performance(*parts, (join, 0.8)).dla_waits == set()
    assert performance(*parts, (join, 2.5)).dla_waits == {2}


def test_the_last_writer_of_a_name_counts() -> None:
    again = layer("again", "PointWise", [t("x", SMALL)], [t("a", SMALL)])
    assert performance((dla(source="x"), 0.02), (again, 0.01), (copy("out", "a", "y"), 2.9)).dla_waits == set()


def test_the_note_names_the_slowest_and_where_to_read_more() -> None:
    (note,) = [note for note in network(0.02, 2.9).notes if note.code == DLA_TIME]
    assert note.severity == "warning" and note.hint == "trex explain dla"
    assert "1 GPU layer that waits for it (2.9 ms; the slowest: 'out'), not in its part (0.02 ms)" in note.message


@pytest.mark.parametrize("of", [network(0.02, 2.9), network(0.02, 0.01, 2.9)], ids=["reformat", "softmax"])
def test_nothing_judges_their_time(of: Performance) -> None:
    (position,) = of.dla_waits
    assert of.roofline.bounds[position] is Bound.UNKNOWN
    for figures in (of.headroom_ms, of.roofline.achieved_share, of.roofline.achieved_gb_per_s):
        assert np.isnan(figures[position])
    assert np.nansum(of.headroom_ms) < 0.1
    result = lint(of)
    assert result.failed == ()
    assert (result.savings_ms or 0.0) < 0.1 and {finding.code for finding in result.findings} == {"OPAQ001"}
    assert "2.92 ms (98.0 % of time)" in result.findings[0].message
    assert result.diagnosis is not None and result.diagnosis.state == "opaque"
    assert "takes 98 % of the time, mostly in the rows of GPU layers that wait for the DLA" in result.diagnosis.text
    (unchecked,) = [one for one in result.unchecked if one.code == "ROOF001"]
    assert unchecked.layers == (position,) and "DLA" in unchecked.reason
    statements = " ".join(text for one in performance_document(of).sections for text in one.statements)
    assert "Left out, as layer time is probably the run time of a DLA part: 1 layer (97 % of the time)" in statements
    assert any(note.code == DLA_TIME for note in summary_document(of.plan, lint=result).notes)


def test_times_that_the_part_has_are_judged_as_before() -> None:
    result = lint(network(2.9, 1.0))
    assert any("reformats take" in finding.message for finding in result.findings)


def test_it_holds_for_files(tmp_path: Path) -> None:
    """As TensorRT 8.5 on Orin writes them."""

    def tensor(name: str, dims: tuple[int, ...], words: str) -> dict[str, object]:
        return {"Name": name, "Location": "Device", "Dimensions": list(dims), "Format/Datatype": words}

    linear, wide = "Row major linear FP32", "Channel major FP16 format where channel % 16 == 0"
    rows = {PART: (10.0, 0.02), f"Reformatting CopyNode for Output Tensor 0 to {PART}": (1450.0, 2.9)}
    part, out = rows
    x, a, y = tensor("x", IMAGE, wide), tensor("a", SMALL, wide), tensor("y", SMALL, linear)
    layers = [
        {"Name": part, "LayerType": "DLA", "Inputs": [x], "Outputs": [a], "TacticValue": "0x3"},
        {"Name": out, "LayerType": "Reformat", "Inputs": [a], "Outputs": [y], "ParameterType": "Reformat"},
    ]
    (tmp_path / "m.graph.json").write_text(json.dumps({"Layers": layers, "Bindings": ["x", "y"]}), encoding="utf-8")
    records = [
        {"name": name, "timeMs": total, "averageMs": ms, "medianMs": ms, "percentage": 100 * ms / 2.92}
        for name, (total, ms) in rows.items()
    ]
    (tmp_path / "m.profile.json").write_text(json.dumps([{"count": 500}, *records]), encoding="utf-8")
    of = Performance(load(tmp_path))
    (note,) = [note for note in of.notes if note.code == DLA_TIME]
    assert of.dla_waits == {1} and note.where.endswith("m.profile.json")


def test_no_real_engine_has_one(shared_engines: Path) -> None:
    for folder in sorted(path for path in shared_engines.iterdir() if path.is_dir()):
        assert Performance(load(folder)).dla_waits == set(), folder.name
