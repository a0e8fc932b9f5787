"""The causes of a change in a history come from layers whose times count."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from tests.factories import engine, layer, time
from trex.core.note import Note
from trex.core.timings import LayerTimes
from trex.plan.engine_plan import EnginePlan
from trex.store.change_causes import causes_of
from trex.views.history import _cause_lines, _why


def plan(*ms: float | None, code: str = "") -> EnginePlan:
    layers = [layer(f"conv{number}", inputs=[f"t{number}"], outputs=[f"t{number + 1}"]) for number in range(len(ms))]
    times = [time(one.name, value) for one, value in zip(layers, ms) if value is not None]
    notes = (Note(code, "x", severity="problem"),) if code else ()
    return EnginePlan(engine(*layers, inputs=["t0"], outputs=[f"t{len(ms)}"]), LayerTimes(tuple(times)), notes=notes)


def causes(base: EnginePlan, new: EnginePlan) -> tuple[list[str], list[str], set[str]]:
    """(lines of the answer, blocks and codes of the section below)."""
    change = SimpleNamespace(before=1.0, change_pct=50.0)
    series = SimpleNamespace(metric=SimpleNamespace(name="layers", label="layers"), sides=lambda _: (["a"], ["b"]))
    event: Any = SimpleNamespace(series=series, change=change, name="net")
    store: Any = SimpleNamespace(plan={"a": base, "b": new}.__getitem__)
    (cause,) = causes_of(store, [event])
    section = _why(1, cause, "")
    return (
        _cause_lines(cause),
        [type(block).__name__ for block in section.blocks],
        {note.code for note in section.notes},
    )


def test_times_that_count_are_causes() -> None:
    lines, blocks, _ = causes(plan(1.0, 0.5), plan(1.0, 1.5))
    assert lines[-1] == "Layers: conv1 +1.0000 ms." and blocks == ["Facts", "Table", "Table", "Text"]


def test_times_that_count_for_nothing_are_no_cause() -> None:
    for code in ("times-contradict", "truncated", "shares-contradict"):
        lines, blocks, codes = causes(plan(1.0, 0.5), plan(100.0, 50.0, code=code))
        assert lines == [f"Layers can't be compared: new: x ({code})."]
        assert blocks == ["Text"] and code in codes


def test_layers_without_times_are_counted() -> None:
    lines, blocks, _ = causes(plan(1.0, 0.5, 0.5), plan(1.0, 0.7, None))
    assert lines[-1] == "Not included: 1 of 3 layer groups, whose times are unknown."
    assert blocks[-2:] == ["Text", "Text"]
