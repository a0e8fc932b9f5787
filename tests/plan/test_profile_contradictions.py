"""A layer profile against itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.plan.one_run import only, profile, summary, trace
from tests.raw_records import Record, convolution, layer, plan_of, tensor, times
from trex.core.metadata import Metadata
from trex.perf.performance import Performance
from trex.plan.profile_contradictions import NOT_MEASURED
from trex.plan.time_notes import (
    SHARES_CONTRADICT,
    TIMES_CONTRADICT,
)
from trex.plan.time_units import contradictions


def test_a_profile_alone_contradicts_itself_only() -> None:
    assert contradictions(profile(1000.0), None, Metadata()) == ()
    note = only(contradictions(profile(averages=1000.0), None, Metadata()))
    assert "their totals of 10 iterations to 1 ms each" in note.message


def test_a_row_of_zero_has_no_percentage() -> None:
    whole = profile()
    zero = replace(whole.records[0], total_ms=0.0, average_ms=0.0, median_ms=0.0, share_pct=0.4)
    note = only(contradictions(replace(whole, records=(zero, *whole.records[1:])), None, Metadata()))
    assert note.code == SHARES_CONTRADICT and note.severity == "problem" and "'a' 0 ms and 0.4 %" in note.message
    none = replace(zero, share_pct=0.0)
    assert contradictions(replace(whole, records=(none, *whole.records[1:])), None, Metadata()) == ()


def test_percentages_of_99_in_every_row() -> None:
    note = only(contradictions(profile(share=99.0), None, Metadata()))
    assert note.code == SHARES_CONTRADICT and "add up to 396 %" in note.message and "up to 15 points" in note.message


def test_percentages_of_0_in_every_row() -> None:
    note = only(contradictions(profile(share=0.0), None, Metadata()))
    assert note.code == SHARES_CONTRADICT and "add up to 0 %" in note.message and "up to 40 points" in note.message


@pytest.mark.parametrize(("points", "is_noted"), [(0.05, False), (0.4, True)])
def test_a_percentage_of_another_time(points: float, is_noted: bool) -> None:
    first, *rest = profile().records
    off = replace(profile(), records=(replace(first, share_pct=first.share_pct + points), *rest))
    assert [note.code for note in contradictions(off, None, Metadata())] == [SHARES_CONTRADICT] * is_noted


def test_percentages_of_a_cut_profile_are_right() -> None:
    whole = profile()
    assert contradictions(replace(whole, records=whole.records[1:]), None, Metadata()) == ()


def test_percentages_of_a_whole_profile_add_up_to_100() -> None:
    half = replace(profile(), records=tuple(replace(item, share_pct=item.share_pct / 2) for item in profile().records))
    assert contradictions(half, None, Metadata()) == ()
    note = only(contradictions(half, None, Metadata(), is_whole=True))
    assert note.code == SHARES_CONTRADICT and note.message.endswith("add up to 50 %")


def test_a_profile_of_zeros_measured_nothing() -> None:
    note = only(contradictions(profile(0.0), trace(), summary()))
    assert note.code == TIMES_CONTRADICT and "every time in the layer profile is 0 ms" in note.message


@pytest.mark.parametrize(
    ("ms", "keys", "is_noted"),
    [
        (0.0, {}, True),
        (0.0005, {}, False),
        (None, {}, False),
        (0.0, {"Weights": {"Type": "Half", "Count": 0}}, False),  # it may skip what it does
        (0.0, {"Outputs": [tensor("t", [0, 8, 4, 4])]}, False),
    ],
)
def test_a_layer_with_weights_takes_time(tmp_path: Path, ms: float | None, keys: Record, is_noted: bool) -> None:
    records = [convolution("a", "x", "t", **keys), convolution("b", "t", "y")]
    plan = plan_of(tmp_path, records, profile=times(*([] if ms is None else [("a", ms)]), ("b", 0.1)))
    notes = [note for note in plan.notes if note.code == NOT_MEASURED]
    assert bool(notes) is is_noted
    assert bool(Performance(plan).lost) is is_noted
    assert all("1 layer with weights takes 0 ms" in note.message for note in notes)


def test_a_layer_behind_a_jump_may_not_run(tmp_path: Path) -> None:
    records = [convolution("a", "x", "t"), layer("j", "cjmp"), convolution("b", "t", "y")]
    plan = plan_of(tmp_path, records, profile=times(("a", 0.1), ("j", 0.01), ("b", 0.0)))
    assert not [note for note in plan.notes if note.code == NOT_MEASURED]
