"""Documents: sections in their order, one that fails among others, notes seen from a folder, headlines."""

from __future__ import annotations

from typing import Any

import pytest

from tests.compare.profiled import made
from tests.simulated_examples import load_simulated
from trex.compare.plan_diff import PlanDiff
from trex.compare.series import EngineSeries
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.perf.performance import Performance
from trex.views.compare.document import SECTIONS as COMPARISON_SECTIONS
from trex.views.compare.document import SERIES_SECTIONS
from trex.views.document import (
    Detail,
    Document,
    Fact,
    Facts,
    Section,
    SectionPlug,
    TableBlock,
    Text,
    headlines,
    limited,
    section,
    sections_of,
)
from trex.views.perf.document import SECTIONS
from trex.views.table import Table, TableColumn

TABLE = Table("Times", (TableColumn("#", "count"), TableColumn("time", "ms", "ms")), ((1, 0.5), (2, None)))


class Plug:
    def __init__(self, name: str, order: int, make: Any) -> None:
        self.name, self.value = name, SectionPlug(name.title(), order, make)


class Plugs(dict):
    def chosen(self, name: str) -> Plug:
        return self[name]


def failing(subject: object, detail: Detail) -> Section:
    raise TrexError("the numbers do not add up", "look again", "x.json")


@pytest.fixture
def plugs() -> Any:
    makers = {
        "late": (20, lambda subject, detail: section(statements=(f"top {detail.top} of {subject}",))),
        "bad": (15, failing),
        "early": (10, lambda subject, detail: section(statements=("first",))),
        "silent": (5, lambda subject, detail: None),
    }
    return Plugs((name, Plug(name, order, make)) for name, (order, make) in makers.items())


def test_sections_are_in_their_order_without_the_silent(plugs: Any) -> None:
    sections = sections_of(plugs, "it", Detail(top=3))
    assert [(part.name, part.title) for part in sections] == [("early", "Early"), ("bad", "Bad"), ("late", "Late")]
    assert sections[-1].statements == ("top 3 of it",)
    assert [part.name for part in sections_of(plugs, "it", Detail(), ["late"])] == ["late"]


def test_a_section_that_fails_is_a_note_and_the_others_go_on(plugs: Any) -> None:
    (note,) = sections_of(plugs, "it", Detail())[1].notes
    assert (note.code, note.hint, note.where, note.severity) == ("section-failed", "look again", "x.json", "problem")
    assert note.message == "Bad: not available: the numbers do not add up"


@pytest.mark.parametrize("registry", [SECTIONS, COMPARISON_SECTIONS, SERIES_SECTIONS])
def test_every_section_can_be_imported_and_has_an_order_of_its_own(registry: Any) -> None:
    assert not registry.broken
    orders = [plug.value.order for plug in registry.values()]
    assert len(set(orders)) == len(orders)
    with pytest.raises(TrexError, match="called 'weather'"):
        sections_of(registry, None, Detail(), ["weather"])


def test_rows_that_top_leaves_out_are_counted() -> None:
    plan, new = load_simulated("resnet18-int8"), load_simulated("resnet18-int8-residual")
    batches = EngineSeries(made("resnet18-b1"), [made("resnet18-b8")])
    precisions = EngineSeries(made("resnet18-fp16"), [made("resnet18-int8"), made("resnet18-int8-residual")])
    subjects = ((SECTIONS, Performance(plan)), (COMPARISON_SECTIONS, PlanDiff(plan, new)))
    for registry, subject in (*subjects, (SERIES_SECTIONS, batches), (SERIES_SECTIONS, precisions)):
        few, every = (
            {
                (part.name, table.title): (len(table.rows) + table.left_out, table.left_out)
                for part in sections_of(registry, subject, Detail(top))
                for table in part.tables
            }
            for top in (1, 1_000_000)
        )
        assert {key: rows for key, (rows, _) in few.items()} == {key: rows for key, (rows, _) in every.items()}
        assert any(left_out for _, left_out in few.values()) and not any(left_out for _, left_out in every.values())
    (by_type, _) = sections_of(COMPARISON_SECTIONS, subjects[1][1], Detail(1), ["inventory"])[0].tables
    assert sum(row[1] for row in by_type.rows) == len(plan.working_layers), "a table that adds up is whole"


def test_a_section_gives_its_parts_by_kind() -> None:
    part = section(
        statements=("One.", "Two."), facts=(Fact("Clock", "1.4 GHz"),), tables=(TABLE,), derivations=(("t", "1 + 1"),),
        blocks=(Text(("trex lint",), "command"),),
    )  # fmt: skip
    assert (part.statements, part.tables, part.derivations) == (("One.", "Two."), (TABLE,), (("t", "1 + 1"),))
    assert [fact.label for fact in part.facts] == ["Clock"] and part.plots == ()
    assert section().blocks == ()


def test_notes_are_seen_from_the_engines_folder() -> None:
    note = Note("n", "m", "", "/home/me/out/x.json")
    document = Document("x", "t", sections=(Section(notes=(note,)),), notes=(note,), folder="/home/me/out").seen_from()
    assert document.notes[0].where == document.sections[0].notes[0].where == "x.json"


def test_headlines_are_the_first_sentences() -> None:
    parts = (section(statements=("One.", "Two."), title="First"), section(tables=(TABLE,), title="Second"))
    assert [(fact.label, fact.text) for fact in headlines(parts).facts] == [("First", "One.")]


def test_a_limit_cuts_every_table() -> None:
    blocks = (TABLE, TableBlock("t", "T", lambda: TABLE), Facts((Fact("a", "b"),)))
    first, second, third = limited(Document("x", "t", sections=(Section("s", "S", blocks),)), 1).sections[0].blocks
    assert isinstance(first, Table) and len(first.rows) == 1 and first.left_out == 1
    assert isinstance(second, TableBlock) and second.make() == first and isinstance(third, Facts)
