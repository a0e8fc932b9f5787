"""What two engines write."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.raw_records import layer, plan_of, tensor
from trex.compare.other_outputs import OTHER_OUTPUTS
from trex.compare.plan_diff import PlanDiff
from trex.plan.engine_plan import EnginePlan


def written(folder: Path, *shapes: tuple[int, ...], read: int = 4) -> EnginePlan:
    names = [f"y{index}" for index in range(len(shapes))]
    outputs = [tensor(name, shape) for name, shape in zip(names, shapes, strict=True)]
    first = layer("a", inputs=[tensor("x", (1, 8, read, read))], outputs=[tensor("t")])
    layers = [first, layer("d", inputs=["t"], outputs=outputs)]
    folder.mkdir()
    return plan_of(folder, layers, ("x", *names))


@pytest.mark.parametrize(
    ("base", "new", "is_noted"),
    [
        ([(32, 1000)], [(32, 1000)], False),
        ([(32, 1000)], [(32, 1000, 1, 1)], False),
        ([(32, 1000)], [(32, 512, 7, 7)], True),
        ([(32, 1000)], [(32, 1000), (32, 4)], True),
        ([(32, 4), (32, 1000)], [(32, 1000), (32, 4)], False),
        ([(-1, 1000)], [(32, 512)], False),
    ],
)
def test_engines_that_write_other_sizes(
    base: list[tuple[int, ...]], new: list[tuple[int, ...]], is_noted: bool, tmp_path: Path
) -> None:
    diff = PlanDiff(written(tmp_path / "base", *base), written(tmp_path / "new", *new))
    notes = [note for note in diff.notes if note.code == OTHER_OUTPUTS]
    assert [note.severity for note in notes] == ["warning"] * is_noted


def test_at_other_input_shapes_other_outputs_are_expected(tmp_path: Path) -> None:
    diff = PlanDiff(written(tmp_path / "base", (1, 1000)), written(tmp_path / "new", (2, 1000), read=8))
    assert OTHER_OUTPUTS not in {note.code for note in diff.notes}
