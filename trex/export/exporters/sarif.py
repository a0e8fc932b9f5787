"""SARIF 2.1.0: for code scanning pages and editors (OASIS Standard, Static Analysis Results Interchange Format).

The artifact is the engine's own file, as no line of source made a layer; layers are logical locations in it. Rules that
can't check the engine, or failed, are notifications of the run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from trex import __version__
from trex.core.note import Note
from trex.core.printable import printable
from trex.export.document import DocumentFormat, RenderStyle
from trex.export.frame import json_text, plain_value
from trex.rules.documentation import rule_sections
from trex.rules.finding import Severity
from trex.rules.lint_result import LintResult, RankedFinding
from trex.rules.rule import RULES, Rule
from trex.views.document import Document
from trex.views.findings import evidence_text, few
from trex.views.lint import failed_text, problems_in, unchecked_text
from trex.views.rule_page import rule_text
from trex.views.table import milliseconds

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
MOST_LAYERS = 100
_LEVELS = {Severity.NOTE: "note", Severity.WARNING: "warning", Severity.ERROR: "error"}


def render(document: Document, style: RenderStyle) -> str:
    return json_text(plain_value(sarif(document.source, document.notes)), indent=1) + "\n"


def sarif(result: LintResult, notes: Sequence[Note] = ()) -> dict[str, Any]:
    """The document: one run. notes: of the lint's document."""
    codes = list(dict.fromkeys(result.rules.values()))
    numbers = {code: number for number, code in enumerate(codes)}
    names = {layer.index: layer.name for layer in result.performance.plan.working_layers}
    driver = {
        "name": "trex",
        "version": __version__,
        "rules": [_rule(name, code) for code, name in {code: name for name, code in result.rules.items()}.items()],
    }
    run: dict[str, Any] = {
        "tool": {"driver": driver},
        "artifacts": [{"location": {"uri": _uri(result.source)}}],
        "results": [_result(finding, result, numbers, names) for finding in (*result.findings, *result.suppressed)],
        "invocations": [
            {"executionSuccessful": not result.failed, "toolExecutionNotifications": _notifications(result, notes)}
        ],
        "columnKind": "unicodeCodePoints",
        "properties": {
            "engine": result.engine_name,
            "statement": result.statement or None,
            "profile": result.performance.plan.profile,
            "device": result.device_name or None,
            "totalMs": result.total_ms,
            "totalKind": result.total_kind if result.total_ms is not None else None,
            "likelySavingsMs": result.likely_savings_ms,
            "savingsMs": result.savings_ms,
        },
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(name: str, code: str) -> dict[str, Any]:
    plug = RULES[name]
    rule: Rule = plug.value
    sections = rule_sections(plug.doc)
    text = rule_text(plug)
    return {
        "id": code,
        "name": "".join(word.capitalize() for word in name.split("-")),
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": sections.get("What it finds", plug.summary)},
        "help": {"text": text},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _result(
    finding: RankedFinding, result: LintResult, numbers: Mapping[str, int], names: Mapping[int, str]
) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": numbers.get(finding.code, -1),
        "level": _LEVELS[finding.severity],
        "message": {"text": _text(finding)},
        "locations": [_location(finding, result)],
        # The same finding of the next build has the same fingerprint, whatever its numbers.
        "partialFingerprints": {
            "ruleAndLayers/v1": _fingerprint(finding, names, result.performance.plan.profile_words)
        },
        "properties": {
            "confidence": finding.confidence,
            "likelySavingsMs": finding.likely_savings_ms,
            "savingsMs": finding.savings_ms,
            "savingsAloneMs": finding.savings_alone_ms,
            "savingsPct": finding.share_pct,
            "evidence": [evidence_text(item) for item in finding.evidence],
            "formula": finding.formula,
            "documentation": list(finding.documentation),
            "layerCount": len(finding.layer_names),
        },
    }
    if finding.suppressed:
        entry["suppressions"] = [{"kind": "external", "justification": finding.suppressed}]
    return entry


def _location(finding: RankedFinding, result: LintResult) -> dict[str, Any]:
    location: dict[str, Any] = {
        "physicalLocation": {"artifactLocation": {"uri": _uri(result.source), "index": 0}, "region": {"startLine": 1}}
    }
    if finding.layer_names:
        location["logicalLocations"] = [
            {"name": printable(name), "fullyQualifiedName": f"{printable(name)}#{index}", "kind": "layer"}
            for name, index in zip(finding.layer_names[:MOST_LAYERS], finding.layers)
        ]
    return location


def _text(finding: RankedFinding) -> str:
    """What was found, its price and what to try; square brackets would be links of SARIF's messages."""
    lines = [finding.message]
    if finding.savings_alone_ms is not None:
        share = "" if finding.share_pct is None else f", {finding.share_pct:.1f} % of the engine's time"
        likely, most = milliseconds(finding.likely_savings_ms), milliseconds(finding.savings_ms)
        lines.append(f"Estimated savings: likely {likely} ms, at most {most} ms{share}.")
    if finding.layer_names:
        lines.append(f"Layers: {few(finding.layer_names)}.")
    lines += [f"Fix: {fix}" for fix in finding.fix]
    lines += [f"Check: {finding.how_to_check}"] if finding.how_to_check else []
    text = "\n".join(map(printable, lines))
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")


def _fingerprint(finding: RankedFinding, names: Mapping[int, str], profile: str) -> str:
    """Of the whole names, which the finding may have clipped. profile: of several optimization profiles, else ""."""
    words = (finding.code, *(names.get(index, "") for index in finding.layers), *([profile] if profile else ()))
    return hashlib.sha256("\n".join(words).encode("utf-8", "replace")).hexdigest()[:32]


def _notifications(result: LintResult, notes: Sequence[Note]) -> list[dict[str, Any]]:
    return [
        *(_notification("error", failed_text(failed), failed.code) for failed in result.failed),
        *(_notification("note", unchecked_text(unchecked), unchecked.code) for unchecked in result.unchecked),
        *({"level": "warning", "message": {"text": str(note)}} for note in (*result.notes, *problems_in(notes))),
    ]


def _notification(level: str, text: str, code: str) -> dict[str, Any]:
    return {"level": level, "message": {"text": printable(text)}, "associatedRule": {"id": code}}


def _uri(source: str) -> str:
    """The address as a URI reference: relative as it was given, else of a file."""
    path = Path(source or "engine")
    if path.is_absolute():
        return path.as_uri() if "\x00" not in source else quote(path.as_posix())
    return quote(path.as_posix().encode("utf-8", "replace"))


FORMAT = DocumentFormat((".sarif", ".sarif.json"), render, commands=("lint",))
