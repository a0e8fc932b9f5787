"""SARIF 2.1.0: for code scanning pages and editors (OASIS Standard, Static Analysis Results Interchange Format).

The artifact is the engine's own file, as no line of source made a layer; layers are logical locations in it. Rules that
cannot tell or failed are notifications of the run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from trex import __version__
from trex.core.printable import printable
from trex.export.frame import json_text, plain_value
from trex.export.review import ReviewFormat, ReviewStyle
from trex.rules.finding import Severity
from trex.rules.rule import RULES, Rule
from trex.views.review.reading import ReviewReading, Told, evidence_text, few
from trex.views.review.tables import failed_text, unknown_text
from trex.views.rule_page import rule_sections, rule_text
from trex.views.table import milliseconds

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
MOST_LAYERS = 100
_LEVELS = {Severity.NOTE: "note", Severity.WARNING: "warning", Severity.ERROR: "error"}


def render(reading: ReviewReading, style: ReviewStyle) -> str:
    return json_text(plain_value(sarif(reading)), indent=1) + "\n"


def sarif(reading: ReviewReading) -> dict[str, Any]:
    """The document: one run."""
    codes = list(dict.fromkeys(reading.rules.values()))
    places = {code: place for place, code in enumerate(codes)}
    driver = {
        "name": "trex",
        "semanticVersion": __version__,
        "rules": [_rule(name, code) for code, name in {code: name for name, code in reading.rules.items()}.items()],
    }
    run: dict[str, Any] = {
        "tool": {"driver": driver},
        "artifacts": [{"location": {"uri": _uri(reading.source)}}],
        "results": [_result(each, reading, places) for each in (*reading.findings, *reading.suppressed)],
        "invocations": [
            {"executionSuccessful": not reading.failed, "toolExecutionNotifications": _notifications(reading)}
        ],
        "columnKind": "unicodeCodePoints",
        "properties": {
            "engine": reading.title,
            "statement": reading.statement or None,
            "device": reading.device or None,
            "totalMs": reading.total_ms,
            "atStakeMs": reading.at_stake_ms,
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


def _result(told: Told, reading: ReviewReading, places: Mapping[str, int]) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": told.code,
        "ruleIndex": places.get(told.code, -1),
        "level": _LEVELS[told.severity],
        "message": {"text": _text(told)},
        "locations": [_location(told, reading)],
        # The same finding of the next build has the same fingerprint, whatever its numbers.
        "partialFingerprints": {"ruleAndLayers/v1": _fingerprint(told)},
        "properties": {
            "confidence": told.confidence,
            "countedMs": told.counted_ms,
            "byItselfMs": told.by_itself_ms,
            "timePct": told.share_pct,
            "evidence": [evidence_text(each) for each in told.evidence],
            "formula": told.formula,
            "documentation": list(told.documentation),
            "layerCount": len(told.layers),
        },
    }
    if told.suppressed:
        result["suppressions"] = [{"kind": "external", "justification": told.suppressed}]
    return result


def _location(told: Told, reading: ReviewReading) -> dict[str, Any]:
    location: dict[str, Any] = {
        "physicalLocation": {"artifactLocation": {"uri": _uri(reading.source), "index": 0}, "region": {"startLine": 1}}
    }
    if told.layers:
        location["logicalLocations"] = [
            {"name": printable(name), "fullyQualifiedName": f"{printable(name)}#{index}", "kind": "layer"}
            for name, index in zip(told.layers[:MOST_LAYERS], told.indexes)
        ]
    return location


def _text(told: Told) -> str:
    """What was found, its price and what to try; square brackets would be links of SARIF's messages."""
    lines = [told.message]
    if told.by_itself_ms is not None:
        share = "" if told.share_pct is None else f", {told.share_pct:.1f} % of the engine's time"
        lines.append(f"At stake: {milliseconds(told.counted_ms)} ms{share}.")
    if told.layers:
        lines.append(f"Layers: {few(told.layers)}.")
    lines += [f"Try: {each}" for each in told.advice]
    lines += [f"Proof: {told.proof}"] if told.proof else []
    text = "\n".join(map(printable, lines))
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")


def _fingerprint(told: Told) -> str:
    return hashlib.sha256("\n".join((told.code, *told.layers)).encode("utf-8", "replace")).hexdigest()[:32]


def _notifications(reading: ReviewReading) -> list[dict[str, Any]]:
    told = [
        {"level": "error", "message": {"text": printable(failed_text(each))}, "associatedRule": {"id": each[1]}}
        for each in reading.failed
    ]
    told += [
        {"level": "note", "message": {"text": printable(unknown_text(each))}, "associatedRule": {"id": each.code}}
        for each in reading.unknown
    ]
    told += [{"level": "warning", "message": {"text": str(note)}} for note in reading.notes]
    return told


def _uri(source: str) -> str:
    """The address as a URI reference: relative as it was given, else of a file."""
    path = Path(source or "engine")
    if path.is_absolute():
        return path.as_uri() if "\x00" not in source else quote(path.as_posix())
    return quote(path.as_posix().encode("utf-8", "replace"))


FORMAT = ReviewFormat((".sarif", ".sarif.json"), render)
