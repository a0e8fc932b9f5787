"""What a cell shows of two engines: both graphs in a frame of their own, escaped, without IPython."""

from __future__ import annotations

from dataclasses import replace
from html import unescape

import pytest

from tests.jupyter.test_drawn_graph import HOSTILE, Tags, chain
from tests.simulated_examples import load_simulated
from trex.compare.plan_diff import PlanDiff
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.export.document import render_document
from trex.jupyter.shown_comparison import ShownComparison, graphs_document
from trex.views.compare.document import comparison_document
from trex.views.document import Document


@pytest.fixture(scope="module")
def document() -> Document:
    return comparison_document(PlanDiff(load_simulated("resnet18-int8"), load_simulated("resnet18-int8-residual")))


def test_the_cell_holds_the_graphs_and_no_charts(document: Document):
    tags = Tags(ShownComparison(document, 700)._repr_html_())
    page = tags.frame["srcdoc"]
    assert page == render_document(graphs_document(document), "html").decode("utf-8") and len(page) < 600_000
    assert 'id="graphs"' in page and document.section("verdict").statements[0] in unescape(page)
    assert "plotly.js and its license" not in page and "unsafe-eval" not in page and "<nav" not in page
    assert tags.frame["sandbox"] == "allow-scripts allow-downloads"
    assert tags.tags == ["div", "p", "iframe"]


def test_the_cell_says_what_makes_the_verdict_doubtful(document: Document):
    notes = [Note(severity, "what it is", severity=severity) for severity in ("info", "warning", "problem")]
    layers = replace(document.section("layers"), notes=(notes[0], notes[1]))
    sections = tuple(layers if part.name == "layers" else part for part in document.sections)
    shown = graphs_document(replace(document, sections=sections, notes=(notes[2], notes[1])))
    assert [note.code for note in shown.sections[0].notes] == ["problem", "warning"]


def test_hostile_names_stay_in_the_frame():
    plan = chain(HOSTILE)
    tags = Tags(ShownComparison(comparison_document(PlanDiff(plan, plan)))._repr_html_())
    assert tags.tags == ["div", "p", "iframe"] and set(tags.frame) == {"title", "sandbox", "allow", "style", "srcdoc"}


def test_it_is_saved_by_the_ending(document: Document, tmp_path):
    shown = ShownComparison(document)
    assert shown.save(tmp_path / "x.md") == str(tmp_path / "x.md")
    assert (tmp_path / "x.md").read_text("utf-8").startswith("# resnet18")
    with pytest.raises(TrexError, match="no format of trex compare"):
        shown.save(tmp_path / "x.doc")
    assert "resnet18-int8 → resnet18-int8-residual" in repr(shown)


@pytest.mark.parametrize("height", [0, -5, 2.5, True, "tall"])
def test_an_invalid_height(document: Document, height):
    with pytest.raises(TrexError, match="not a usable height"):
        ShownComparison(document, height)
