"""A rule's docstring → its page."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

from trex.core.registry import Plug
from trex.rules.documentation import rule_sections
from trex.rules.finding import Severity
from trex.rules.rule import Rule, RuleLimit
from trex.views.rule_page import find_rules, rule_text, rules_table

DOC = """Title.

What it finds: one
line. What to try: within a line is no heading.
Why it matters: two

paragraphs, and ``code``:
    kept as it is
- and an item
What to try: this.
Does not apply: never.
"""


def test_sections_are_whole_lines() -> None:
    assert rule_sections(DOC) == {
        "What it finds": "one line. What to try: within a line is no heading.",
        "Why it matters": "two\nparagraphs, and `code`:\n    kept as it is\n- and an item",
        "What to try": "this.",
        "Does not apply": "never.",
    }


def test_the_page_tells_limits_and_how_to_leave_it_out() -> None:
    module = ModuleType("x")
    module.__doc__ = DOC
    rule = Rule(
        "AB001", "title", Severity.NOTE, lambda engine, limits: (), {"share": RuleLimit(5.0, "%", "of the time")}
    )
    text = rule_text(Plug("a-rule", module, rule))
    assert text.startswith("Title.\nseverity: note\nWhat it finds: one line.")
    assert "limit share = 5 %: of the time (--rule-limit AB001.share=5)" in text
    assert text.endswith("to leave it out: --ignore AB001")
    rare = rule_text(Plug("a-rule", module, replace(rule, is_experimental=True)))
    assert "experimental: no real engine" in rare and "--select AB001" in rare and "--ignore" not in rare
    module.__doc__ = "A third party's words,\nwithout headings."
    assert "What it finds: A third party's words, without headings." in rule_text(Plug("a-rule", module, rule))


def test_rules_are_found_by_code_and_name() -> None:
    for word in ("INFO001", "info001", "names-only", "names_only"):
        assert [plug.name for plug in find_rules(word)] == ["names-only"]
    assert find_rules("INFO") == []
    codes = [row[0] for row in rules_table().rows]
    assert codes == sorted(codes) and "INFO001" in codes
