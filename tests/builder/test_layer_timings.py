"""The builder's own best time of each layer in each precision."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests import factories
from trex.builder.layer_timings import layer_timings
from trex.core.data_type import DataType
from trex.core.format_timing import FormatTiming
from trex.core.metadata import Metadata
from trex.core.tensor import Binding, ShapeRange
from trex.engine_plan import load
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.half_precision import single_layers

FP32, FP16, BF16 = DataType.FP32, DataType.FP16, DataType.BF16


def plan(*timings: FormatTiming) -> EnginePlan:
    return EnginePlan(factories.engine(), build_metadata=Metadata(format_timings=timings))


def test_the_best_by_the_type_of_the_first_input() -> None:
    found = layer_timings(
        plan(
            FormatTiming("a", (FP32,), (FP32,), 1, 0.3),
            FormatTiming("a", (FP32,), (FP16,), 2, 0.2),
            FormatTiming("a", (FP16, FP32), (FP16,), 3, 0.1),
            FormatTiming("b", (), (FP32,), 4, 0.1),
        )
    )
    assert found.of("a", (FP32,)) == 0.2 and found.of("a", (FP16, BF16)) == 0.1
    assert found.of("a", (BF16,)) is None and found.of("b", (FP32,)) is None and found.of("c", (FP32,)) is None
    assert found and not layer_timings(plan())


@pytest.mark.parametrize(
    ("ran", "gpu", "expected"),
    [("x=4x8", "A30", 0.3), ("x=2x8", "A30", None), ("model", "A30", None), ("x=4x8", "Tesla T4", None)],
)
def test_times_at_other_shapes_or_on_another_gpu_are_not_those_of_the_run(ran: str, gpu: str, expected: float) -> None:
    timed = plan(FormatTiming("a", (FP32,), (FP32,), 1, 0.3))
    ranges = ShapeRange((1, 8), (4, 8), (8, 8))
    timed.engine = replace(timed.engine, bindings=(Binding("x", True, None, (ranges,)),))
    timed.build_metadata = replace(timed.build_metadata, device={"Selected Device": "A30"})
    timed.metadata = Metadata(device={"Selected Device": gpu}, inference_options={"Input inference shape": ran})
    timings = layer_timings(timed)
    assert timings.fastest("a") == expected and timings.of("a", (FP32,)) == 0.3


def test_a_real_build_that_found_fp32_faster(shared_logs: Path) -> None:
    engine = AnalyzedEngine(Performance(load(shared_logs / "trt8.4-mnist-fp16-build-verbose.log")))
    of = engine.timings.of
    assert of("Conv-4 + ReLU-5", (FP32,)) == 0.0224653 and of("Conv-4 + ReLU-5", (FP16,)) == 0.08192
    assert of("MatMul-12", (FP32,)) == pytest.approx(0.00746789)
    left = {engine.layers[position].name for position in single_layers(engine)}
    assert left == {"MaxPool-6"}  # 2.61 µs in FP32, 2.53 in FP16; all others are faster in FP32


@pytest.mark.parametrize("name", ["trt8.6-build-verbose.log", "trt10.16-trtexec-02.log"])
def test_layers_are_those_of_the_engine(shared_logs: Path, name: str) -> None:
    engine = load(shared_logs / name)
    timings = layer_timings(engine)
    assert len(timings.best_ms.keys() & engine.engine.by_name.keys()) >= 10
