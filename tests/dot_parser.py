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
    """The document. Raises ValueError, with the place, for what is not in the grammar."""
    return _Parser(text).document()


def shown(string: str) -> str:
    """An attribute's value as Graphviz shows it: escapes and entities resolved."""
    out = re.sub(r"\\(.)", lambda found: {"n": "\n", "l": "\n", "r": "\n"}.get(found[1], found[1]), string)
    return out.replace("&amp;", "&")


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    place = 0
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            raise ValueError(f"no token at {place}: {text[place : place + 60]!r}")
        kind = found.lastgroup or ""
        place = found.end()
        if kind == "html":
            depth, start = 1, place
            while depth:
                if place >= len(text):
                    raise ValueError("an HTML-like string does not end")
                depth += {"<": 1, ">": -1}.get(text[place], 0)
                place += 1
            inner = text[start : place - 1]
            ElementTree.fromstring(f"<x>{inner}</x>")
            if len(inner.encode()) >= LIMIT:
                raise ValueError("an HTML-like string is too long")
            yield "html", inner
        elif kind == "string":
            if len(found[0].encode()) >= LIMIT:
                raise ValueError(f"a string is too long: {found[0][:60]!r}")
            if any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 for c in found[0]):
                raise ValueError(f"a string holds control characters: {found[0][:60]!r}")
            yield "id", found[0][1:-1].replace('\\"', '"')
        elif kind in ("word", "number"):
            yield "id", found[0]
        elif kind != "space":
            yield found[0], found[0]
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
        found: dict[str, str] = {}
        if self.kind != "[":
            return found
        self.take("[")
        while self.kind != "]":
            name = self.take("id")
            self.take("=")
            if name in found:
                raise ValueError(f"attribute {name} twice")
            found[name] = self.take("html") if self.kind == "html" else self.take("id")
            if self.kind == ",":
                self.take(",")
        self.take("]")
        return found
