"""Colors of a graph by change: every layer has one, and the legend says what it means."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.compare.predicted import measured, predicted
from tests.simulated_examples import load_simulated
from trex.compare.layer_noise import layer_trends
from trex.compare.plan_diff import PlanDiff
from trex.core.note import Note
from trex.export.diagram import Drawing
from trex.export.viewer_data import viewer_data
from trex.graph.build import build_graph
from trex.graph.fold import fold_blocks
from trex.ingest.logs.run_metadata import RUN_FAILED
from trex.rules.plan_lint import PlanLint
from trex.views.compare.coloring import NAME, change_coloring
from trex.views.diagram.coloring import COLORINGS
from trex.views.diagram.colorings.change import doubts


@pytest.fixture(scope="module")
def comparison() -> PlanDiff:
    return PlanDiff(load_simulated("resnet18-int8"), load_simulated("resnet18-int8-residual"))


def texts(comparison: PlanDiff, *, is_base: bool) -> list[str]:
    graph = build_graph(comparison.left if is_base else comparison.right)
    result = change_coloring(comparison, is_base=is_base).paint(graph, lambda time: None)
    return [paint.text.partition(",")[0].partition(" (")[0] for paint in result]


def test_both_sides_are_colored_by_their_matches(comparison: PlanDiff):
    trends = layer_trends(comparison.changes).of
    for is_base in (True, False):
        wanted: Counter[str] = Counter()
        for change, trend in zip(comparison.changes, trends, strict=True):
            wanted[trend.value] += len(change.match.left if is_base else change.match.right)
        assert Counter(texts(comparison, is_base=is_base)) == +wanted
    assert "gone" in texts(comparison, is_base=True) and "gone" not in texts(comparison, is_base=False)


def test_sides_exchanged_turn_gone_into_new(comparison: PlanDiff):
    back = PlanDiff(comparison.right, comparison.left)
    there = texts(comparison, is_base=True)
    assert texts(back, is_base=False).count("new") == there.count("gone") > 0


def test_what_is_dear_is_strong(comparison: PlanDiff):
    graph = build_graph(comparison.left)
    result = change_coloring(comparison, is_base=True).paint(graph, lambda time: None)
    strong = {paint.color for paint in result if "1 % of the time" in paint.text}
    assert strong and strong <= {"#0b61a4", "#c2410c"}
    assert all(paint.dark for paint in result)


def test_a_folded_block_has_the_change_that_matters_most():
    plan = load_simulated("transformer-fp16")
    graph = fold_blocks(build_graph(plan))
    comparison = PlanDiff(plan, plan)
    result = change_coloring(comparison, is_base=True).paint(graph, lambda time: None)
    assert len(result) == len(graph.layer_nodes) < len(plan.working_layers)
    assert all(paint.text.startswith("unchanged") for paint in result)


def test_the_registry_asks_for_the_side_of_the_new_engine(comparison: PlanDiff):
    alone = build_graph(comparison.right)
    plug = COLORINGS[NAME].value
    assert {paint.text for paint in plug.paint(alone, lambda time: None)} == {
        "no engine to compare with: --baseline PATH"
    }
    assert not plug.tells_of(alone)
    lint = PlanLint(comparison.right, baseline=comparison.left)
    graph = build_graph(comparison.right, lint=lint)
    wanted = change_coloring(comparison, is_base=False)
    assert plug.tells_of(graph)
    assert plug.paint(graph, lambda time: None) == wanted.paint(graph, lambda time: None)


@pytest.mark.parametrize("is_base", [True, False])
def test_no_change_from_times_that_cannot_be_trusted(is_base: bool) -> None:
    sound, failed = measured(1.0), measured(2.0)
    failed.notes = (*failed.notes, Note(RUN_FAILED, "the run failed", severity="problem"))
    comparison = PlanDiff(failed, sound)
    coloring, graph = change_coloring(comparison, is_base=is_base), build_graph(comparison.left)
    texts = {paint.text for paint in coloring.paint(graph, lambda time: None)}
    assert texts == {"the layer times of base can't be trusted"}
    lint = PlanLint(sound, baseline=failed)
    drawn = build_graph(sound, lint=lint)
    assert {paint.text for paint in COLORINGS[NAME].value.paint(drawn, lambda time: None)} == texts
    assert doubts(lint)[0].code == RUN_FAILED


def test_a_page_offers_it_where_there_is_a_baseline(comparison: PlanDiff):
    for baseline, offered in ((None, False), (comparison.left, True)):
        drawing = Drawing(comparison.right, lint=PlanLint(comparison.right, baseline=baseline))
        data = viewer_data(drawing.scene, drawing.graph, 1.0)
        assert (NAME in {item["name"] for item in data["colorings"]}) == offered
    more = {NAME: change_coloring(comparison, is_base=False)}
    data = viewer_data(drawing.scene, drawing.graph, 1.0, more)
    assert [item["name"] for item in data["colorings"]].count(NAME) == 1 and data["colorBy"] == NAME


@pytest.mark.parametrize("is_base_predicted", [False, True])
def test_the_legend_says_where_one_side_alone_was_predicted(is_base_predicted: bool) -> None:
    guess, real = predicted(1.0, 0.8, 1.2, layers={"a": 0.5}), measured(1.0)  # 0.9 ms
    comparison = PlanDiff(*((guess, real) if is_base_predicted else (real, guess)))
    words = "slower than predicted" if is_base_predicted else "predicted faster"
    for is_base in (True, False):
        side = comparison.left if is_base else comparison.right
        (paint,) = change_coloring(comparison, is_base=is_base).paint(build_graph(side), lambda time: None)
        assert paint.text == f"{words}, ≥ 1 % of the time"
    plan_diff = PlanDiff(guess, predicted(1.0, 0.8, 1.2, layers={"a": 0.9}))
    (paint,) = change_coloring(plan_diff, is_base=False).paint(build_graph(plan_diff.right), lambda time: None)
    assert paint.text == "slower, ≥ 1 % of the time"
