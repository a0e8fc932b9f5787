"""A summary in a notebook's cell: well-formed, whole, and nothing in it is markup."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from trex.export.summary_html import summary_html

from tests.factories import engine, layer, t
from trex.core.note import Note
from trex.engine_plan import load_example
from trex.plan.engine_plan import EnginePlan
from trex.views.summary import summarize


def test_the_facts_are_a_table():
    summary = summarize(load_example("resnet18-int8"))
    root = ElementTree.fromstring(summary_html(summary))
    rows = ["".join(cell.itertext()) for cell in root.iter() if cell.tag in ("th", "td")]
    assert dict(zip(rows[::2], rows[1::2])) == {fact.label: fact.text for fact in summary.facts}
    assert root.findtext("strong") == "resnet18-int8"
    assert root.findtext("em") == summary.statement


def test_several_bindings_are_several_lines():
    plan = EnginePlan(engine(layer("a", inputs=[t("x"), t("y")]), inputs=["x", "y"], outputs=["y"]))
    text = summary_html(summarize(plan))
    assert len(list(ElementTree.fromstring(text).iter("br"))) >= 1


def test_caveats_are_below():
    plan = EnginePlan(
        engine(layer("a"), inputs=["x"], outputs=["y"]), notes=(Note("odd", "it <is> odd", "look & see"),)
    )
    text = summary_html(summarize(plan))
    root = ElementTree.fromstring(text)
    assert root.findtext("details/summary") == "Caveats: 1"
    assert "it <is> odd" in "".join(root.itertext()) and "look & see" in "".join(root.itertext())
    assert "details" not in summary_html(summarize(EnginePlan(engine(layer("a"), inputs=["x"], outputs=["y"]))))


@pytest.mark.parametrize("name", ["<script>x</script>", "a&b\"'<>", "a\x1eb\nc", "\u202eabc", "\ud800", ""])
def test_names_are_never_markup(name):
    plan = EnginePlan(engine(layer(name, name, [t(name)], [t("y")]), inputs=[name], outputs=["y"], name=name))
    root = ElementTree.fromstring(summary_html(summarize(plan)))
    tags = {"div", "strong", "em", "table", "tbody", "tr", "th", "td", "br", "details", "summary", "ul", "li"}
    assert {element.tag for element in root.iter()} <= tags


def test_a_plan_shows_itself_so():
    plan = load_example("resnet18-fp16")
    assert plan._repr_html_() == summary_html(summarize(plan))
