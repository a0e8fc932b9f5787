"""Baseline → JSON file whose lines differ only where the runs do: one fact, ten samples or one layer a line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from trex.core.errors import TrexError
from trex.export.files import write_file

_IN_A_LINE = 10


def baseline_text(document: Mapping[str, Any]) -> str:
    """The document as JSON in ASCII, its keys in the order given."""
    parts = [f" {_json(name)}: {_value(name, value)}" for name, value in document.items()]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def write_baseline(path: Path, document: Mapping[str, Any]) -> Path:
    """Writes the file whole, with the folders that lead to it. Raises TrexError where that is not possible."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TrexError(
            f"the folder cannot be made: {error.strerror or error}", "check its place and permissions", str(path.parent)
        ) from error
    return write_file(path, baseline_text(document))


def _value(name: str, value: Any) -> str:
    if name == "layers":
        return _block("[", (_layer(row) for row in value), "]", " ")
    if name == "samples":
        return _block("{", (f"{_json(key)}: {_column(values)}" for key, values in value.items()), "}", " ")
    if isinstance(value, dict):
        return _block("{", _facts(value), "}", " ")
    return _json(value)


def _facts(facts: Mapping[str, Any]) -> Iterator[str]:
    for key, value in facts.items():
        yield f"{_json(key)}: {_block('{', _pairs(value), '}', '  ') if isinstance(value, dict) else _json(value)}"


def _pairs(facts: Mapping[str, Any]) -> Iterator[str]:
    return (f"{_json(key)}: {_json(value)}" for key, value in facts.items())


def _column(values: Any) -> str:
    if not isinstance(values, list):
        return _json(values)
    lines = (values[start : start + _IN_A_LINE] for start in range(0, len(values), _IN_A_LINE))
    return _block("[", (", ".join(map(_json, line)) for line in lines), "]", "  ")


def _layer(row: Mapping[str, Any]) -> str:
    """Times in a line of their own: they differ from run to run, the layer does not."""
    times = ", ".join(f"{_json(key)}: {_json(value)}" for key, value in row.items() if key != "layer")
    return f'{{{times},\n   "layer": {_json(row["layer"])}}}'


def _block(begin: str, lines: Iterator[str], end: str, indent: str) -> str:
    body = ",\n".join(f"{indent} {line}" for line in lines)
    return f"{begin}\n{body}\n{indent}{end}" if body else f"{begin}{end}"


def _json(value: Any) -> str:
    return json.dumps(value, allow_nan=False)
