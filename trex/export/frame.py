"""Any value → JSON-ready data and JSON text that is safe to print."""

from __future__ import annotations

import json
import math
import re
from typing import Any

# In addition to what JSON demands: DEL, C1 controls, line ends, direction marks, halves of surrogate pairs.
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def plain_value(value: Any) -> Any:
    """The cell as JSON-ready data: NaN, infinities and missing values are None, numpy scalars are Python's.

    Half a surrogate pair, which no encoding can write, becomes U+FFFD.
    """
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return value if value.isprintable() else _SURROGATE.sub("\ufffd", value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {plain_value(str(key)): plain_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_value(item) for item in value]
    if hasattr(value, "item"):
        return plain_value(value.item())
    return None if value != value else str(value)


def json_text(value: Any, indent: int | None = None) -> str:
    """JSON that reads well and is safe to print: printable characters as they are, all others as escapes.

    Raises ValueError for NaN and infinities, which JSON does not have.
    """
    text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    return _UNPRINTABLE.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    return json.dumps(match[0])[1:-1]


def text_cell(value: Any) -> Any:
    """The cell for formats without nesting: lists and dictionaries become JSON text, missing becomes None."""
    value = plain_value(value)
    return json_text(value) if isinstance(value, list | dict) else value
