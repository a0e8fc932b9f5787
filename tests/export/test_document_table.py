"""Which table of a document a format of rows and columns writes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.provenance import COLUMN, Provenance
from trex.export.document_table import PROBLEMS, chosen_table, document_frame
from trex.export.documents.csv import safe_cell
from trex.rules.finding import Severity
from trex.rules.lint_result import RankedFinding
from trex.views.document import Document, Findings, Section, TableBlock
from trex.views.table import Table, TableColumn


def table(name: str) -> Table:
    columns = (TableColumn("name"), TableColumn("time", "ms", "ms"), TableColumn("share", "bar"))
    return Table(name, columns, ((name, 0.5, 0.5), (None, None, None)))


def finding(code: str) -> RankedFinding:
    return RankedFinding(
        "message", (1,), code=code, rule="rule", title="title", severity=Severity.NOTE, savings_ms=0.25,
        savings_alone_ms=0.25, likely_savings_ms=None, share_pct=None, layer_names=("a",),
    )  # fmt: skip


ONE, TWO = table("One"), table("Two")
BROWSED = TableBlock("all-layers", "All", lambda: table("All"))
FINDINGS = Findings((finding("QDQ001"), finding("QDQ002")))


def document(*blocks: Any, statement: str = "") -> Document:
    return Document("x", "title", statement, (Section("s", "S", blocks),))


@pytest.mark.parametrize(
    ("blocks", "title"),
    [([ONE, FINDINGS, BROWSED], "All"), ([ONE, FINDINGS], ""), ([ONE], "One"), ([BROWSED, ONE], "All")],
)
def test_without_a_key(blocks, title):
    assert chosen_table(document(*blocks), ()).title == title


@pytest.mark.parametrize(
    "key", ["two", "s.two", "sections.s.tables.two", "sections.*.tables.two", "all_layers", "findings"]
)
def test_by_its_key(key):
    rows = chosen_table(document(ONE, TWO, BROWSED, FINDINGS), (key,)).rows
    assert rows[0][0] == {"two": "Two", "all_layers": "All", "findings": "QDQ001"}[key.rpartition(".")[2]]


def test_a_path_names_the_table_of_its_section():
    second = Section("t", "T", (table("Other"), replace(table("Only"), key="one"), replace(table("More"), key="one")))
    both = replace(document(ONE, FINDINGS), sections=(*document(ONE, FINDINGS).sections, second))
    assert chosen_table(both, ("sections.t.tables.one",)).title == chosen_table(both, ("t.one",)).title == "Only"
    assert chosen_table(both, ("sections.t.tables.one_2",)).title == "More"
    assert chosen_table(both, ("sections.s.findings",)).rows == chosen_table(both, ("findings",)).rows
    for path in ("sections.s.tables.other", "u.one", "sections.t.findings"):
        with pytest.raises(TrexError, match="there is no table"):
            chosen_table(both, (path,))
    with pytest.raises(TrexError, match="several tables are called 'one'") as caught:
        chosen_table(both, ("one",))
    assert caught.value.hint == "--fields PATH, one of sections.s.tables.one, sections.t.tables.one"
    with pytest.raises(TrexError, match="several tables") as caught:
        chosen_table(replace(both, sections=(second, *document(ONE).sections)), ())
    assert caught.value.hint.endswith("one of other, sections.t.tables.one, one_2, sections.s.tables.one")


def test_where_it_cannot_choose_the_keys_are_listed():
    with pytest.raises(TrexError, match="several tables") as caught:
        chosen_table(document(ONE, TWO), ())
    assert caught.value.hint == "--fields KEY, one of one, two"
    with pytest.raises(TrexError, match="no table 'tow'") as caught:
        chosen_table(document(ONE, TWO), ("tow",))
    assert "did you mean two" in caught.value.hint
    with pytest.raises(TrexError, match="not several"):
        chosen_table(document(ONE, TWO), ("one", "two"))
    with pytest.raises(TrexError, match="trex x has no table"):
        chosen_table(document(), ())


def test_programs_get_keys_with_units_and_no_bars():
    frame = document_frame(document(ONE), ())
    assert list(frame.columns) == ["name", "time_ms"] and frame["time_ms"].dtype == "float64"
    assert COLUMN not in frame and list(document_frame(document(FINDINGS), ())["code"]) == ["QDQ001", "QDQ002"]


def test_predicted_rows_say_so():
    frame = document_frame(document(ONE, statement=f"{Provenance.SIMULATED.statement} (base)"), ())
    assert list(frame[COLUMN]) == ["simulated"] * 2


@pytest.mark.parametrize(("source", "severity"), [(None, "problem"), (object(), "warning"), (object(), "problem")])
def test_rows_of_an_engine_have_the_problems_of_its_files(source, severity):
    own, of_section = (Note("two-runs", text, severity=severity) for text in ("=two runs", "one more"))
    one = document(ONE)
    sections = (replace(one.sections[0], notes=(of_section, own)),)
    frame = document_frame(replace(one, sections=sections, notes=(own,), source=source), (), safe_cell)
    is_said = source is not None and severity == "problem"
    assert list(frame.get(PROBLEMS, ())) == (["'=two runs; one more"] * 2 if is_said else [])
