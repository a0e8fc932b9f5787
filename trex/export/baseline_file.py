"""Baseline → JSON file whose lines differ only where the runs do: one fact, column of samples or layer a line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from trex.core.document_sha256 import SHA256, document_sha256
from trex.core.errors import TrexError
from trex.core.whole_file import is_stream, write_whole

_END = "\n}\n"


def baseline_text(document: Mapping[str, Any]) -> str:
    """The document as JSON in ASCII, its keys in the order given; ``layers``, and the SHA-256 of all, come last."""
    text = _text(document)
    return f'{text.removesuffix(_END)},\n "{SHA256}": "{document_sha256(text)}"{_END}'


def _text(document: Mapping[str, Any]) -> str:
    facts = _value({name: value for name, value in document.items() if name != "layers"}).removesuffix("\n}")
    layers = ",\n".join(f"  {_layer(row)}" for row in document["layers"])
    return f'{facts},\n "layers": [\n{layers}\n ]{_END}'


def write_baseline(path: Path, document: Mapping[str, Any], is_new: bool = False) -> Path:
    """Writes the file whole, with the folders that lead to it. is_new: there must be none. Raises TrexError where that
    is not possible.
    """
    for part in (path, path.parent, path.parent.parent):  # of whoever wrote the repository
        if part.is_symlink():
            raise TrexError("a link is in the place of the baseline", "remove the link", str(part))
    if is_stream(str(path)):
        raise TrexError("a pipe or a device is in the place of the baseline", "remove it", str(path))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TrexError(
            f"the folder cannot be made: {error.strerror or error}", "check its place and permissions", str(path.parent)
        ) from error
    return write_whole(path, baseline_text(document), is_new)


def _value(value: Any, indent: str = "") -> str:
    if not isinstance(value, dict) or not value:
        return json.dumps(value, allow_nan=False)
    body = ",\n".join(f"{indent} {json.dumps(key)}: {_value(item, indent + ' ')}" for key, item in value.items())
    return f"{{\n{body}\n{indent}}}"


def _layer(row: Mapping[str, Any]) -> str:
    """Times in a line of their own: they differ from run to run, the layer does not."""
    times = json.dumps({key: value for key, value in row.items() if key != "layer"}, allow_nan=False)[:-1]
    return f'{times},\n   "layer": {json.dumps(row["layer"])}}}'
