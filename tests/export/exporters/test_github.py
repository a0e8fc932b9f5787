"""Annotations of GitHub: nothing in a name can give a command."""

from __future__ import annotations

from trex.export.exporters.github import annotation


def test_what_ends_a_line_or_a_property_is_encoded():
    line = annotation("error", "a: b, 100 %\n::error::", "x\n::stop-commands::y\r100 %")
    assert line == "::error title=a%3A b%2C 100 %25\\n%3A%3Aerror%3A%3A::x%0A::stop-commands::y%0D100 %25"
    assert "\n" not in line and "\r" not in line
