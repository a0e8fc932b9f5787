"""Reading: one kernel's name on its way to a Tactic."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from trex.core.tactic import Part
from trex.ingest.spelling.tactics.vocabulary import EMPTY, Said, Vocabulary

_WORD = re.compile(r"([^_]+)(_*)")
_COLLECTED = frozenset(("layouts", "epilogue"))


class Reading:
    """texts: the words as written, leading underscores at the first. words: the same in lower case, without them.

    at: the next word to be read. facts: fields of Tactic found so far; of two words that state one thing the first
    counts, except that ``layouts`` and ``epilogue`` add up and ``alignment`` is put together.
    """

    __slots__ = ("at", "facts", "name", "parts", "separators", "texts", "words")

    def __init__(self, name: str) -> None:
        self.name = name
        found = _WORD.findall(name)
        self.texts = [word for word, _ in found]
        self.separators = [separator for _, separator in found]
        self.words = [word.lower() for word in self.texts]
        if self.texts:
            self.texts[0] = name[: len(name) - len(name.lstrip("_"))] + self.texts[0]
        self.at = 0
        self.parts: list[Part] = []
        self.facts: dict[str, Any] = {}

    @property
    def word(self) -> str:
        """The next word, "" at the end."""
        return self.words[self.at] if self.at < len(self.words) else ""

    def say(self, said: Said | None, count: int = 1) -> None:
        """The next words state this; nothing that is known, for None."""
        start = self.at
        self.at = end = start + count
        text, separator = self.texts[start], self.separators[end - 1]
        if count > 1:
            for place in range(start + 1, end):
                text += self.separators[place - 1] + self.texts[place]
        if said is None:
            self.parts.append(Part(text, separator=separator))
            return
        self.parts.append(Part(text, said.key, said.words, separator))
        if said.facts:
            self.learn(said.facts)

    def learn(self, facts: Mapping[str, Any]) -> None:
        known = self.facts
        for name, value in facts.items():
            if name in _COLLECTED:
                known[name] = known.get(name, ()) + value
            elif name == "alignment":
                before = known.get(name, (None, None, None))
                known[name] = tuple(old if new is None else new for old, new in zip(before, value, strict=True))
            else:
                known.setdefault(name, value)

    def read(self, vocabulary: Vocabulary) -> None:
        """Reads the next phrase or word by the vocabulary."""
        readers, said = vocabulary.begins(self.words[self.at])
        if readers and (phrase := vocabulary.phrase(self.words, self.at)) is not None:
            self.say(phrase[1], phrase[0])
        else:
            self.say(said)

    def read_all(self, vocabulary: Vocabulary) -> None:
        while self.at < len(self.words):
            self.read(vocabulary)


@dataclass(frozen=True)
class Family:
    """A family of kernel names.

    title: for people. order: families are asked in this order whether a name is theirs; the first that says so reads
    it. fits: of the words in lower case. read: reads all words and fills the facts. vocabulary: of the words that mean
    the same wherever they stand. names_types: a type that stands alone in such a name is that of the data.
    """

    title: str
    order: int
    fits: Callable[[list[str]], bool]
    read: Callable[[Reading], None]
    vocabulary: Vocabulary = EMPTY
    names_types: bool = True
