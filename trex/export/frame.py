"""DataFrame → file: the registry of formats, and how cells that are lists or come from an engine are written."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trex.core.errors import TrexError
from trex.core.provenance import COLUMN
from trex.core.registry import Registry
from trex.export.files import write_file
from trex.plan.records import unique_names

if TYPE_CHECKING:
    import pandas as pd

# Beyond what JSON itself demands: DEL, C1 controls, what ends a line or turns text around, halves of surrogate pairs.
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class FrameFormat:
    """suffix: file name ending. render: DataFrame → bytes. is_text: whether it may go to a terminal."""

    suffix: str
    render: Callable[[pd.DataFrame], bytes]
    is_text: bool = True


FORMATS = Registry("trex.export.frames", "FORMAT")


def write_frame(frame: pd.DataFrame, path: str | Path, format: str | None = None) -> Path:
    """Writes the DataFrame; the format is named or taken from the suffix. Returns the path.

    Raises TrexError for a suffix no format has, or a folder that does not exist.
    """
    path = Path(path)
    if format is None:
        format = next((name for name, plug in FORMATS.items() if plug.value.suffix == path.suffix.lower()), None)
        if format is None:
            known = ", ".join(plug.value.suffix for plug in FORMATS.values())
            raise TrexError(f"no format writes files ending in {path.suffix!r}", f"known endings: {known}", str(path))
    return write_file(path, FORMATS.chosen(format).value.render(frame))


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
    """JSON that reads well and is safe to print: what is printable stands as it is, all else as an escape.

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


def with_provenance(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with a column that says that it was predicted, where it was: tables travel without their titles."""
    label = frame.attrs.get(COLUMN)
    return frame.assign(**{COLUMN: label}) if label and COLUMN not in frame.columns else frame


def flat_frame(frame: pd.DataFrame, cell: Callable[[Any], Any] = text_cell) -> pd.DataFrame:
    """A copy whose column names are text, each once, and in which every object column holds plain values only."""
    import pandas as pd

    frame = with_provenance(frame)
    columns = {}
    for position, name in enumerate(unique_names([plain_value(str(name)) for name in frame.columns])):
        column = frame.iloc[:, position]
        if column.dtype.kind not in "ifub":
            column = pd.Series([cell(value) for value in column], index=column.index, dtype=object)
        columns[name] = column
    return pd.DataFrame(columns, index=frame.index)
