"""The judged table and the list of true problems → how right lint is.

A finding's key is engine, code and first layer, so that a change of wording or numbers leaves its verdict. Verdicts:
``useful`` (an engineer with this engine would act on it, or learns the main fact), ``trivial`` (true and not worth a
line: below 2 to 3 % of the time, or without consequence), ``wrong`` (false, or misleading).
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tests.judged.engines import lint_of
from trex.cli.commands.lint import LintOptions
from trex.rules.finding import Severity
from trex.rules.lint_result import LintResult, RankedFinding
from trex.views.document import Findings
from trex.views.findings import shown_findings
from trex.views.lint import lint_document

FOLDER = Path(__file__).parent
USEFUL, TRIVIAL, WRONG = VERDICTS = ("useful", "trivial", "wrong")
NOTHING = "none"
"""Among an engine's first codes: no warning at all is right, too."""
_LONGEST_LAYER = 60


class Key(NamedTuple):
    engine: str
    code: str
    layer: str


@dataclass(frozen=True)
class Judgment:
    verdict: str
    why: str


@dataclass(frozen=True)
class Problem:
    """codes: rules whose finding shows it; none where no rule exists."""

    engine: str
    name: str
    what: str
    codes: frozenset[str]


@dataclass(frozen=True)
class Figures:
    """Over the findings shown of the engines that are here. verdicts: key → verdict, None if unjudged. missed: problems
    that no finding shows. firsts: engine → (whether the first finding is right, its code).
    """

    verdicts: Mapping[Key, str | None]
    problems: int
    missed: tuple[Problem, ...]
    firsts: Mapping[str, tuple[bool, str]]

    def share_pct(self, verdict: str) -> float:
        """Of the judged findings."""
        judged = [value for value in self.verdicts.values() if value]
        return 100.0 * judged.count(verdict) / len(judged) if judged else 0.0

    @property
    def recall_pct(self) -> float:
        return 100.0 * (1 - len(self.missed) / self.problems) if self.problems else 0.0

    @property
    def first_pct(self) -> float:
        return 100.0 * sum(right for right, _ in self.firsts.values()) / len(self.firsts) if self.firsts else 0.0

    @property
    def unjudged(self) -> tuple[Key, ...]:
        return tuple(key for key, verdict in self.verdicts.items() if verdict is None)


def rows_of(file: str) -> list[dict[str, str]]:
    with (FOLDER / file).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def engines() -> dict[str, frozenset[str]]:
    """Engine → the codes of which one has to be first; none where no rule exists for its main fact."""
    return {row["engine"]: frozenset(row["first"].split()) for row in rows_of("engines.csv")}


def problems() -> tuple[Problem, ...]:
    return tuple(
        Problem(row["engine"], row["problem"], row["what"], frozenset(row["codes"].split()))
        for row in rows_of("problems.csv")
    )


def judgments() -> dict[Key, Judgment]:
    return {
        Key(row["engine"], row["code"], row["layer"]): Judgment(row["verdict"], row["why"])
        for row in rows_of("findings.csv")
    }


def key_of(engine: str, finding: RankedFinding) -> Key:
    first = finding.layer_names[0] if finding.layer_names else ""
    return Key(engine, finding.code, first[:_LONGEST_LAYER].rstrip())


def shown(result: LintResult) -> Iterator[RankedFinding]:
    """What ``trex lint`` prints in full without options."""
    for section in lint_document(result, LintOptions.top).sections:
        for block in section.blocks:
            if isinstance(block, Findings):
                yield from shown_findings(block)[0]


def figures(names: Iterable[str] = ()) -> Figures:
    """Of these engines, by default of all that are here."""
    table = judgments()
    verdicts: dict[Key, str | None] = {}
    firsts, missed, count = {}, [], 0
    for engine, codes in engines().items():
        result = lint_of(engine) if not names or engine in names else None
        if result is None:
            continue
        findings = list(shown(result))
        keys = [key_of(engine, finding) for finding in findings]
        verdicts |= {key: verdict_of(key, keys, table) for key in keys}
        firsts[engine] = is_first_right(findings, codes), findings[0].code if findings else NOTHING
        seen = {key.code for key in keys if verdicts[key] != WRONG}
        here = [problem for problem in problems() if problem.engine == engine]
        missed += [problem for problem in here if not problem.codes & seen]
        count += len(here)
    return Figures(verdicts, count, tuple(missed), firsts)


def verdict_of(key: Key, keys: Collection[Key], table: Mapping[Key, Judgment]) -> str | None:
    """The finding's own verdict, or that of the only one of its rule in the engine: another layer may come first."""
    if key in table:
        return table[key].verdict
    judged = [other for other in table if other[:2] == key[:2]]
    is_only = len(judged) == 1 and sum(other[:2] == key[:2] for other in keys) == 1
    return table[judged[0]].verdict if is_only else None


def is_first_right(findings: Sequence[RankedFinding], codes: frozenset[str]) -> bool:
    """Whether the first finding is one of the engine's, or nothing is to be done and no warning is shown."""
    if findings and findings[0].code in codes:
        return True
    return NOTHING in codes and not any(finding.severity > Severity.NOTE for finding in findings)


def stale() -> tuple[Key, ...]:
    """Verdicts of findings that engines here no longer have. Wrong ones stay: they are not to come back."""
    table = judgments()
    here = {engine: result for engine in engines() if (result := lint_of(engine)) is not None}
    found = {key_of(engine, finding) for engine, result in here.items() for finding in result.findings}
    keys = [key for key, judgment in table.items() if key.engine in here and judgment.verdict != WRONG]
    return tuple(key for key in keys if key not in found and not any(key[:2] == other[:2] for other in found))
