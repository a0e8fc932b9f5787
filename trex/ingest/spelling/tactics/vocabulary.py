"""Vocabulary: the meanings of the words and phrases in one family of kernel names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

VARIANT = "variant"
"""Key of a word that is known to distinguish variants of one kernel, without further published meaning."""

VERBATIM = ""
"""Value of the field ``evidence`` that stands for the text of the words themselves."""

_NO_FIELDS: Mapping[str, Any] = MappingProxyType({})
_LONGEST_WORD = 100
_CACHED_WORDS = 8192


class Meaning(NamedTuple):
    """What a word states. key, words: as in ``NamePart``. fields: of ``Tactic``."""

    key: str
    words: str
    fields: Mapping[str, Any] = _NO_FIELDS


Decoder = Callable[["re.Match[str]"], Meaning | None]
_PhraseDecoder = Callable[[str], Meaning | None]


class Vocabulary:
    """words: {one word, or several joined by underscores: its meaning}, in lower case.

    patterns: (regular expression of a whole word, decoder). phrases: (first word, number of words, regular expression
    of the words joined by underscores, decoder), for several words with one meaning. The longest phrase wins.
    """

    def __init__(
        self,
        words: Mapping[str, Meaning],
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
    def _phrases(self) -> dict[str, list[tuple[int, _PhraseDecoder]]]:
        phrases: dict[str, list[tuple[int, _PhraseDecoder]]] = {}
        for words, meaning in self._words.items():
            if "_" in words:
                phrases.setdefault(words.partition("_")[0], []).append((words.count("_") + 1, _fixed(words, meaning)))
        for first, count, pattern, decode in self._phrase_texts:
            phrases.setdefault(first, []).append((count, _matching(re.compile(pattern), decode)))
        return {first: sorted(entries, key=lambda entry: -entry[0]) for first, entries in phrases.items()}

    def _word(self, word: str) -> Meaning | None:
        meaning = self._words.get(word)
        if meaning is not None or len(word) > _LONGEST_WORD:
            return meaning
        for pattern, decode in self._patterns:
            match = pattern.fullmatch(word)
            if match and (meaning := decode(match)) is not None:
                return meaning
        return None

    def _begins(self, word: str) -> tuple[bool, Meaning | None]:
        """(whether phrases begin with the word, the meaning of the word itself)."""
        return word in self._phrases, self.word(word)

    def phrase(self, words: Sequence[str], start: int) -> tuple[int, Meaning] | None:
        """(number of words, meaning) of the longest phrase that begins at a word; None without one."""
        for count, decode in self._phrases.get(words[start], ()):
            if start + count <= len(words):
                meaning = decode("_".join(words[start : start + count]))
                if meaning is not None:
                    return count, meaning
        return None


EMPTY = Vocabulary({})


def _fixed(phrase: str, meaning: Meaning) -> _PhraseDecoder:
    return lambda text: meaning if text == phrase else None


def _matching(pattern: re.Pattern[str], decode: Decoder) -> _PhraseDecoder:
    def decode_phrase(text: str) -> Meaning | None:
        match = pattern.fullmatch(text)
        return decode(match) if match else None

    return decode_phrase


def meaning(key: str, words: str, **fields: Any) -> Meaning:
    return Meaning(key, words, fields)


def times(text: str) -> str:
    """``16x8x16`` with multiplication signs: ``16×8×16``."""
    return text.replace("x", "×")


def extents(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split("x"))
