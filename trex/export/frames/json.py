"""JSON: a list of one object per layer; unknown values are null, unprintable characters are escaped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trex.export.frame import FrameFormat, json_text, plain_value

if TYPE_CHECKING:
    import pandas as pd


def render(frame: pd.DataFrame) -> bytes:
    columns = {
        plain_value(str(name)): [plain_value(v) for v in frame.iloc[:, i]] for i, name in enumerate(frame.columns)
    }
    rows = [dict(zip(columns, values)) for values in zip(*columns.values())]
    return (json_text(rows, indent=1) + "\n").encode("utf-8")


FORMAT = FrameFormat(".json", render)
