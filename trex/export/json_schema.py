"""Types of JSON documents → JSON Schema (draft 2020-12), one per command."""

from __future__ import annotations

import types
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_args, get_origin, get_type_hints

from trex.export.documents.json import JsonDocument

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


def schema_of(command: str) -> dict[str, Any]:
    """The schema of one command's JSON; ``schema`` in it names the command and the version."""
    if command == "schema":
        return {"$schema": DIALECT, "title": "trex schema", "$ref": DIALECT}
    definitions: dict[str, Any] = {}
    root = _object(JsonDocument, definitions)
    root["properties"]["schema"] = {"const": f"trex.{command}/1"}
    return {"$schema": DIALECT, "title": f"trex {command} --json", **root, "$defs": definitions}


def _object(cls: type, definitions: dict[str, Any]) -> dict[str, Any]:
    """A dataclass as an object; fields with a default may be absent."""
    hints = get_type_hints(cls)
    required = [field.name for field in fields(cls) if field.default is MISSING and field.default_factory is MISSING]
    return {
        "type": "object",
        "description": " ".join((cls.__doc__ or "").split()),
        "properties": {field.name: _type(hints[field.name], definitions) for field in fields(cls)},
        "required": required,
        "additionalProperties": False,
    }


def _type(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    if hint is Any:
        return {}
    if hint in _PLAIN:
        return {"type": _PLAIN[hint]}
    if isinstance(hint, type) and is_dataclass(hint):
        if hint.__name__ not in definitions:
            definitions[hint.__name__] = {}
            definitions[hint.__name__] = _object(hint, definitions)
        return {"$ref": f"#/$defs/{hint.__name__}"}
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is list:
        return {"type": "array", "items": _type(arguments[0], definitions)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _type(arguments[1], definitions)}
    if origin is types.UnionType:
        return {"anyOf": [_type(argument, definitions) for argument in arguments]}
    raise TypeError(f"no JSON type for {hint}")
