"""Settings on top of settings."""

from __future__ import annotations

from trex.core.configuration import LintSettings


def test_more_settings_select_instead_and_ignore_and_limit_as_well() -> None:
    first = LintSettings(("A",), ("B",), {"A": {"x": 1.0, "y": 2.0}}, "note")
    more = LintSettings(("C",), ("D",), {"A": {"x": 3.0}, "E": {"z": 4.0}}, "error")
    assert first.with_more(more) == LintSettings(
        ("C",), ("B", "D"), {"A": {"x": 3.0, "y": 2.0}, "E": {"z": 4.0}}, "error"
    )
    assert first.with_more(LintSettings()) == first
