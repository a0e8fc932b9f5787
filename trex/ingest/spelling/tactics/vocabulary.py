"""Vocabulary: the meanings of the words and phrases in one family of kernel names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

VERBATIM = ""
"""Value of the field ``evidence`` that stands for the text of the words themselves."""

_NO_FIELDS: Mapping[str, Any] = MappingProxyType({})
_LONGEST_WORD = 100
_CACHED_WORDS = 8192
_DIGITS = "0123456789"
TILE = re.compile(r"\d{2,4}x\d{1,4}(?:x\d{1,4})?")
_BETWEEN_SIDES = re.compile(r"(?<=\d)x(?=\d)")


class Meaning(NamedTuple):
    """What a word states: in words, and as fields of ``Tactic``."""

    words: str
    fields: Mapping[str, Any] = _NO_FIELDS


Decoder = str | Callable[["re.Match[str]"], "str | Meaning"]
"""The meaning of a match: a template of its groups (``heads of \\1``), or a function."""


class Vocabulary:
    """words: {one word, or several joined by underscores: its meaning}, in lower case.

    patterns: (regular expression of a whole word, decoder). phrases: (first word without the digits at its end, number
    of words, regular expression of the words joined by underscores, decoder), for several words with one meaning. The
    longest phrase wins. The ``x`` of ``16x8x16`` becomes a multiplication sign in texts.
    """

    def __init__(
        self,
        words: Mapping[str, str | Meaning],
        patterns: Sequence[tuple[str, Decoder]] = (),
        phrases: Sequence[tuple[str, int, str, Decoder]] = (),
    ) -> None:
        self._words = words
        self._pattern_texts = patterns
        self._phrase_texts = phrases
        self.word = lru_cache(maxsize=_CACHED_WORDS)(self._word)
        self.begins = lru_cache(maxsize=_CACHED_WORDS)(self._begins)

    @cached_property
    def _patterns(self) -> list[tuple[re.Pattern[str], Decoder]]:
        """Compiled on first use: the kernels of one engine belong to few families."""
        return [(re.compile(pattern), decode) for pattern, decode in self._pattern_texts]

    @cached_property
    def _phrases(self) -> dict[str, list[tuple[int, re.Pattern[str], Decoder]]]:
        phrases: dict[str, list[tuple[int, re.Pattern[str], Decoder]]] = {}
        for words in self._words:
            if "_" in words:
                first = words.partition("_")[0].rstrip(_DIGITS)
                entry = (words.count("_") + 1, re.compile(words), lambda match: self._words[match[0]])
                phrases.setdefault(first, []).append(entry)
        for first, count, pattern, decode in self._phrase_texts:
            phrases.setdefault(first, []).append((count, re.compile(pattern), decode))
        return {first: sorted(entries, key=lambda entry: -entry[0]) for first, entries in phrases.items()}

    def _word(self, word: str) -> Meaning | None:
        known = self._words.get(word)
        if known is not None or len(word) > _LONGEST_WORD:
            return Meaning(known) if isinstance(known, str) else known
        for pattern, decode in self._patterns:
            if match := pattern.fullmatch(word):
                return _decoded(match, decode)
        return None

    def _begins(self, word: str) -> tuple[bool, Meaning | None]:
        """(whether phrases begin with the word, the meaning of the word itself)."""
        return word.rstrip(_DIGITS) in self._phrases, self.word(word)

    def phrase(self, words: Sequence[str], start: int) -> tuple[int, Meaning] | None:
        """(number of words, meaning) of the longest phrase that begins at a word; None without one."""
        for count, pattern, decode in self._phrases.get(words[start].rstrip(_DIGITS), ()):
            if start + count <= len(words) and (match := pattern.fullmatch("_".join(words[start : start + count]))):
                return count, _decoded(match, decode)
        return None


def _decoded(match: re.Match[str], decode: Decoder) -> Meaning:
    decoded = match.expand(decode) if isinstance(decode, str) else decode(match)
    return decoded if isinstance(decoded, Meaning) else Meaning(times(decoded))


def meaning(words: str, **fields: Any) -> Meaning:
    return Meaning(times(words), fields)


def times(text: str) -> str:
    """``16x8x16`` with multiplication signs: ``16×8×16``."""
    return _BETWEEN_SIDES.sub("×", text)


def extents(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split("x"))


def tile_meaning(word: str) -> Meaning:
    """``128x64`` or ``128x64x32``: the tile of a thread block."""
    m, n, *k = extents(word)
    return meaning(f"tile of {word}", tile=(m, n, k[0] if k else None))
