"""Memory of whole engines: by hand, against a slow oracle, over every case and the real engines."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engines import READABLE
from tests.factories import conv, engine, layer, noop, t
from tests.perf.memory.oracle import live_bytes
from tests.synthetic import Case
from tests.test_every_engine import opened
from trex.core.engine import Engine
from trex.core.layer import Layer, Role
from trex.core.metadata import Metadata
from trex.core.tensor import ShapeRange
from trex.engine_plan import find_plans, load
from trex.ingest.artifacts import read_artifacts
from trex.perf.memory.plan_memory import Memory, memory_of
from trex.plan.engine_plan import EnginePlan
from trex.plan.lifetimes import DEVICE, lifetimes_of


def memory(*layers: Layer, inputs=("x",), outputs=("y",), reported=None) -> Memory:
    built = engine(*layers, inputs=inputs, outputs=outputs)
    return memory_of(EnginePlan(built, metadata=Metadata(memory=reported or {})))


def b(name: str, size: int, type: str = "INT8"):
    """A tensor of so many values."""
    return t(name, [size], type)


#  layer       0 stem  1 left  2 right  3 join
#  x (caller)  ·
#  s 100       ▪       ▪       ▪        ▪       (skip connection: waits while right runs)
#  l  60               ▪       ▪
#  r  30                       ▪        ▪
#  live        100     160     190      130
SKIP = (
    layer("stem", outputs=[b("s", 100)], inputs=[b("x", 8)]),
    layer("left", inputs=[b("s", 100)], outputs=[b("l", 60)]),
    layer("right", inputs=[b("l", 60)], outputs=[b("r", 30)]),
    layer("join", inputs=[b("s", 100), b("r", 30)], outputs=[b("y", 8)]),
)


def test_a_skip_connection_waits_at_the_peak() -> None:
    result = memory(*SKIP)
    assert result.timeline.live_bytes.tolist() == [100, 160, 190, 130]
    peak = result.peak
    assert peak is not None
    assert (peak.size_bytes, peak.layer.name, peak.used_bytes, peak.waiting_bytes) == (190, "right", 90, 100)
    # without s: 0 60 90 30; without l: 100 100 130 130; without r: 100 160 160 100
    assert [(held.value.name, held.is_used, held.peak_without_bytes) for held in peak.held] == [
        ("s", False, 90),
        ("l", True, 130),
        ("r", True, 160),
    ]
    assert [(held.first.name, held.last.name) for held in peak.held] == [
        ("stem", "join"),
        ("left", "right"),
        ("right", "join"),
    ]
    assert result.reuse_factor == pytest.approx(190 / 190)
    assert (result.bindings.known, result.activations.known) == (16, 190)


def test_memory_is_used_again() -> None:
    #  t 100  ▪ ▪ · ·     u 100  · ▪ ▪ ·     v 100  · · ▪ ▪
    names = ["x", "t", "u", "v", "y"]
    steps = [layer(f"l{i}", inputs=[b(names[i], 100)], outputs=[b(names[i + 1], 100)]) for i in range(4)]
    result = memory(*steps)
    assert result.timeline.live_bytes.tolist() == [100, 200, 200, 100]
    assert result.reuse_factor == 1.5


def test_a_view_keeps_its_source_and_takes_nothing() -> None:
    #  t 100  ▪ ▪ ▪ ▪   (layer 1 views it as u, layer 3 reads u)
    #  w  10  · · ▪ ▪
    result = memory(
        layer("a", outputs=[b("t", 100)]),
        noop("v", b("t", 100), b("u", 100)),
        layer("b", outputs=[b("w", 10)]),
        layer("c", inputs=[b("u", 100), b("w", 10)]),
    )
    assert result.timeline.live_bytes.tolist() == [100, 100, 110, 110]
    assert result.peak is not None
    assert {held.value.name: held.is_used for held in result.peak.held} == {"t": False, "w": True}


def test_parts_of_a_concatenation_live_from_the_first() -> None:
    #  both 320  ▪ ▪ ▪   (two writers of 160 each)
    result = memory(
        layer("sin", outputs=[b("both", 160)]),
        layer("cos", outputs=[b("both", 160)]),
        layer("fc", inputs=[b("both", 320)]),
    )
    assert result.timeline.live_bytes.tolist() == [320, 320, 320]


def test_half_the_precision() -> None:
    #  f 400 (FP32)  ▪ ▪       i 50 (INT8)  · ▪ ▪    → 400 450 50; FP32 halved: 200 250 50
    result = memory(
        layer("a", outputs=[b("f", 100, "FP32")]),
        layer("b", inputs=[b("f", 100, "FP32")], outputs=[b("i", 50)]),
        layer("c", inputs=[b("i", 50)]),
    )
    peak = result.peak
    assert peak is not None
    assert [(relief.what, relief.peak_bytes, relief.saved_bytes) for relief in peak.reliefs] == [
        ("FP32 activations in FP16", 250, 200)
    ]


def test_all_that_waits_together() -> None:
    #  s 100 ▪ ▪ ▪ ▪ ▪    q 40 · ▪ ▪ ▪ ▪    l 30 · · ▪ ▪ ·   m 30 · · · ▪ ▪  → 100 140 170 200 170; alone l + m = 60
    result = memory(
        layer("a", outputs=[b("s", 100)]),
        layer("c", outputs=[b("q", 40)]),
        layer("d", outputs=[b("l", 30)]),
        layer("e", inputs=[b("l", 30)], outputs=[b("m", 30)]),
        layer("f", inputs=[b("s", 100), b("q", 40), b("m", 30)]),
    )
    assert result.peak is not None
    assert [(relief.what, relief.peak_bytes) for relief in result.peak.reliefs] == [
        ("without the 2 tensors that only wait at the peak", 60)
    ]


def test_the_batch_scales_what_it_is_flattened_into() -> None:
    result = memory(
        layer("a", inputs=[t("x", [8, 3], "INT8")], outputs=[t("t", [80], "INT8")]),
        layer("b", inputs=[t("t", [80], "INT8")], outputs=[b("u", 10)]),
        layer("c", inputs=[b("u", 10)]),
    )
    assert result.peak is not None
    assert ("batch 1 instead of 8", 20) in [(relief.what, relief.peak_bytes) for relief in result.peak.reliefs]


def test_the_batch_scales_what_has_it() -> None:
    #  t [8, 10] 80  ▪ ▪      u [10] 10  · ▪ ▪      → 80 90 10; batch 4: 40 50 10; batch 1: 10 20 10
    result = memory(
        layer("a", inputs=[t("x", [8, 3], "INT8")], outputs=[t("t", [8, 10], "INT8")]),
        layer("b", inputs=[t("t", [8, 10], "INT8")], outputs=[b("u", 10)]),
        layer("c", inputs=[b("u", 10)]),
    )
    assert result.peak is not None
    assert [(relief.what, relief.peak_bytes) for relief in result.peak.reliefs] == [
        ("batch 1 instead of 8", 20),
        ("batch 4 instead of 8", 50),
    ]


@pytest.mark.parametrize("shapes", [[[8, 3], [4, 3]], [[1, 3]], [[None, 3]], [[]]])
def test_inputs_that_share_no_first_dimension_tell_no_batch(shapes: list[list[int | None]]) -> None:
    inputs = [t(f"x{index}", shape, "INT8") for index, shape in enumerate(shapes)]
    result = memory(
        layer("a", inputs=inputs, outputs=[t("t", [8, 10], "INT8")]),
        layer("b", inputs=[t("t", [8, 10], "INT8")]),
        inputs=tuple(item.name for item in inputs),
    )
    assert result.peak is not None
    assert not result.peak.reliefs


def test_host_tensors_are_in_no_device_memory() -> None:
    shape = replace(t("n", [4], "INT32"), location="Host")
    result = memory(layer("a", outputs=[shape]), layer("c", inputs=[shape]))
    assert result.timeline.live_bytes.tolist() == [0, 0]
    assert (result.host.known, result.activations.known) == (16, 0)
    assert result.peak is not None
    assert result.peak.size_bytes == 0
    assert result.reuse_factor is None


def test_unknown_sizes_make_a_lower_bound() -> None:
    result = memory(layer("a", outputs=[b("t", 10), t("u", [None])]), layer("c", inputs=[b("t", 10), t("u", [None])]))
    assert result.is_lower_bound
    assert (result.activations.known, result.activations.unknown_count) == (10, 1)
    assert result.peak is not None
    assert result.peak.size_bytes == 10


def test_nothing_known_is_no_peak_of_zero() -> None:
    assert memory(layer("a", outputs=[t("t", None)]), layer("c", inputs=[t("t", None)])).peak is None
    bare = replace(layer("a", inputs=[], outputs=[]), raw={"Name": "a"})
    assert memory(bare).peak is None
    assert memory().peak is None


def test_other_streams_are_told() -> None:
    result = memory(layer("a", outputs=["t"], stream=0), layer("c", inputs=["t"], stream=1))
    assert result.side_layers == 1
    assert memory(*SKIP).side_layers == 0


def test_shapes_of_the_profile() -> None:
    #  t [?, 10] FP16: 20 B a row, live with u [?, 10] at layer 1: 40 B a row
    names = ["x", "t", "u", "y"]
    steps = [conv(f"c{i}", [t(names[i], [None, 10])], [t(names[i + 1], [None, 10])]) for i in range(3)]
    built = engine(*steps, inputs=["x"], outputs=["y"])
    binding = replace(built.bindings[0], profiles=(ShapeRange((1, 10), (4, 10), (16, 10)),))
    result = memory_of(EnginePlan(replace(built, bindings=(binding, *built.bindings[1:]))))
    assert result.peak is None
    assert [(item.point, item.size_bytes, item.unknown_count) for item in result.points] == [
        ("min", 40, 0),
        ("opt", 160, 0),
        ("max", 640, 0),
    ]
    assert memory(*steps).points == ()


def test_what_tensorrt_says_is_compared() -> None:
    assert memory(*SKIP, reported={"activation_bytes": 190}).comparison.endswith(": equal.")
    assert memory(*SKIP, reported={"activation_bytes": 1536}).comparison.endswith("whole blocks of 512 B per tensor.")
    assert memory(*SKIP).comparison == ""
    assert memory(*SKIP, reported={"weights_bytes": 5}).comparison == ""


def test_absurd_sizes_are_no_overflow() -> None:
    huge = t("t", [2**40] * 8, "FP32")
    result = memory(layer("a", outputs=[huge]), layer("c", inputs=[huge]))
    assert result.peak is not None
    assert result.peak.size_bytes == 4 * 2**320


# ------------------------------------------------------------------------------------------- against the slow oracle


@st.composite
def engines(draw: st.DrawFn) -> Engine:
    """Layers over few names, so that names are reused; views, constants, several readers; nothing read unwritten."""
    layers: list[Layer] = []
    sizes: dict[str, int] = {"x": 7}
    fresh = draw(st.booleans())
    for number in range(draw(st.integers(1, 12))):
        known = sorted(sizes)
        inputs = draw(st.lists(st.sampled_from(known), min_size=1, max_size=3, unique=True))
        name = f"n{number}" if fresh else draw(st.sampled_from("abcdy"))
        tensors = [b(item, sizes[item]) for item in inputs]
        kind = draw(st.sampled_from(["kernel", "kernel", "view", "constant"]))
        if kind == "view" and inputs[0] != name:
            sizes[name] = sizes[inputs[0]]
            layers.append(noop(f"l{number}", tensors[0], b(name, sizes[name])))
        elif kind == "constant":
            sizes[f"k{number}"] = 9
            layers.append(layer(f"l{number}", "Constant", [], [b(f"k{number}", 9)], role=Role.CONSTANT))
        else:
            sizes[name] = draw(st.integers(1, 100))
            layers.append(layer(f"l{number}", inputs=tensors, outputs=[b(name, sizes[name])]))
    return engine(*layers, inputs=["x"], outputs=["y"])


def each_value_has_one_writer(engine: Engine) -> bool:
    """False when a name is written again before it was read: parts of one value, which the oracle does not know."""
    read: dict[str, bool] = {}
    for item in engine.layers:
        for tensor in item.inputs:
            read[tensor.name] = True
        for tensor in item.outputs:
            if read.get(tensor.name) is False:
                return False
            read[tensor.name] = False
    return True


def test_a_layer_does_not_use_what_a_later_view_adds_to_its_output() -> None:
    """c is written by a layer and, unread, again by a view of a: the a of layer 2 is none of layer 1's values."""
    x, a, c = b("x", 7), b("a", 1), b("c", 1)
    steps = [layer("l0", inputs=[x], outputs=[a]), layer("l1", inputs=[a], outputs=[c])]
    steps += [layer("l2", inputs=[x], outputs=[a]), noop("l3", a, c)]
    values = lifetimes_of(engine(*steps, inputs=["x"], outputs=["y"]))
    assert sorted(values.all[number].name for number in values.used_at(steps[1], 1)) == ["a", "c"]


@settings(max_examples=300)
@given(engines())
def test_the_timeline_is_that_of_the_oracle(engine: Engine) -> None:
    result = memory_of(EnginePlan(engine))
    if each_value_has_one_writer(engine):
        assert result.timeline.live_bytes.tolist() == live_bytes(engine)
    holds(result)


def holds(memory: Memory) -> None:
    """What is true of every engine."""
    live = memory.timeline.live_bytes.tolist()
    assert len(live) == len(memory.engine.layers)
    assert all(item >= 0 for item in live)
    assert memory.timeline.peak_bytes <= memory.timeline.sum_bytes
    for held in memory.peak.held if memory.peak else ():
        assert held.peak_without_bytes <= memory.timeline.peak_bytes
        assert held.peak_without_bytes >= memory.timeline.peak_bytes - held.size_bytes
    for relief in memory.peak.reliefs if memory.peak else ():
        assert 0 <= relief.peak_bytes == memory.timeline.peak_bytes - relief.saved_bytes < memory.timeline.peak_bytes
    assert memory.timeline.peak_bytes >= largest_own_footprint(memory.engine)
    assert memory.timeline.sum_bytes == memory.activations.known


def largest_own_footprint(graph: Engine) -> int:
    """The most that one layer reads and writes of the engine's own memory."""
    values = lifetimes_of(graph)
    footprints = [0]
    for position, item in enumerate(graph.layers[:400]):
        own = [values.all[number] for number in values.used_at(item, position)]
        footprints.append(sum(value.size_bytes or 0 for value in own if value.memory == DEVICE))
    return max(footprints)


@pytest.mark.parametrize("case", READABLE, ids=lambda case: case.name)
def test_every_case(case: Case, tmp_path: Path) -> None:
    result = memory_of(opened(case, tmp_path))
    holds(result)
    if result.peak is None:
        assert result.activations.unknown_count or result.untold_layers or not result.engine.layers


def test_real_engines(shared_engines: Path) -> None:
    peaks = {}
    for folder in sorted(shared_engines.iterdir()):
        for files in find_plans(folder) if folder.is_dir() else ():
            result = memory_of(EnginePlan.from_artifacts(read_artifacts(files)))
            holds(result)
            assert result.is_lower_bound == folder.name.endswith("names-only")
            peaks[folder.name] = result.timeline.peak_bytes
    # batch 32: convolution 1 puts out 32·64·112·112 FP32 (102,760,448 B), the pooling reads it and puts out a quarter
    assert peaks["trt8.4-resnet18-a100-fp32"] == 102_760_448 + 25_690_112
    assert peaks["trt8.4-resnet18-a100-fp16"] == (102_760_448 + 25_690_112) // 2


def test_the_builders_own_figure(shared_logs: Path) -> None:
    """A build log with layouts: the tensors' peak is the activation memory to the byte."""
    result = memory_of(load(shared_logs / "trt10.16-trtexec-04.log"))
    assert result.reported is not None
    assert result.reported.activation_bytes == result.timeline.peak_bytes == 125_440
