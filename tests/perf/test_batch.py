"""The batch size: what all inputs agree on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.factories import conv, engine, layer, t, time
from tests.perf.round_device import round_device
from trex.compare.run_settings import RunSettings
from trex.core.metadata import Metadata
from trex.core.tensor import Binding
from trex.core.timings import LayerTimes
from trex.perf.achievable import Bound
from trex.perf.batch import batch_size
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.plan.implicit_batch import UNKNOWN_BATCH
from trex.views.perf.document import performance_document

KERNEL = "sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x64x32_stage5_g1_tensor16x8x16"


def plan(*shapes: list[int | None] | None, run: str = "") -> EnginePlan:
    inputs = [t(f"x{index}", shape) for index, shape in enumerate(shapes)]
    whole = engine(layer("l", "Convolution", inputs, [t("y", [1])]))
    bindings = tuple(Binding(tensor.name, True, tensor) for tensor in inputs)
    return EnginePlan(
        replace(whole, bindings=bindings),
        metadata=Metadata(inference_options={"Input inference shape": run} if run else {}),
    )


@pytest.mark.parametrize(
    ("shapes", "expected"),
    [
        ([[32, 3, 224, 224]], 32),
        ([[8, 128], [8, 128], [1]], 8),
        ([[8, 128], [16, 128]], None),
        ([[None, 3, 4, 4]], None),
        ([[2, 4, 64, 64], [1], [2, 77, 768]], 2),
        ([[0, 3]], None),
        ([None], None),
        ([], None),
    ],
)
def test_the_first_dimension_that_all_inputs_share(shapes: list[list[int | None] | None], expected: int | None) -> None:
    assert batch_size(plan(*shapes)) == expected


def test_a_dynamic_one_is_that_of_the_run() -> None:
    assert batch_size(plan([None, 3, 4, 4], run="x0=16x3x4x4")) == 16


def test_of_an_engine_without_inputs_in_its_file_it_is_that_of_the_run() -> None:
    assert batch_size(plan(run="x0=16x3x4x4,step=1")) == 16
    assert batch_size(plan(run="model")) is None


@pytest.mark.parametrize(
    ("batch", "allowed", "shape", "expected"),
    [
        ("8", None, [3, 4, 4], 8),  # TensorRT up to 9, whose shapes leave an implicit batch out
        ("8", "32", [3, 4, 4], 8),
        ("1", "32", [3, 4, 4], 1),
        ("1", "explicit batch", [32, 3, 4, 4], 32),  # as trtexec 8.4 prints for a loaded engine
        ("1", "1", [32, 3, 4, 4], 32),
        ("8", "explicit batch", [2, 3, 4, 4], 2),
        ("8", None, [8, 3, 4, 4], 8),
        ("Explicit", "explicit batch", [4, 3], 4),
    ],
)
def test_an_implicit_batch(batch: str, allowed: str | None, shape: list[int | None], expected: int) -> None:
    build = Metadata(build_options={} if allowed is None else {"Max batch": allowed})
    run = Metadata(inference_options={"Batch": batch, "Input inference shapes": "model"})
    found = EnginePlan(plan(shape).engine, None, None, run, build)
    assert batch_size(found) == expected
    shapes = RunSettings(Performance(found)).shapes
    assert shapes == {"x0": "x".join(map(str, [expected, *shape] if shape[0] == 3 else shape))}


def test_times_of_an_implicit_batch_are_of_all_its_items() -> None:
    """128 items · 56² positions · 64 · 576 MACs: 29.6 GFLOP at 100 TFLOP/s."""
    made = replace(conv("a", [t("x", [64, 56, 56])], [t("y", [64, 56, 56])], (3, 3), OutMaps=64), tactic=KERNEL)
    made.raw["Weights"] = {"Type": "Half", "Count": 64 * 64 * 9}
    metadata = Metadata(inference_options={"Batch": "128"})
    found = EnginePlan(engine(made, inputs=["x"]), LayerTimes((time("a", 1.0),)), metadata=metadata)
    performance = Performance(found, round_device())
    assert performance.roofline.bounds[0] is Bound.TENSOR_CORES
    assert performance.roofline.attainable_ms[0] == pytest.approx(2 * 128 * 56**2 * 64 * 576 / 1e11)
    (work,) = performance_document(performance, names=("work",)).sections
    assert work.statements[0].startswith("The layers compute 14.8 G MACs (116 M for each of a batch of 128)")


def test_without_the_batch_of_the_run_sections_say_so() -> None:
    made = conv("a", [t("x", [64, 56, 56])], [t("y", [64, 56, 56])], (3, 3), OutMaps=64)
    made.raw["Weights"] = {"Type": "Half", "Count": 64 * 64 * 9}
    performance = Performance(EnginePlan(engine(made, inputs=["x"]), LayerTimes((time("a", 1.0),))), round_device())
    roofline, work = performance_document(performance, names=("roofline", "work")).sections
    assert roofline.statements[0].endswith("is unknown. No file states the batch of the run.")
    assert [note.code for note in work.notes] == [UNKNOWN_BATCH]
    assert "--shapes" not in str(roofline.statements) + str(work.statements)
