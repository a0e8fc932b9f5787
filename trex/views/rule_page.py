"""Docstring of a rule → its page: what it finds, why it matters, what to try, where it does not apply, its limits."""

from __future__ import annotations

from collections.abc import Mapping

from trex.core.note import Note
from trex.core.registry import Plug
from trex.rules.documentation import reflowed, rule_sections
from trex.rules.rule import RULES, Rule
from trex.views.document import Document, Section
from trex.views.table import Table, TableColumn

_NO_LIMITS = "–"


def rule_text(plug: Plug) -> str:
    """The rule's page as text, a line a paragraph: title, sections, limits, and how to leave it out."""
    rule: Rule = plug.value
    sections = rule_sections(plug.doc) or {"What it finds": reflowed(plug.doc)}
    lines = [plug.summary, f"severity: {rule.severity.word}"]
    for heading, text in sections.items():
        first, *more = text.split("\n")
        lines += [f"{heading}: {first}", *more]
    if rule.is_experimental:
        lines.append(f"experimental: no real engine is known that has it; runs only with --select {rule.code}")
    if rule.needs_measurement:
        lines.append("needs a measurement: not run where times are predicted")
    for name, limit in rule.limits.items():
        unit = f" {limit.unit}" if limit.unit else ""
        flag = f"--rule-limit {rule.code}.{name}={limit.default:g}"
        lines.append(f"limit {name} = {limit.default:g}{unit}: {limit.meaning} ({flag})")
    if not rule.is_experimental:
        lines.append(f"to leave it out: --ignore {rule.code}")
    return "\n".join(lines)


def find_rules(word: str) -> list[Plug]:
    """The rules of this code or name."""
    wanted = word.strip().lower().replace("_", "-")
    return [plug for plug in RULES.values() if wanted in (plug.name, plug.value.code.lower())]


def rules_in_order() -> list[Plug]:
    """All rules by their codes."""
    return sorted(RULES.values(), key=lambda plug: plug.value.code)


def rules_document() -> Document:
    """Every rule: code, name, severity, what it finds, limits; rules that cannot be loaded are notes."""
    broken = tuple(
        Note("broken-rule", f"the rule {plug.name} cannot be loaded: {plug.reason}", severity="problem")
        for plug in RULES.broken
    )
    data = {"rules": [rule_dict(plug) for plug in rules_in_order()]}
    section = Section("rules", "", (rules_table(),), data=data)
    rare = [plug.value.code for plug in rules_in_order() if plug.value.is_experimental]
    summary = f"; {len(rare)} experimental, which run only with --select: {', '.join(rare)}" if rare else ""
    return Document("rules", f"{len(RULES)} rules of trex lint{summary}", sections=(section,), notes=broken)


def rules_table() -> Table:
    """Code, name, severity, title and limits of every rule."""
    rows = []
    for plug in rules_in_order():
        rule: Rule = plug.value
        limits = ", ".join(f"{name}={limit.default:g}" for name, limit in rule.limits.items())
        rows.append((rule.code, plug.name, rule.severity.word, rule.label, limits or _NO_LIMITS))
    columns = (
        TableColumn("code"),
        TableColumn("name", readable=30),
        TableColumn("severity"),
        TableColumn("what it finds"),
        TableColumn("limits"),
    )
    return Table("", columns, tuple(rows), "rules")


def rule_dict(plug: Plug) -> dict[str, object]:
    """A rule as JSON-ready data."""
    rule: Rule = plug.value
    limits: Mapping[str, object] = {
        name: {"default": limit.default, "unit": limit.unit, "meaning": limit.meaning}
        for name, limit in rule.limits.items()
    }
    return {
        "code": rule.code,
        "name": plug.name,
        "severity": rule.severity.word,
        "title": rule.title,
        "experimental": rule.is_experimental,
        "limits": limits,
        "documentation": rule_sections(plug.doc),
    }
