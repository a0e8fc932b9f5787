"""The sections of performance: their order, the chosen ones, and one that fails among others."""

from __future__ import annotations

import pytest
from trex.views.performance.section import SECTIONS, Content, Detail, Section, sections_of

from tests.factories import engine, layer
from trex.core.errors import TrexError
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.views.performance import section as module

PERFORMANCE = Performance(EnginePlan(engine(layer("a"))))


class Plug:
    def __init__(self, name, order, make):
        self.name, self.value = name, Section(name.title(), order, make)


class Plugs(dict):
    def chosen(self, name):
        return self[name]


def failing(performance, detail):
    raise TrexError("the numbers do not add up", "look again", "x.json")


@pytest.fixture
def plugs(monkeypatch):
    found = Plugs(
        (name, Plug(name, order, make))
        for name, order, make in (
            ("late", 20, lambda performance, detail: Content((f"top {detail.top}",))),
            ("bad", 15, failing),
            ("early", 10, lambda performance, detail: Content(("first",))),
            ("silent", 5, lambda performance, detail: None),
        )
    )
    monkeypatch.setattr(module, "SECTIONS", found)
    return found


def test_in_their_order_without_the_silent(plugs):
    found = sections_of(PERFORMANCE, Detail(top=3))
    assert [name for name, _, _ in found] == ["early", "bad", "late"]
    assert found[-1][2].statements == ("top 3",)


def test_one_that_cannot_be_told_is_a_note_and_the_others_go_on(plugs):
    (note,) = sections_of(PERFORMANCE, Detail())[1][2].notes
    assert (note.code, note.hint, note.where) == ("no-performance-part", "look again", "x.json")
    assert "the numbers do not add up" in note.message


def test_only_those_that_are_named(plugs):
    assert [name for name, _, _ in sections_of(PERFORMANCE, Detail(), ["late"])] == ["late"]


def test_every_section_can_be_imported_and_has_a_place_of_its_own():
    assert not SECTIONS.broken
    orders = [plug.value.order for plug in SECTIONS.values()]
    assert len(set(orders)) == len(orders)
    with pytest.raises(TrexError, match="no section called"):
        sections_of(PERFORMANCE, Detail(), ["weather"])
