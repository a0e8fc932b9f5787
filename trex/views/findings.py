"""Findings → what readers show of them: which ones, their savings in words, and their details."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from trex.core.counted import counted
from trex.core.printable import clipped
from trex.rules.finding import Evidence, Severity
from trex.views.document import Findings
from trex.views.table import UNKNOWN_TEXT, Table, TableColumn, byte_size, milliseconds

if TYPE_CHECKING:
    from trex.rules.lint_result import RankedFinding

SMALL_PCT = 1.0
"""Findings that likely save less than this share of the engine's time are minor, and only counted."""
_LONGEST_NAME = 60
_THEN = "then "
_COLUMNS = (
    TableColumn("code"),
    TableColumn("severity"),
    TableColumn("likely savings", "ms", "ms", if_known=True, meaning="confidence × the most that fixing it saves"),
    TableColumn("at most", "ms", "ms", if_known=True, meaning="time that earlier findings do not count already"),
    TableColumn("finding", readable=40),
    TableColumn("fix"),
    TableColumn("layers", "name"),
)


Detail: TypeAlias = tuple[str, str]
"""A label and its text."""


def shown_findings(block: Findings) -> tuple[Sequence[RankedFinding], Sequence[RankedFinding]]:
    """(findings to show in full, the others): similar ones folded and minor ones counted, unless all are asked for."""
    if block.shows_all:
        return block.findings, ()
    major, minor = folded_findings(block.findings)
    return major[: block.full], (*major[block.full :], *minor)


def folded_findings(
    findings: Sequence[RankedFinding],
) -> tuple[tuple[RankedFinding, ...], tuple[RankedFinding, ...]]:
    """(major, minor) findings, similar ones folded, in the order given: every view shows the first and counts both."""
    from trex.rules.similar import fold_similar  # imports numpy, which documents without findings do not need

    folded = fold_similar(findings)
    major = tuple(finding for finding in folded if not is_minor(finding))
    return major, tuple(finding for finding in folded if is_minor(finding))


def is_minor(finding: RankedFinding) -> bool:
    """A note without savings, or likely savings that are known and not worth a look."""
    if finding.severity is Severity.NOTE and not (finding.savings_ms or 0.0) > 0:
        return True
    if finding.is_first or finding.share_pct is None or finding.savings_ms is None:
        return False
    likely = (finding.likely_savings_ms or 0.0) / finding.savings_ms if finding.savings_ms > 0 else 0.0
    return finding.share_pct * likely < SMALL_PCT


def shown_details(findings: Iterable[RankedFinding], explain: bool) -> Iterator[tuple[RankedFinding, list[Detail]]]:
    """Each finding with its details, without texts that an earlier finding of the same rule has."""
    shown: set[tuple[str, str]] = set()
    for finding in findings:
        details = [(label, text) for label, text in details_of(finding, explain) if (finding.rule, text) not in shown]
        shown.update((finding.rule, text) for _, text in details)
        yield finding, details


def others_text(block: Findings, others: Sequence[RankedFinding]) -> str:
    """``2 more findings, 8 minor``; empty when all are shown. Those of --limit are not folded."""
    minor = sum(map(is_minor, others))
    rest = len(others) - minor
    words = [f"{counted(rest, 'more finding')}"] if rest else []
    words += [f"{minor:,} minor"] if minor else []
    words += [f"{block.left_out:,} left out by --limit"] if block.left_out else []
    return ", ".join(words)


def findings_table(findings: Sequence[RankedFinding], title: str = "") -> Table:
    """One row per finding."""
    rows = tuple(
        (
            finding.code,
            finding.severity.word,
            finding.likely_savings_ms,
            finding.savings_ms,
            " ".join(filter(None, (finding.message, similar_text(finding)))),
            finding.fix[0] if finding.fix else "",
            few([clipped(name, _LONGEST_NAME) for name in finding.layer_names], 1),
        )
        for finding in findings
    )
    return Table(title, _COLUMNS, rows, "findings")


def savings_text(finding: RankedFinding) -> str:
    """``save ~0.23 ms (≤ 0.29)``; empty when savings are unknown."""
    if finding.savings_ms is None or finding.savings_alone_ms is None:
        return ""
    if not finding.savings_ms > 0:
        return f"≤ {short_ms(finding.savings_alone_ms)} ms, counted above" if finding.savings_alone_ms > 0 else ""
    likely = finding.likely_savings_ms
    if likely is None or likely >= finding.savings_ms * 0.995:
        return f"save ≤ {short_ms(finding.savings_ms)} ms"
    return f"save ~{short_ms(likely)} ms (≤ {short_ms(finding.savings_ms)})"


def details_of(finding: RankedFinding, explain: bool) -> Iterator[Detail]:
    """(label, text): similar findings, fix, check; when explained also why, layers, evidence and sources."""
    if finding.similar:
        yield "Also", similar_text(finding)
    if explain and finding.why:
        yield "Why", finding.why
    for number, fix in enumerate(finding.fix):
        if number and fix.startswith(_THEN):
            yield "Then", fix.removeprefix(_THEN)
        else:
            yield ("Or" if number else "Fix"), fix
    if finding.how_to_check:
        yield "Check", finding.how_to_check
    if not explain:
        return
    details = (
        ("Layers", ", ".join(finding.layer_names)),
        ("Tensor", ", ".join(finding.tensors)),
        ("Data", "; ".join(map(evidence_text, finding.evidence))),
        ("Saves", finding.formula),
        ("Unless", finding.does_not_apply),
        ("Sure", f"{finding.confidence:.0%}" if finding.confidence < 0.995 else ""),
        ("Read", "; ".join(finding.documentation)),
    )
    yield from ((label, text) for label, text in details if text)


def similar_text(finding: RankedFinding, most: int = 3) -> str:
    """``37 similar: a, b and 35 more``; empty for a single finding."""
    if not finding.similar:
        return ""
    names = [clipped(item.layer_names[0], _LONGEST_NAME) for item in finding.similar if item.layer_names]
    return f"{len(finding.similar):,} similar" + (f": {few(names, most)}" if names else "")


def evidence_text(evidence: Evidence) -> str:
    """``what: value unit``."""
    return f"{evidence.what}: {value_text(evidence.value, evidence.unit)}"


def value_text(value: Any, unit: str = "") -> str:
    """A value with its unit; an unknown one is a dash."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return UNKNOWN_TEXT
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"{value} {unit}".rstrip()
    if unit == "bytes":
        return byte_size(value)
    if unit == "ms":
        return f"{milliseconds(value)} ms"
    text = f"{value:,}" if isinstance(value, int) else f"{value:.1f}" if unit in ("%", "pct") else f"{value:,.4g}"
    return f"{text} {'%' if unit == 'pct' else unit}".rstrip()


def few(names: Iterable[str], most: int = 3) -> str:
    """The first names, and how many more there are."""
    listed = list(names)
    more = f" and {len(listed) - most:,} more" if len(listed) > most else ""
    return ", ".join(listed[:most]) + more


def short_ms(value: float) -> str:
    """Two digits after the point, more for less than 0.1 ms."""
    return f"{value:.2f}" if value >= 0.1 else f"{value:.2g}"
