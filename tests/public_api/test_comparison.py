"""The public comparison: two plans in, a verdict, a frame and a notebook's cell out."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import trex
from tests.compare.profiled import chained, made
from tests.simulated_examples import load_simulated
from trex.comparison import Comparison, compare, compare_series
from trex.core.note import Note


@pytest.fixture(scope="module")
def found() -> Comparison:
    return compare(load_simulated("resnet18-int8"), load_simulated("resnet18-int8-residual"))


def test_the_verdict_is_one_sentence(found):
    assert found.verdict.startswith("New is predicted 1.85× faster: ")
    assert found.main.speedup is not None and found.main.speedup > 1.7


def test_of_two_batches_the_verdict_is_per_item_wherever_it_is_told(tmp_path):
    found = compare(made("resnet18-b8"), made("resnet18-b1"))
    assert found.verdict.startswith("Per item slower within these two runs: 0.38×")
    series = compare_series(found.left, found.right)
    pages = [Path(found.save(tmp_path / "pair.md")), Path(series.save(tmp_path / "series.md"))]
    told = [str(found), str(series), found._repr_html_(), series._repr_html_()]
    for each in (*told, *(page.read_text(encoding="utf-8") for page in pages)):
        assert (
            0
            < each.index("Per item slower within these two runs: 0.38×")
            < each.index("New is 3.03× faster within these two runs: ")
        )


def test_the_frame_holds_every_match_and_the_whole_difference(found):
    frame = found.df
    assert len(frame) == len(found.changes)
    assert sum(map(len, frame["left_layers"])) == len(found.left.layers)
    assert sum(map(len, frame["right_layers"])) == len(found.right.layers)
    fall = found.waterfall
    assert frame["difference_ms"].sum() == pytest.approx(fall.layers_right_ms - fall.layers_left_ms)
    assert (frame["speedup"].isna() == ~((frame["left_ms"] > 0) & (frame["right_ms"] > 0))).all()


def test_an_empty_engine_has_an_empty_frame(found):
    from tests.factories import engine

    empty = trex.EnginePlan.__new__(trex.EnginePlan)
    super(type(empty), empty).__init__(engine())
    assert compare(empty, empty).df.empty
    assert math.isnan(compare(empty, empty).alignment.matched_share)
    assert str(compare(empty, empty))


def test_it_is_shown_as_text_and_in_a_cell(found):
    assert "Why" in str(found)
    assert "<table" in found._repr_html_()
    assert repr(found) == "Comparison('resnet18-int8', 'resnet18-int8-residual')"


def test_a_device_that_is_not_known():
    plan = load_simulated("resnet18-fp16")
    with pytest.raises(trex.TrexError):
        compare(plan, plan, "no such GPU 9000")


def test_operations_and_modules_have_frames(found):
    assert found.operations_df["left_ms"].sum() == pytest.approx(found.left_operation_times.operations_ms)
    assert found.modules_df["right_ms"].sum() == pytest.approx(found.right_operation_times.layers_ms)


def test_several_engines():
    plans = [made(name) for name in ("resnet18-fp16", "resnet18-int8", "resnet18-int8-residual")]
    series = compare_series(*plans)
    assert list(series.df["engine"]) == [plan.name for plan in plans]
    assert series.df["speedup"].tolist()[0] == 1.0 and series.df["speedup"].tolist()[2] > 1.9
    assert list(series.operations_df.columns[3:]) == [plan.name for plan in plans]
    assert series.scaling_df.empty
    assert series.best_of_each.mixed_ms <= min(series.best_of_each.alone_ms)
    assert "A series over precision" in str(series) and "<table" in series._repr_html_()
    assert repr(series) == "Series('resnet18-fp16', 'resnet18-int8', 'resnet18-int8-residual')"
    with pytest.raises(trex.TrexError):
        compare_series(plans[0])


def test_frames_of_times_in_doubt_say_so():
    sound, wrong = chained([0.1, 0.2]), chained([0.1, 0.3])
    wrong.name, wrong.notes = "failed", (Note("run-failed", "it failed", severity="problem"),)
    pair, series = compare(sound, wrong), compare_series(sound, chained([0.1, 0.4]), wrong)
    for frame in (pair.df, pair.operations_df, pair.modules_df):
        assert frame.attrs["statement"] == "times can't be trusted: new: it failed (run-failed)"
    for frame in (series.df, series.operations_df, series.scaling_df):
        assert frame.attrs["statement"] == "times can't be trusted: failed: new: it failed (run-failed)"
    assert not compare(sound, chained([0.1, 0.4])).df.attrs
