"""Values → columns of the page's data: ragged ones flat, equal ones once, numbers as differences, strings shared.

Ragged columns are flat lists with a list of lengths. Numbers that grow or stay close are differences from the one
before. A column whose values are all the same is written once. Strings that are sorted or follow one another share
beginnings, so each is written as the length of what it shares with the one before, and the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

# A string used as often as this is worth a short number.
_OFTEN = 8


class Strings:
    """Strings that are to be in the table; references become numbers when all are known."""

    def __init__(self) -> None:
        self.columns: list[list[Any]] = []
        self.is_difference: list[bool] = []

    def column(self, *, differences: bool = False) -> list[Any]:
        """An empty column; what is put into it is in the table."""
        texts: list[Any] = []
        self.columns.append(texts)
        self.is_difference.append(differences)
        return texts

    def settle(self) -> dict[str, Any]:
        """Turns the columns' strings into places in the table, which is returned; what is used often comes first."""
        uses = Counter(text for texts in self.columns for text in texts)
        known = sorted(uses, key=lambda text: (uses[text] < _OFTEN, text))
        number_of = {text: i for i, text in enumerate(known)}
        for texts, is_difference in zip(self.columns, self.is_difference):
            numbers = [number_of[text] for text in texts]
            texts[:] = differences(numbers) if is_difference else numbers
        return front_coded(known)


def ragged(rows: Sequence[Sequence[int]]) -> dict[str, Any]:
    flat = [number for row in rows for number in row]
    return {"count": column([len(row) for row in rows]), "flat": differences(flat)}


def differences(numbers: Iterable[int]) -> list[int]:
    previous, steps = 0, []
    for value in numbers:
        steps.append(value - previous)
        previous = value
    return steps


def column(values: list[Any]) -> Any:
    """The values, or one of them and their number where they are all the same."""
    first = values[0] if values else None
    if len(values) > 3 and all(value == first for value in values):
        return {"all": first, "n": len(values)}
    return values


def front_coded(texts: Sequence[str]) -> dict[str, Any]:
    """Lengths count UTF-16 units, as the page's language does."""
    previous = ""
    shared, rest = [], []
    for text in texts:
        most = min(len(previous), len(text))
        length = next((i for i in range(most) if previous[i] != text[i]), most)
        shared.append(len(text[:length].encode("utf-16-le", "surrogatepass")) // 2)
        rest.append(text[length:])
        previous = text
    return {"shared": shared, "rest": rest}


def runs(numbers: Iterable[int]) -> list[int]:
    """How often, and which number, over and over."""
    return [part for value, run in groupby(numbers) for part in (sum(1 for _ in run), value)]
