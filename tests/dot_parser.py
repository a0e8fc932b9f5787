"""A strict reader of the DOT language, for tests: what it refuses, Graphviz may refuse too.

Grammar: https://graphviz.org/doc/info/lang.html. Stricter than Graphviz in three ways: quoted strings must be shorter
than the 16 384 bytes of its scanner, HTML-like strings must be well-formed XML, and attributes stand in one bracket.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree import ElementTree

LIMIT = 16_384
_TOKEN = re.compile(
    r'(?P<space>\s+)|(?P<string>"(?:[^"\\]|\\.)*")|(?P<arrow>->)|(?P<sign>[\[\]{};,=])'
    r"|(?P<number>-?(?:\.\d+|\d+(?:\.\d*)?))|(?P<word>[A-Za-z_\x80-\U0010ffff][\w\x80-\U0010ffff]*)|(?P<html><)",
    re.DOTALL,
)


@dataclass
class Dot:
    """What a document says: nodes and their attributes, edges in order, clusters as the nodes in them."""

    name: str = ""
    nodes: dict[str, dict[str, str]] = field(default_factory=dict)
    edges: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    clusters: dict[str, list[str]] = field(default_factory=dict)
    defaults: dict[str, dict[str, str]] = field(default_factory=dict)


def parse_dot(text: str) -> Dot:
    """The document. Raises ValueError, with the position, for text outside the grammar."""
    return _Parser(text).document()


def shown(string: str) -> str:
    """An attribute's value as Graphviz shows it: escapes and entities resolved."""
    out = re.sub(r"\\(.)", lambda match: {"n": "\n", "l": "\n", "r": "\n"}.get(match[1], match[1]), string)
    return out.replace("&amp;", "&")


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ValueError(f"no token at {position}: {text[position : position + 60]!r}")
        kind = match.lastgroup or ""
        position = match.end()
        if kind == "html":
            depth, start = 1, position
            while depth:
                if position >= len(text):
                    raise ValueError("an HTML-like string does not end")
                depth += {"<": 1, ">": -1}.get(text[position], 0)
                position += 1
            inner = text[start : position - 1]
            ElementTree.fromstring(f"<x>{inner}</x>")
            if len(inner.encode()) >= LIMIT:
                raise ValueError("an HTML-like string is too long")
            yield "html", inner
        elif kind == "string":
            if len(match[0].encode()) >= LIMIT:
                raise ValueError(f"a string is too long: {match[0][:60]!r}")
            if any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 for c in match[0]):
                raise ValueError(f"a string holds control characters: {match[0][:60]!r}")
            yield "id", match[0][1:-1].replace('\\"', '"')
        elif kind in ("word", "number"):
            yield "id", match[0]
        elif kind != "space":
            yield match[0], match[0]
    yield "end", ""


class _Parser:
    def __init__(self, text: str) -> None:
        self.tokens = _tokens(text)
        self.kind, self.value = next(self.tokens)

    def take(self, kind: str) -> str:
        if self.kind != kind:
            raise ValueError(f"{self.kind} {self.value[:60]!r} where {kind} is due")
        value = self.value
        self.kind, self.value = next(self.tokens, ("after", ""))
        return value

    def document(self) -> Dot:
        dot = Dot()
        if self.take("id") != "digraph":
            raise ValueError("not a directed graph")
        dot.name = self.take("id")
        self.statements(dot, None)
        self.take("end")
        return dot

    def statements(self, dot: Dot, cluster: str | None) -> None:
        self.take("{")
        while self.kind != "}":
            self.statement(dot, cluster)
            if self.kind == ";":
                self.take(";")
        self.take("}")

    def statement(self, dot: Dot, cluster: str | None) -> None:
        first = self.take("id")
        if first == "subgraph":
            name = self.take("id")
            dot.clusters[name] = []
            self.statements(dot, name)
        elif self.kind == "=":
            self.take("=")
            self.take("id")
        elif self.kind == "->":
            self.take("->")
            second = self.take("id")
            dot.edges.append((first, second, self.attributes()))
        elif first in ("graph", "node", "edge"):
            dot.defaults[first] = self.attributes()
        elif cluster is not None:
            dot.clusters[cluster].append(first)
        else:
            if first in dot.nodes:
                raise ValueError(f"node {first} twice")
            dot.nodes[first] = self.attributes()

    def attributes(self) -> dict[str, str]:
        attributes: dict[str, str] = {}
        if self.kind != "[":
            return attributes
        self.take("[")
        while self.kind != "]":
            name = self.take("id")
            self.take("=")
            if name in attributes:
                raise ValueError(f"attribute {name} twice")
            attributes[name] = self.take("html") if self.kind == "html" else self.take("id")
            if self.kind == ",":
                self.take(",")
        self.take("]")
        return attributes
