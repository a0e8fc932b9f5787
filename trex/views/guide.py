"""Guide: a page of advice with snippets that can be copied; ``trex explain`` shows it under its file's name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from trex.core.registry import Plug, Registry


@dataclass(frozen=True, slots=True)
class Snippet:
    """title: what it does, one line. language: ``python`` or ``bash``."""

    title: str
    text: str
    language: str = "python"


# Each file defines SNIPPETS, in the order in which they are used.
GUIDES = Registry("trex.views.guides", "SNIPPETS", kind=Snippet, is_tuple=True)


def guide_text(plug: Plug) -> str:
    """The page: one line a paragraph, then the snippets, whose lines stay as they are."""
    return "\n".join([*_paragraphs(plug.doc), *(line for snippet in plug.value for line in _lines(snippet))])


def _paragraphs(doc: str) -> Iterator[str]:
    for paragraph in doc.replace("``", "`").split("\n\n"):
        yield " ".join(paragraph.split())


def _lines(snippet: Snippet) -> Iterator[str]:
    yield ""
    yield f"{snippet.title}:"
    for line in snippet.text.strip("\n").splitlines():
        yield f"    {line}" if line else ""
