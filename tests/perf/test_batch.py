"""The batch size: what all inputs agree on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.factories import engine, layer, t
from trex.core.metadata import Metadata
from trex.core.tensor import Binding
from trex.perf.batch import batch_size
from trex.plan.engine_plan import EnginePlan


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
