"""JSON document → the same document with something strange in it: any node becomes any value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import deepcopy
from math import inf, nan
from random import Random
from typing import Any

Path = tuple[Any, ...]

TEXTS = (
    "",
    " ",
    "0",
    "-1",
    "nan",
    "1e400",
    "0x" + "f" * 40,
    "9" * 40,
    "a\x1eb\x1fc",
    "\x1b[31mred\x1b]0;title\x07",
    "\x9b31m",
    "bell\x07 del\x7f back\x08",
    "line\nfeed\r\tand tab",
    "</script><script>alert(1)</script>",
    "]]><!--&lt;&#0;&bogus;",
    "%s%n%x{0}{0.__class__}{missing}",
    "[bold red]markup[/bold red] [/]",
    "=cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "\uff1d1+1",
    "| pipe `tick` *star* _low_ [link](javascript:x) \\",
    "\ud800",
    "\udcff",
    "\u202egnp.exe",
    "\u2028\u2029\ufeff\ufffe\uffff",
    "\u0661\u0662\u0663",
    "²³",
    "[profile 1] [profile 999999999999]",
    "{ForeignNode[a...b]}",
    "PWN(" * 50,
    "__myl_MulSum_myl7_3",
    "../../../etc/passwd",
    "Name: x, LayerType: y, Inputs: [",
    "Half",
    "Channel major FP16 format where channel % 2 == 0",
    "NoOp",
    "Constant",
    "Convolution",
    "gemm",
    "A" * 5000,
)
NUMBERS = (
    0,
    1,
    -1,
    -0.0,
    0.5,
    2**31,
    -(2**31),
    2**40,
    2**53 + 1,
    2**63 - 1,
    2**64 - 1,
    -(2**63),
    1e308,
    -1e308,
    5e-324,
    1e22,
)
NOT_JSON_NUMBERS = (nan, inf, -inf, 10**30, -(10**400))


def nested(depth: int, shape: str = "[") -> Any:
    """A list, or an object, around itself ``depth`` times."""
    value: Any = 1
    for _ in range(depth):
        value = [value] if shape == "[" else {"Layers": value}
    return value


CONTAINERS: tuple[Any, ...] = (
    [],
    {},
    [[]],
    [{}],
    [None],
    [1, 2, 3],
    [-1, 0],
    [True],
    [1.5, "x"],
    ["a", "b"],
    [nan],
    list(range(40)),
    [2**40] * 8,
    {"": None},
    {"Name": 5},
    {"Name": None, "Dimensions": {}, "Format/Datatype": []},
    {"Count": -1, "Type": 4},
    {"Count": 3, "Type": "Half"},
    {"min": 1, "percentile(99%)": "x"},
    {"\x1b[0m": "=1+1"},
    [{"Name": "t", "Dimensions": "1x2", "Format/Datatype": 7}],
    [{"Name": "t", "Dimensions": [None, "3", 2.0, True, [1], {}], "Format/Datatype": "Half"}],
    nested(60),
    nested(60, "{"),
)
VALUES: tuple[Any, ...] = (None, True, False, *NUMBERS, *TEXTS, *CONTAINERS)
KEYS = ("", "Name", "Layers", "Bindings", "Inputs", "count", "\x1b[31m", "=1+1", "</title>", "\ud800", "type", "tactic")


def paths(document: Any, limit: int = 100_000) -> list[Path]:
    """Where the nodes of a document are, the root first; breadth first, so that a limit keeps the shallow ones."""
    result: list[Path] = [()]
    pending: list[tuple[Path, Any]] = [((), document)]
    for path, node in pending:
        items: Iterable[tuple[Any, Any]] = ()
        if isinstance(node, dict):
            items = iter(node.items())
        elif isinstance(node, list):
            items = enumerate(node)
        for key, child in items:
            if len(result) >= limit:
                return result
            result.append((*path, key))
            if isinstance(child, (dict, list)):
                pending.append(((*path, key), child))
    return result


def at(document: Any, path: Path) -> Any:
    for key in path:
        document = document[key]
    return document


def replaced(document: Any, path: Path, value: Any) -> Any:
    """A copy of the document with the node at ``path`` replaced; only what lies on the path is copied."""
    if not path:
        return value
    copied = dict(document) if isinstance(document, dict) else list(document)
    copied[path[0]] = replaced(document[path[0]], path[1:], value)
    return copied


def removed(document: Any, path: Path) -> Any:
    """A copy of the document without the node at ``path``."""
    parent = at(document, path[:-1])
    shorter = dict(parent) if isinstance(parent, dict) else list(parent)
    del shorter[path[-1]]
    return replaced(document, path[:-1], shorter)


def every_replacement(document: Any, values: tuple[Any, ...] = VALUES) -> Iterator[tuple[Path, Any, Any]]:
    """(path, value, document) with each node replaced by each value, and each node left out (value ``Ellipsis``)."""
    for path in paths(document):
        for value in values:
            yield path, value, replaced(document, path, value)
        if path:
            yield path, ..., removed(document, path)


def mutated(document: Any, random: Random, changes: int = 1) -> Any:
    """The document after some random changes of its structure."""
    for _ in range(changes):
        document = _changed(document, random)
    return document


def _changed(document: Any, random: Random) -> Any:
    addresses = paths(document, 4000)
    path = random.choice(addresses)
    kind = random.randrange(8)
    if kind == 0 and path:
        return removed(document, path)
    if kind == 1:
        return replaced(document, path, deepcopy(at(document, random.choice(addresses))))
    if kind == 2:
        return replaced(document, path, [at(document, path)])
    if kind == 3:
        return replaced(document, path, {random.choice(KEYS): at(document, path)})
    if kind == 4 and isinstance(node := at(document, path), dict):
        return replaced(document, path, {**node, random.choice(KEYS): deepcopy(random.choice(VALUES))})
    if kind == 5 and isinstance(node := at(document, path), list) and len(node) < 200:
        return replaced(document, path, [*node, *node])
    if kind == 6 and isinstance(node := at(document, path), dict) and node:
        old = random.choice(list(node))
        new = random.choice(KEYS)
        return replaced(document, path, {new if key == old else key: value for key, value in node.items()})
    return replaced(document, path, deepcopy(random.choice(VALUES)))
