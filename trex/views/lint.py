"""LintResult → Document: what ``trex lint`` shows of one engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from trex.core.counted import counted
from trex.core.note import Note
from trex.rules.finding import Severity, Unchecked
from trex.rules.lint_result import FailedRule, LintResult, RankedFinding
from trex.rules.rule import RULES
from trex.views.document import Document, Findings, Section, Text, folder_of
from trex.views.findings import few, findings_table, folded_findings, short_ms, shown_findings
from trex.views.table import Table, TableColumn

_RULE_FAILED = "rule-failed"
_UNCHECKED = (
    TableColumn("code"),
    TableColumn("can't check because", readable=30),
    TableColumn("layers", "count", if_known=True),
    TableColumn("what helps"),
)


def lint_document(
    result: LintResult,
    top: int = 10,
    *,
    explain: bool = False,
    shows_all: bool = False,
    shows_suppressed: bool = False,
) -> Document:
    """Findings by likely savings; what could not be checked, folded; suppressed findings only when asked for.

    top: findings in full. explain: also why each rule matters and how its savings are computed. shows_all: similar and
    minor findings one by one.
    """
    sections = [lint_section(result, top, explain=explain, shows_all=shows_all)]
    if result.unchecked:
        sections.append(_unchecked(result.unchecked))
    if result.suppressed:
        sections.append(_suppressed(result.suppressed, shows_suppressed))
    return Document(
        command="lint",
        title=result.engine_name,
        subtitle=", ".join(filter(None, (headline(result), result.performance.plan.profile_words))),
        statement=result.statement,
        sections=tuple(sections),
        notes=(*_failed(result), *result.performance.notes),
        folder=folder_of(result.source),
        source=result,
    )


def lint_section(result: LintResult, top: int = 10, *, explain: bool = False, shows_all: bool = False) -> Section:
    """The findings alone, as other documents show them."""
    block = Findings(result.findings, full=top, explain=explain, shows_all=shows_all)
    text = Text(tuple(filter(None, (_untimed(result), _settings(result)))))
    diagnosis = () if result.diagnosis is None else (Text((result.diagnosis.without_fix,)),)
    blocks = (*diagnosis, *((text,) if text.lines else ()), block)
    return Section("findings", "", blocks, result.notes, _data(result))


def diagnosis_text(result: LintResult | None) -> tuple[Text, ...]:
    """The first sentences of a document about an engine; () where there is no diagnosis."""
    return () if result is None or result.diagnosis is None else (Text((result.diagnosis.text,)),)


def top_findings(result: LintResult, count: int = 3) -> Table:
    """The findings with the largest likely savings, one line each, for documents about something else."""
    full, others = shown_findings(Findings(result.findings, full=count))
    rows = tuple((_in_short(finding), finding.code, finding.likely_savings_ms, finding.savings_ms) for finding in full)
    likely, most = f"likely savings in {result.total_kind}", f"savings at most, in {result.total_kind}"
    columns = (
        TableColumn("finding", readable=44, links="finding=code"),
        TableColumn("code"),
        TableColumn("save", "ms", "ms", if_known=True, identifier="likely_savings_ms", meaning=likely),
        TableColumn("at most", "ms", "ms", if_known=True, identifier="savings_ms", meaning=most),
    )
    if not rows and others:
        return Table("Minor findings", columns, rows, "top_findings", len(others), "trex lint --all", is_headed=True)
    return Table("Top findings", columns, rows, "top_findings", len(others), "trex lint", is_headed=True)


def _in_short(finding: RankedFinding) -> str:
    """The message without the details after its colon."""
    similar = f" ({len(finding.similar):,} similar)" if finding.similar else ""
    return finding.message.partition(": ")[0] + similar


def headline(result: LintResult) -> str:
    """``5 findings, likely savings 0.38 of 0.88 ms layer time``."""
    if not result.findings:
        return f"no findings ({counted(len(result.rules), 'rule')})"
    major, minor = folded_findings(result.findings)
    counts = counted(len(major or minor), "finding")
    numbers = Counter(finding.severity for finding in result.findings)
    errors = f" ({counted(numbers[Severity.ERROR], 'error')})" if numbers[Severity.ERROR] else ""
    if not major:
        return f"{counts}{errors}, {'minor' if len(minor) == 1 else 'all minor'}"
    likely = result.likely_savings_ms
    if likely is None or result.total_ms is None or not likely > 0:
        return f"{counts}{errors}"
    return f"{counts}{errors}, likely savings {short_ms(likely)} of {short_ms(result.total_ms)} ms {result.total_kind}"


def _untimed(result: LintResult) -> str:
    if result.total_ms is not None or not result.findings or result.diagnosis is not None:
        return ""
    what = "Predicted times rank" if result.performance.plan.is_for_rtx else "A layer profile ranks"
    return f"Not measured: findings have no savings. {what} them (trex doctor PATH prints the command)."


def _settings(result: LintResult) -> str:
    if not result.settings_file:
        return ""
    settings = result.settings
    off = sum(plug.name not in result.rules and not plug.value.is_experimental for plug in RULES.values())
    changes = [f"{counted(off, 'rule')} ignored"] if off else []
    if settings.limits:
        changes.append(f"limits of {', '.join(sorted(settings.limits))}")
    if settings.suppressions:
        changes.append(counted(len(settings.suppressions), "suppression"))
    return f"Settings: {result.settings_file}" + (f" ({', '.join(changes)})" if changes else "")


def _suppressed(findings: Sequence[RankedFinding], is_shown: bool) -> Section:
    """Suppressed findings with the reasons."""
    table = findings_table(findings)
    rows = tuple((*row[:-2], finding.suppressed, row[-1]) for row, finding in zip(table.rows, findings, strict=True))
    table = replace(
        table, columns=(*table.columns[:-2], TableColumn("reason"), table.columns[-1]), rows=rows, key="suppressed"
    )
    text = Text((f"{counted(len(findings), 'finding')}" + ("" if is_shown else " (--show-suppressed lists them)"),))
    data = {"suppressed": [finding.as_dict() for finding in findings]}
    return Section("suppressed", "Suppressed", (text, table), (), data, is_folded=not is_shown)


def _unchecked(unchecked: Sequence[Unchecked]) -> Section:
    """What no rule could check, the same reasons of one rule together."""
    layers: Counter[tuple[str, str, str]] = Counter()
    for item in unchecked:
        layers[item.code, item.reason, item.hint] += len(item.layers)
    rows = tuple((code, reason, count or None, hint) for (code, reason, hint), count in layers.items())
    reasons = list(dict.fromkeys(reason for _, reason, _ in layers))
    text = Text((f"{counted(len(rows), 'point')} (-v lists them): {few(reasons, 1)}",))
    data: dict[str, Any] = {
        "unchecked": [
            {"code": item.code, "rule": item.rule, "reason": item.reason, "hint": item.hint, "layers": len(item.layers)}
            for item in unchecked
        ]
    }
    return Section("unchecked", "Can't check", (text, Table("", _UNCHECKED, rows, "unchecked")), (), data, True)


def _failed(result: LintResult) -> tuple[Note, ...]:
    return tuple(Note(_RULE_FAILED, failed_text(item), severity="problem") for item in result.failed)


def problems_in(notes: Sequence[Note]) -> list[Note]:
    """Of a document's Notes those on data that was lost or contradicts itself: what was linted is not all there is."""
    return [note for note in dict.fromkeys(notes) if note.severity == "problem" and note.code != _RULE_FAILED]


def failed_text(failed: FailedRule) -> str:
    code = f" ({failed.code})" if failed.code != failed.rule else ""
    return f"the rule {failed.rule}{code} failed: {failed.error}"


def unchecked_text(unchecked: Unchecked) -> str:
    """What a rule can't check, in one line."""
    layers = f" ({counted(len(unchecked.layers), 'layer')})" if unchecked.layers else ""
    hint = f"; {unchecked.hint}" if unchecked.hint else ""
    return f"{unchecked.code}: {unchecked.reason}{layers}{hint}"


def _data(result: LintResult) -> dict[str, Any]:
    return {
        "diagnosis": None if result.diagnosis is None else asdict(result.diagnosis),
        "device": result.device_name or None,
        "total_ms": result.total_ms,
        "total_kind": result.total_kind if result.total_ms is not None else None,
        "likely_savings_ms": result.likely_savings_ms,
        "savings_ms": result.savings_ms,
        "settings_file": result.settings_file or None,
        "rules": [{"code": code, "rule": rule} for rule, code in result.rules.items()],
    }
