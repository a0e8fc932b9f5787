"""Keywords of a Python call → DiagramStyle and Selection, each checked, so that a misspelling is an error."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from inspect import Parameter
from typing import Any

from trex.core.errors import TrexError
from trex.core.near_names import did_you_mean
from trex.core.options import option_fields
from trex.graph.find import split_radius
from trex.graph.select import QUERY_FIELDS, Selection
from trex.views.diagram.style import DiagramStyle

_STYLE = {field.name: field.default for field in option_fields(DiagramStyle)}
_SELECTION = {field.name: field.default for field in dataclasses.fields(Selection)}
KEYWORDS: dict[str, Any] = {**_STYLE, **_SELECTION}


def style_and_selection(keywords: Mapping[str, Any]) -> tuple[DiagramStyle, Selection]:
    """What a call's keywords ask for: fields of ``DiagramStyle``, and of ``Selection`` as the command line takes them.

    beam: ``"NODE,RADIUS"`` or (node, radius); a node is a name, a part of one name only, or a layer's index.
    between: ``"A,B"`` or (node, node). highlight_layers: a name or several. None stands for the default.
    Raises TrexError for a word that is no keyword, and for a value that the keyword does not take.
    """
    given = {name: value for name, value in keywords.items() if value is not None}
    for name in keywords:
        if name not in KEYWORDS:
            raise TrexError(f"{name!r} is no option of a drawing", did_you_mean(name, KEYWORDS, _list_of(KEYWORDS)))
    style = {name: _checked(name, given[name], _STYLE[name]) for name in _STYLE if name in given}
    selection = {name: _checked(name, given[name], _SELECTION[name]) for name in _SELECTION if name in given}
    if "query" in selection and selection.get("query_in", "any") not in QUERY_FIELDS:
        raise TrexError(f"{selection['query_in']!r} is nothing to search in", _list_of(QUERY_FIELDS))
    if selection.get("neighbors") and not selection.get("hottest"):
        raise TrexError("neighbors goes with hottest", "for example: hottest=5, neighbors=True")
    return DiagramStyle(**style), Selection(**selection)


def parameters() -> list[Parameter]:
    """The keywords as parameters of a function, for its signature."""
    return [Parameter(name, Parameter.KEYWORD_ONLY, default=default) for name, default in KEYWORDS.items()]


def _list_of(names: Iterable[str]) -> str:
    return f"one of {', '.join(names)}"


def _checked(name: str, value: Any, default: Any) -> Any:
    if name == "beam":
        return _beam(value)
    if name == "between":
        return _between(value)
    if name == "highlight_layers":
        return _names(value)
    wanted = type(default)
    if wanted is int and hasattr(value, "__index__") and not isinstance(value, bool):
        value = value.__index__()
        if value >= 0 or value == default:
            return value
        raise TrexError(f"{name}={value} is not a count", f"a whole number from 0 up, as in {name}=3")
    if wanted is bool and type(value).__name__ in ("bool", "bool_"):
        return bool(value)
    if wanted is str and isinstance(value, str):
        return str(value)
    raise TrexError(
        f"{name} takes {_KINDS[wanted]}, not {type(value).__name__}", f"for example: {name}={_EXAMPLES[wanted]}"
    )


_KINDS = {bool: "True or False", int: "a whole number", str: "a text"}
_EXAMPLES = {bool: "True", int: "3", str: "'…'"}


def _beam(value: Any) -> tuple[str, int]:
    if isinstance(value, str):
        return split_radius(value)
    node, radius = _pair(value, "beam", "a layer and a radius", "beam=('conv1', 2)")
    if not hasattr(radius, "__index__") or isinstance(radius, bool) or radius < 0:
        raise TrexError(f"the radius of beam is {radius!r}", "a whole number of steps: beam=('conv1', 2)")
    return str(node), radius.__index__()


def _between(value: Any) -> str | tuple[str | int, str | int]:
    return value if isinstance(value, str) else _pair(value, "between", "two layers", "between=('conv1', 'fc')")


def _pair(value: Any, name: str, what: str, example: str) -> tuple[Any, Any]:
    pair = tuple(value) if isinstance(value, list | tuple) else ()
    if len(pair) != 2:
        raise TrexError(f"{name} takes {what}, not {value!r}", f"for example: {example}")
    return pair


def _names(value: Any) -> tuple[str, ...]:
    names = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, Iterable) else None
    if names is None or not all(isinstance(name, str) for name in names):
        raise TrexError("highlight_layers takes names of layers", "for example: highlight_layers=['conv1', 'fc']")
    return tuple(str(name) for name in names)
