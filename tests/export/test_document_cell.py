"""What a notebook's cell shows of a document: the answer, bars, details to open; nothing as markup, no script."""

from __future__ import annotations

import re
from html import unescape
from xml.etree import ElementTree

import pytest

from tests.simulated_examples import load_simulated
from trex.compare.plan_diff import PlanDiff
from trex.core.note import Note
from trex.export.document_cell import document_cell
from trex.plan.engine_plan import EnginePlan
from trex.views.compare.document import comparison_document
from trex.views.document import Document, Fact, Facts, Section, TableBlock, Text
from trex.views.summary import summary_document
from trex.views.table import Table, TableColumn


@pytest.fixture(scope="module")
def plans() -> tuple[EnginePlan, EnginePlan]:
    return load_simulated("resnet18-int8"), load_simulated("resnet18-int8-residual")


def test_the_summary_of_a_plan(plans):
    text = document_cell(summary_document(plans[0]))
    plain = unescape(text)
    assert plain.index("GPU compute ") < plain.index("Where time goes") < plain.index("<details>")
    assert "Sum of layer times" in plain and plans[0].provenance.statement in plain


def test_the_verdict_and_causes_as_bars(plans):
    comparison = PlanDiff(*plans)
    plain = unescape(document_cell(comparison_document(comparison)))
    assert (
        plain.index(comparison.verdict) < plain.index('class="less"') < plain.index("<summary><b>Largest changes</b>")
    )
    lengths = [float(width) for width in re.findall(r"width:([\d.]+)%", plain)]
    assert max(lengths) == 100.0 and len(lengths) >= len(comparison.waterfall.steps) - 1


def test_sections_notes_and_escapes():
    evil = "</div><script>alert(1)</script>\x1b[31m"
    table = Table(evil, (TableColumn(evil), TableColumn("share", "bar")), ((evil, 1.0),))
    sections = (
        Section("first", "First", (Text((evil,)), Facts((Fact(evil, f"{evil}\nmore"),)))),
        Section("second", "Second", (Text(("Folded.", evil)),)),
        Section("third", "Third", (table, TableBlock("all", "All", lambda: table))),
        Section("nothing", "Nothing", (TableBlock("all", "All", lambda: table),)),
    )
    text = document_cell(Document(evil, evil, evil, sections, (Note("n", evil, evil),), subtitle=evil))
    root = ElementTree.fromstring(text.replace("<br>", "<br/>"))
    tags = {element.tag for element in root.iter()}
    assert not tags & {"script", "img"} and "Nothing" not in text
    assert [element.text for element in root.iter("h4")] == ["Third"], "a section with bars is open"
    assert [re.sub(r"\s+", " ", "".join(each.itertext())) for each in root.iter("summary")] == [
        "Second: Folded.",
        "1 note",
    ]
