"""Lines in pieces, as plain text."""

from __future__ import annotations

from trex.export.lines import plain


def test_pieces_are_joined_and_ends_trimmed():
    assert plain([[("a", "title"), (" b  ", "")], [], [("c", "dim")]]) == "a b\n\nc\n"
    assert plain([]) == ""
