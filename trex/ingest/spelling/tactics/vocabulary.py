"""Vocabulary: what the words and phrases of one family of kernel names say."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

VARIANT = "variant"
"""Key of a word known to tell variants of one kernel apart, of which nothing further is published."""

_NOTHING: Mapping[str, Any] = MappingProxyType({})
_LONGEST_WORD = 100
_REMEMBERED = 8192


class Said(NamedTuple):
    """What a word states. key, words: as in ``Part``. facts: fields of ``Tactic``."""

    key: str
    words: str
    facts: Mapping[str, Any] = _NOTHING


Meaning = Callable[["re.Match[str]"], Said | None]
_Reader = Callable[[str], Said | None]


class Vocabulary:
    """words: {one word or several joined by underscores: what it states}, in lower case.

    patterns: (regular expression of a whole word, meaning). phrases: (first word, number of words, regular expression
    of the words joined by underscores, meaning), for several words that state one thing. Longer phrases go first.
    """

    def __init__(
        self,
        words: Mapping[str, Said],
        patterns: Sequence[tuple[str, Meaning]] = (),
        phrases: Sequence[tuple[str, int, str, Meaning]] = (),
    ) -> None:
        self._words = words
        self._written_patterns = patterns
        self._written_phrases = phrases
        self.word = lru_cache(maxsize=_REMEMBERED)(self._word)
        self.begins = lru_cache(maxsize=_REMEMBERED)(self._begins)

    @cached_property
    def _patterns(self) -> list[tuple[re.Pattern[str], Meaning]]:
        """Compiled when first needed: an engine's kernels are of a few families."""
        return [(re.compile(pattern), meaning) for pattern, meaning in self._written_patterns]

    @cached_property
    def _phrases(self) -> dict[str, list[tuple[int, _Reader]]]:
        found: dict[str, list[tuple[int, _Reader]]] = {}
        for words, said in self._words.items():
            if "_" in words:
                found.setdefault(words.partition("_")[0], []).append((words.count("_") + 1, _fixed(words, said)))
        for first, count, pattern, meaning in self._written_phrases:
            found.setdefault(first, []).append((count, _varying(re.compile(pattern), meaning)))
        return {first: sorted(entries, key=lambda entry: -entry[0]) for first, entries in found.items()}

    def _word(self, word: str) -> Said | None:
        said = self._words.get(word)
        if said is not None or len(word) > _LONGEST_WORD:
            return said
        for pattern, meaning in self._patterns:
            match = pattern.fullmatch(word)
            if match and (said := meaning(match)) is not None:
                return said
        return None

    def _begins(self, word: str) -> tuple[tuple[tuple[int, _Reader], ...], Said | None]:
        """(readers of the phrases that begin with a word, what it states by itself)."""
        return tuple(self._phrases.get(word, ())), self.word(word)

    def phrase(self, words: Sequence[str], at: int) -> tuple[int, Said] | None:
        """(number of words, what they state) for the longest phrase that begins at a word; None when none does."""
        for count, reader in self._phrases.get(words[at], ()):
            if at + count <= len(words) and (said := reader("_".join(words[at : at + count]))) is not None:
                return count, said
        return None


EMPTY = Vocabulary({})


def _fixed(phrase: str, said: Said) -> _Reader:
    return lambda written: said if written == phrase else None


def _varying(pattern: re.Pattern[str], meaning: Meaning) -> _Reader:
    def read(written: str) -> Said | None:
        match = pattern.fullmatch(written)
        return meaning(match) if match else None

    return read


def fact(key: str, words: str, **facts: Any) -> Said:
    return Said(key, words, facts)


def times(text: str) -> str:
    """``16x8x16`` as people write it: ``16×8×16``."""
    return text.replace("x", "×")


def extents(text: str) -> tuple[int, ...]:
    return tuple(int(each) for each in text.split("x"))
