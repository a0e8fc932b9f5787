"""Misspelled word → the few known names that are similar."""

from __future__ import annotations

from collections.abc import Iterable

# Comparing takes time proportional to both lengths.
_LONGEST = 200


def near_names(word: str, names: Iterable[str], count: int = 4) -> tuple[str, ...]:
    """At most ``count`` of the names, nearest first: similar, or containing the word, whatever their case."""
    from difflib import get_close_matches  # takes a millisecond

    wanted = word[:_LONGEST].lower()
    by_lower: dict[str, str] = {}
    for name in names:
        by_lower.setdefault(name.lower(), name)
    if not wanted:
        return ()
    similar = [by_lower[lower] for lower in get_close_matches(wanted, by_lower, count, 0.6)]
    containing = [name for lower, name in by_lower.items() if wanted in lower and len(wanted) > 3]
    return tuple(dict.fromkeys((*similar, *containing)))[:count]


def did_you_mean(word: str, names: Iterable[str], otherwise: str = "", count: int = 4) -> str:
    """``did you mean a, b?``, or ``otherwise`` if no name is similar."""
    near = near_names(word, names, count)
    return f"did you mean {', '.join(near)}?" if near else otherwise
