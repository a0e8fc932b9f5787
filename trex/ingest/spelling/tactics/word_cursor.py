"""WordCursor: decodes one kernel's name word by word."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from trex.core.tactic import NamePart
from trex.ingest.spelling.tactics.vocabulary import VERBATIM, Meaning, Vocabulary

_WORD = re.compile(r"([^_]+)(_*)")


class WordCursor:
    """texts: the words verbatim, leading underscores in the first. words: the same in lower case, without them.

    index: of the next word. fields: the collected fields of Tactic. If two words state one field, the first wins.
    """

    __slots__ = ("fields", "index", "parts", "separators", "texts", "words")

    def __init__(self, name: str) -> None:
        matches = _WORD.findall(name)
        self.texts = [word for word, _ in matches]
        self.separators = [separator for _, separator in matches]
        self.words = [word.lower() for word in self.texts]
        if self.texts:
            self.texts[0] = name[: len(name) - len(name.lstrip("_"))] + self.texts[0]
        self.index = 0
        self.parts: list[NamePart] = []
        self.fields: dict[str, Any] = {}

    @property
    def word(self) -> str:
        """The next word, "" at the end."""
        return self.words[self.index] if self.index < len(self.words) else ""

    def add(self, meaning: Meaning | str | None, count: int = 1) -> None:
        """Consumes ``count`` words with one meaning; None if it is unknown."""
        start = self.index
        self.index = end = start + count
        text, separator = self.texts[start], self.separators[end - 1]
        if count > 1:
            for index in range(start + 1, end):
                text += self.separators[index - 1] + self.texts[index]
        if meaning is None or isinstance(meaning, str):
            self.parts.append(NamePart(text, meaning or "", separator))
            return
        self.parts.append(NamePart(text, meaning.words, separator))
        if meaning.fields:
            is_evidence = meaning.fields.get("evidence") == VERBATIM
            self.set_fields({**meaning.fields, "evidence": text} if is_evidence else meaning.fields)

    def set_fields(self, fields: Mapping[str, Any]) -> None:
        for name, value in fields.items():
            self.fields.setdefault(name, value)

    def read(self, vocabulary: Vocabulary) -> None:
        """Decodes the next phrase or word."""
        has_phrases, meaning = vocabulary.begins(self.words[self.index])
        if has_phrases and (phrase := vocabulary.phrase(self.words, self.index)) is not None:
            self.add(phrase[1], phrase[0])
        else:
            self.add(meaning)

    def read_all(self, vocabulary: Vocabulary) -> None:
        while self.index < len(self.words):
            self.read(vocabulary)


@dataclass(frozen=True)
class Family:
    """A family of kernel names.

    title: for display. order: the families are tried in this order; the first that matches decodes the name. matches:
    takes the words in lower case. decode: reads all words and sets the fields. infer_type: whether the only type in
    such a name is the type of the data.
    """

    title: str
    order: int
    matches: Callable[[list[str]], bool]
    decode: Callable[[WordCursor], None]
    infer_type: bool = True
