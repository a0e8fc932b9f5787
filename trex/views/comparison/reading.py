"""Comparison → ComparisonReading: the sections that have something to tell of two engines, as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from trex.compare.comparison import Comparison
from trex.compare.gate import Judged
from trex.views.comparison.section import sections_of
from trex.views.performance.reading import Reading, section_dict
from trex.views.performance.section import Content, Detail
from trex.views.table import Table, TableColumn

SCHEMA = "trex.compare/1"


@dataclass(frozen=True, slots=True)
class ComparisonReading(Reading):
    """A Reading of two engines, which every writer of readings can write. left, right: their names.

    judged: what was asked to fail on. comparisons: each new engine against the base, of which pictures are made.
    """

    left: str = ""
    right: str = ""
    judged: tuple[Judged, ...] = ()
    comparisons: tuple[Comparison, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready data with a versioned schema; units stand in the keys, what is unknown is null."""
        return {
            "schema": SCHEMA,
            "base": self.left,
            "new": self.right,
            "statement": self.statement,
            "headlines": [{"section": title, "statement": statement} for title, statement in self.headlines],
            "gate": [
                {
                    "condition": each.condition.text,
                    "judgement": each.judgement.value,
                    "subject": each.subject,
                    "words": each.words,
                }
                for each in self.judged
            ],
            "sections": {name: section_dict(title, content) for name, title, content in self.sections},
        }


def read_comparison(comparison: Comparison, detail: Detail, judged: Sequence[Judged] = ()) -> ComparisonReading:
    """Every section that has something to tell; what was asked to fail on, first."""
    left, right = comparison.left, comparison.right
    synthetic = [name for name, plan in (("base", left), ("new", right)) if plan.is_synthetic]
    statement = "synthetic example data: made by a script, not measured"
    sections = sections_of(comparison, detail)
    if judged:
        sections.insert(0, ("gate", "Gate", _gate(judged)))
    return ComparisonReading(
        title=f"{left.name} → {right.name}",
        statement="" if not synthetic else statement if len(synthetic) == 2 else f"{statement} ({synthetic[0]})",
        device="",
        sections=tuple(sections),
        left=left.name,
        right=right.name,
        judged=tuple(judged),
        comparisons=(comparison,),
    )


def _gate(judged: Sequence[Judged]) -> Content:
    failed = sum(each.judgement.value == "failed" for each in judged)
    unknown = sum(each.judgement.value == "cannot tell" for each in judged)
    words = f"{failed} failed" if failed else "Nothing failed"
    if unknown:
        words += f", {unknown} cannot be told"
    rows = tuple((each.condition.text, each.judgement.value, each.words) for each in judged)
    columns = (TableColumn("condition"), TableColumn("judgement"), TableColumn("why"))
    return Content(statements=(f"{words}.",), tables=(Table("Conditions", columns, rows),))
