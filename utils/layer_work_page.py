"""Docstrings of the kinds of layer and operator families → the page of their MACs, operations and bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trex.perf.work.kind import KINDS
from trex.perf.work.operators import FAMILIES

_HEADING = re.compile(r"^(Formula|Source|Does not hold for):", re.MULTILINE)
_FORMULA = re.compile(r"[A-Za-z_][\w ]{0,30} (=|≤|≥) .*[^.]$")


def layer_work_page() -> str:
    """The page as Markdown."""
    parts = [
        "# MACs, operations and bytes of every kind of layer\n",
        "What `trex perf` counts for a layer: the least that it must compute and move. A MAC is two operations. With",
        "the ONNX model (`--onnx FILE`), a fused layer has the work of its operators; else that of its own shapes.\n",
    ]
    parts.extend(_kinds())
    return "\n".join(parts)


def _kinds() -> Iterator[str]:
    for title, registry in (("Kinds of layer", KINDS), ("Operators of the model", FAMILIES)):
        yield f"## {title}\n"
        for name in registry.names:
            summary, details = _split(registry.load(name).doc)
            yield f"**`{name}`**: {summary}\n"
            if details:
                yield f"{_markdown(details)}\n"


def _split(doc: str) -> tuple[str, str]:
    """(first sentence, the rest)."""
    head, _, body = doc.strip().partition("\n\n")
    return " ".join(head.split()).replace("``", "`").removesuffix("."), body.strip()


def _markdown(text: str) -> str:
    """Paragraphs; formulas and indented paragraphs become code blocks."""
    return "\n\n".join(map(_paragraph, text.split("\n\n")))


def _paragraph(text: str) -> str:
    lines = text.splitlines()
    if text.startswith("    ") or all(_FORMULA.match(line) for line in lines):
        return "```text\n" + "\n".join(line.strip() for line in lines) + "\n```"
    return _HEADING.sub(r"**\1:**", text.replace("``", "`"))
