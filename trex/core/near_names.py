"""Word and the names it may have meant → the few that come near."""

from __future__ import annotations

from collections.abc import Iterable

# Comparing takes time proportional to both lengths: nobody mistypes a name this long.
_LONGEST = 200


def near_names(word: str, names: Iterable[str], count: int = 4) -> tuple[str, ...]:
    """At most ``count`` of the names, nearest first: spelled alike, or holding the word; case does not matter."""
    from difflib import get_close_matches  # a millisecond that only mistakes need pay

    wanted = word[:_LONGEST].lower()
    by_lower: dict[str, str] = {}
    for name in names:
        by_lower.setdefault(name.lower(), name)
    if not wanted:
        return ()
    alike = [by_lower[lower] for lower in get_close_matches(wanted, by_lower, count, 0.6)]
    holding = [name for lower, name in by_lower.items() if wanted in lower and len(wanted) > 3]
    return tuple(dict.fromkeys((*alike, *holding)))[:count]


def did_you_mean(word: str, names: Iterable[str], otherwise: str = "", count: int = 4) -> str:
    """``did you mean a, b?``, or ``otherwise`` when nothing comes near."""
    near = near_names(word, names, count)
    return f"did you mean {', '.join(near)}?" if near else otherwise
