"""fact: a field of a dataclass that is also a column, with its unit and meaning."""

from __future__ import annotations

from dataclasses import MISSING, Field, field, fields
from typing import Any

_MEANING = "meaning"


def fact(meaning: str, unit: str = "", default: Any = None, default_factory: Any = MISSING) -> Any:
    """unit: "" if there is none. Unknown is None, the default."""
    metadata = {_MEANING: meaning, "unit": unit}
    if default_factory is not MISSING:
        return field(default_factory=default_factory, metadata=metadata)
    return field(default=default, metadata=metadata)


def fact_fields(dataclass: Any) -> tuple[Field[Any], ...]:
    """The fields that are columns, in order."""
    return tuple(entry for entry in fields(dataclass) if _MEANING in entry.metadata)
