"""Keywords of a Python call → DiagramStyle and Selection, each checked, so that a misspelling is an error."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from inspect import Parameter
from typing import Any

from trex.core.errors import TrexError
from trex.core.near_names import did_you_mean
from trex.core.options import option_fields
from trex.graph.select import Selection
from trex.views.diagram.style import DiagramStyle

_STYLE = {field.name: field.default for field in option_fields(DiagramStyle)}
_SELECTION = {field.name: field.default for field in option_fields(Selection)}
KEYWORDS: dict[str, Any] = {**_STYLE, **_SELECTION}


def style_and_selection(keywords: Mapping[str, Any]) -> tuple[DiagramStyle, Selection]:
    """What a call's keywords ask for: fields of ``DiagramStyle`` and of ``Selection``.

    highlight_layers: a name or several. None stands for the default.
    Raises TrexError for a word that is no keyword, and for a value that the keyword does not take.
    """
    for name in keywords:
        if name not in KEYWORDS:
            otherwise = f"one of {', '.join(KEYWORDS)}"
            raise TrexError(f"{name!r} is no option of a drawing", did_you_mean(name, KEYWORDS, otherwise))
    given = {name: _checked(name, value) for name, value in keywords.items() if value is not None}
    style = {name: value for name, value in given.items() if name in _STYLE}
    return DiagramStyle(**style), Selection(**{name: given[name] for name in given.keys() - style.keys()})


def parameters() -> list[Parameter]:
    """The keywords as parameters of a function, for its signature."""
    return [Parameter(name, Parameter.KEYWORD_ONLY, default=default) for name, default in KEYWORDS.items()]


def _checked(name: str, value: Any) -> Any:
    if type(value) is type(KEYWORDS[name]) and value == KEYWORDS[name]:
        return value
    kind, example, converted = _KINDS[name] if name in _KINDS else _KINDS[type(KEYWORDS[name])]
    result = converted(value)
    if result is None:
        raise TrexError(f"{name} takes {kind}, not {value!r}", f"for example: {name}={example}")
    return result


def _flag(value: Any) -> bool | None:
    return bool(value) if type(value).__name__ in ("bool", "bool_") else None


def _count(value: Any) -> int | None:
    if not hasattr(value, "__index__") or isinstance(value, bool):
        return None
    number: int = value.__index__()
    return number if number >= 0 else None


def _text(value: Any) -> str | None:
    return str(value) if isinstance(value, str) else None


def _beam(value: Any) -> str | tuple[str, int] | None:
    pair = _pair(value)
    if pair is None or isinstance(pair, str):
        return pair
    radius = _count(pair[1])
    return None if radius is None else (str(pair[0]), radius)


def _pair(value: Any) -> str | tuple[Any, ...] | None:
    if isinstance(value, str):
        return value
    return tuple(value) if isinstance(value, list | tuple) and len(value) == 2 else None


def _names(value: Any) -> tuple[str, ...] | None:
    names = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, Iterable) else None
    if names is None or not all(isinstance(name, str) for name in names):
        return None
    return tuple(str(name) for name in names)


_KINDS: dict[type | str, tuple[str, str, Callable[[Any], Any]]] = {
    bool: ("True or False", "True", _flag),
    int: ("a whole number from 0 up", "3", _count),
    str: ("a text", "'…'", _text),
    "beam": ("a layer and a radius", "('conv1', 2)", _beam),
    "between": ("two layers", "('conv1', 'fc')", _pair),
    "highlight_layers": ("names of layers", "['conv1', 'fc']", _names),
}
