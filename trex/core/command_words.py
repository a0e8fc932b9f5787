"""A command line that a person wrote → its words."""

from __future__ import annotations

import shlex

from trex.core.errors import TrexError
from trex.core.printable import clipped


def words_of(line: str, where: str = "") -> list[str]:
    """As a POSIX shell splits it. Raises TrexError for a quote that is not closed."""
    try:
        return shlex.split(line)
    except ValueError as error:
        hint = "close every quote; a backslash takes the character after it"
        raise TrexError(f"{clipped(line, 80)!r} is no command line: {str(error).lower()}", hint, where) from None
