"""The judged table is whole: every finding shown has a verdict, and hardly any verdict is of a finding that is gone."""

from __future__ import annotations

import csv
from dataclasses import fields, replace

import pytest

from tests.judged.engines import lint_of
from tests.judged.judgments import (
    NOTHING,
    TRIVIAL,
    USEFUL,
    VERDICTS,
    WRONG,
    Figures,
    Judgment,
    Key,
    engines,
    figures,
    is_first_right,
    judgments,
    problems,
    rows_of,
    stale,
    verdict_of,
)
from trex.rules.finding import Severity
from trex.rules.rule import RULES

CODES = {plug.value.code for plug in RULES.values()}
MOST_STALE_PCT = 5.0


def test_the_tables_are_well_formed() -> None:
    rows = rows_of("findings.csv")
    assert {row["verdict"] for row in rows} <= set(VERDICTS) and all(row["why"] for row in rows)
    assert len(judgments()) == len(rows)
    assert {row["engine"] for row in (*rows, *rows_of("problems.csv"))} <= set(engines())
    assert len({(problem.engine, problem.name) for problem in problems()}) == len(problems())


def test_problems_and_first_findings_name_rules_that_exist() -> None:
    assert {code for problem in problems() for code in problem.codes} <= CODES
    assert {code for codes in engines().values() for code in codes} <= CODES | {NOTHING}


@pytest.mark.slow
def test_every_finding_shown_is_judged(shared_engines: object) -> None:
    shown = figures()
    assert shown.unjudged == (), "python -m tests.judged prints rows for them"


@pytest.mark.slow
def test_hardly_any_verdict_is_stale(shared_engines: object) -> None:
    assert 100 * len(stale()) / len(judgments()) <= MOST_STALE_PCT, "python -m tests.judged --stale lists them"


def test_a_finding_keeps_its_verdict_when_another_layer_comes_first() -> None:
    old, new = Key("engine", "REF005", "a"), Key("engine", "REF005", "b")
    table = {old: Judgment(USEFUL, "so")}
    assert verdict_of(old, [old], table) == verdict_of(new, [new], table) == USEFUL
    assert verdict_of(new, [new, old], table) is None
    assert verdict_of(new, [new], table | {Key("engine", "REF005", "c"): Judgment(WRONG, "so")}) is None


def test_nothing_worth_doing_is_right_when_no_warning_is_shown() -> None:
    result = lint_of("example/resnet18-int8")
    assert result is not None
    warning = result.findings[0]
    note = replace(warning, severity=Severity.NOTE)
    assert is_first_right([warning], frozenset({warning.code}))
    assert is_first_right([note], frozenset({NOTHING})) and is_first_right([], frozenset({NOTHING}))
    assert not is_first_right([warning], frozenset({NOTHING})) and not is_first_right([], frozenset())


def test_shares_are_of_judged_findings() -> None:
    keys = [Key("engine", "REF005", name) for name in "abcde"]
    verdicts = dict(zip(keys, (USEFUL, USEFUL, TRIVIAL, WRONG, None), strict=True))
    shown = Figures(verdicts, 4, (), {"engine": (True, "REF005"), "other": (False, NOTHING)})
    assert [shown.share_pct(verdict) for verdict in VERDICTS] == [50.0, 25.0, 25.0]
    assert shown.unjudged == (keys[-1],) and shown.recall_pct == 100.0 and shown.first_pct == 50.0
    assert {field.name for field in fields(Figures)} == {"verdicts", "problems", "missed", "firsts"}


def test_the_tables_are_written_as_csv_writes_them() -> None:
    import io

    from tests.judged.judgments import FOLDER

    for name in ("engines.csv", "problems.csv", "findings.csv"):
        text = (FOLDER / name).read_text(encoding="utf-8")
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows(csv.reader(io.StringIO(text)))
        assert out.getvalue() == text
