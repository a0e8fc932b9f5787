"""Tool: one thing that an agent can ask, its arguments and what it answers."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import UnionType
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from trex.core.options import REQUIRED, option_fields

if TYPE_CHECKING:
    from trex.agents.session import Session
    from trex.views.document import Document

MOST_ROWS = 200
"""Of one answer, whatever its budget."""
LONGEST_ARGUMENT = 2000
HEAD = ("title", "subtitle", "statement", "notes")
_PARTS = ("text", "facts", "tables", "findings", "notes", "data")


def parts_of(section: str = "*") -> tuple[str, ...]:
    """What agents get of a section: all but charts, whose numbers tables have, and derivations."""
    return tuple(f"sections.{section}.{part}" for part in _PARTS)


_KINDS = {str: "string", int: "integer", bool: "boolean"}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool found.

    make: number of rows → the document with at most so many. fields: the parts of its JSON to keep.
    rows: how many to begin with; fewer are shown where they do not fit. offset, total: of the first row and of all
    rows, for tools that page. command: the command line that shows all of it.
    """

    make: Callable[[int], Document]
    command: str
    fields: tuple[str, ...] = (*HEAD, *parts_of())
    rows: int = 50
    offset: int = 0
    total: int | None = None


@dataclass(frozen=True, slots=True)
class Tool:
    """arguments: a frozen dataclass made of ``core.options.option`` fields. schema: the command whose JSON it answers
    with. run: raises TrexError.
    """

    arguments: type
    schema: str
    run: Callable[[Any, Session], Answer]


def input_schema(arguments: type) -> dict[str, Any]:
    """The JSON Schema of a tool's arguments."""
    hints = get_type_hints(arguments)
    properties = {}
    required = []
    for field in option_fields(arguments):
        one = _kind(hints[field.name], field.choices)
        properties[field.name] = {**one, "description": field.help}
        if field.default is REQUIRED:
            required.append(field.name)
        elif field.default not in ("", ()):
            properties[field.name]["default"] = field.default
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _kind(hint: Any, choices: Sequence[str]) -> dict[str, Any]:
    if isinstance(hint, UnionType):
        return {"anyOf": [_kind(one, choices) for one in get_args(hint)]}
    if hint in _KINDS:
        limits = {"minimum": 0} if hint is int else {"maxLength": LONGEST_ARGUMENT} if hint is str else {}
        return {"type": _KINDS[hint], **({"enum": list(choices)} if choices else limits)}
    return {"type": "array", "items": _kind(get_args(hint)[0], choices), "maxItems": 32}


def arguments_of(tool: Tool, given: dict[str, Any]) -> Any:
    """The arguments as the tool's dataclass; given: valid by its schema."""
    names = {field.name for field in dataclasses.fields(tool.arguments)}
    return tool.arguments(**{name: _argument(value) for name, value in given.items() if name in names})


def _argument(value: Any) -> Any:
    """Lists as tuples; numbers are integers, which JSON may write as ``2.0``."""
    if isinstance(value, list):
        return tuple(map(_argument, value))
    return int(value) if isinstance(value, float) else value
