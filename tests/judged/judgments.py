"""The judged table and the list of true problems → how right lint is.

A finding's key is engine, code and first layer, so that a change of wording or numbers leaves its verdict. Verdicts:
``useful`` (an engineer with this engine would act on it, or learns the main fact), ``trivial`` (true and not worth a
line: below 2 to 3 % of the time, or without consequence), ``wrong`` (false, or misleading). Wrong and trivial rows of
findings that are gone stay as guards: whoever brings such a finding back sees its verdict in the figures at once.

A diagnosis is judged by engine and state, so that several states of one engine may have a verdict. What its text says
counts as shown: problems and first findings may name a state, or one of the ``DOUBTS``, next to codes.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from tests.judged.engines import lint_of
from trex.cli.commands.lint import LintOptions
from trex.rules.finding import Severity
from trex.rules.lint_result import Diagnosis, LintResult, RankedFinding
from trex.views.document import Findings
from trex.views.findings import shown_findings
from trex.views.lint import lint_document

FOLDER = Path(__file__).parent
USEFUL, TRIVIAL, WRONG = VERDICTS = ("useful", "trivial", "wrong")
RIGHT = "right"
DOUBTS = {"tail": "the tail is not", "disturbed": "was disturbed", "unsteady": "was unsteady", "slowed": "was slowed"}
"""What a diagnosis says of a measurement → the words that say so."""
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
    that neither a finding nor the diagnosis shows. firsts: engine → (whether what comes first is right, the state and
    the first code). diagnoses: (engine, state) → verdict, None if unjudged.
    """

    verdicts: Mapping[Key, str | None]
    problems: int
    missed: tuple[Problem, ...]
    firsts: Mapping[str, tuple[bool, str]]
    diagnoses: Mapping[tuple[str, str], str | None] = field(default_factory=dict)

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
    def diagnosis_pct(self) -> float:
        """Of the judged diagnoses."""
        judged = [verdict for verdict in self.diagnoses.values() if verdict]
        return 100.0 * judged.count(RIGHT) / len(judged) if judged else 0.0

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


def diagnosis_judgments() -> dict[tuple[str, str], Judgment]:
    """(engine, state) → verdict."""
    return {(row["engine"], row["state"]): Judgment(row["verdict"], row["why"]) for row in rows_of("diagnoses.csv")}


def key_of(engine: str, finding: RankedFinding) -> Key:
    first = finding.layer_names[0] if finding.layer_names else ""
    return Key(engine, finding.code, first[:_LONGEST_LAYER].rstrip())


def shown(result: LintResult) -> Iterator[RankedFinding]:
    """What ``trex lint`` prints in full without options."""
    for section in lint_document(result, LintOptions.top).sections:
        for block in section.blocks:
            if isinstance(block, Findings):
                yield from shown_findings(block)[0]


def said(diagnosis: Diagnosis | None) -> frozenset[str]:
    """The state and the doubts that the diagnosis names."""
    if diagnosis is None:
        return frozenset()
    return frozenset((diagnosis.state, *(doubt for doubt, words in DOUBTS.items() if words in diagnosis.text)))


def figures(names: Iterable[str] = ()) -> Figures:
    """Of these engines, by default of all that are here."""
    table, states, true_problems = judgments(), diagnosis_judgments(), problems()
    verdicts: dict[Key, str | None] = {}
    diagnoses: dict[tuple[str, str], str | None] = {}
    firsts, missed, count = {}, [], 0
    for engine, codes in engines().items():
        result = lint_of(engine) if not names or engine in names else None
        if result is None:
            continue
        findings = list(shown(result))
        keys = [key_of(engine, finding) for finding in findings]
        verdicts |= {key: verdict_of(key, keys, table) for key in keys}
        diagnosis = result.diagnosis
        state = "" if diagnosis is None else diagnosis.state
        is_wrong = False
        if state:
            judgment = states.get((engine, state))
            diagnoses[engine, state] = None if judgment is None else judgment.verdict
            is_wrong = judgment is not None and judgment.verdict == WRONG
        right = [finding for key, finding in zip(keys, findings, strict=True) if verdicts[key] != WRONG]
        is_misled = is_wrong or findings[:1] != right[:1]
        words = ": ".join(filter(None, (state, findings[0].code if findings else NOTHING)))
        firsts[engine] = not is_misled and is_first_right(findings, codes, diagnosis), words
        seen = {finding.code for finding in right} | (frozenset() if is_wrong else said(diagnosis))
        here = [problem for problem in true_problems if problem.engine == engine]
        missed += [problem for problem in here if not problem.codes & seen]
        count += len(here)
    return Figures(verdicts, count, tuple(missed), firsts, diagnoses)


def verdict_of(key: Key, keys: Collection[Key], table: Mapping[Key, Judgment]) -> str | None:
    """The finding's own verdict, or the one that all judged findings of its rule in the engine have, if no more of them
    are shown: another layer may come first.
    """
    if key in table:
        return table[key].verdict
    judged = [judgment.verdict for other, judgment in table.items() if other[:2] == key[:2]]
    is_known = len(set(judged)) == 1 and sum(other[:2] == key[:2] for other in keys) <= len(judged)
    return judged[0] if is_known else None


def is_first_right(
    findings: Sequence[RankedFinding], codes: frozenset[str], diagnosis: Diagnosis | None = None
) -> bool:
    """Whether the diagnosis or the first finding says one of the engine's, or nothing is to be done, the diagnosis says
    so and no warning is shown.
    """
    if codes & said(diagnosis) or (findings and findings[0].code in codes):
        return True
    is_healthy = diagnosis is None or diagnosis.is_healthy
    return NOTHING in codes and is_healthy and not any(finding.severity > Severity.NOTE for finding in findings)


def stale() -> tuple[Key, ...]:
    """Useful findings that engines here no longer have, of rules that find nothing else there: the others are guards,
    and so are those that show a problem which is missed without them.
    """
    table = judgments()
    here = {engine: result for engine in engines() if (result := lint_of(engine)) is not None}
    found = {(engine, finding.code) for engine, result in here.items() for finding in result.findings}
    found |= {(problem.engine, code) for problem in problems() for code in problem.codes}
    keys = [key for key, judgment in table.items() if key.engine in here and judgment.verdict == USEFUL]
    return tuple(key for key in keys if key[:2] not in found)
