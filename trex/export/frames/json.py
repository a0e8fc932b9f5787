"""JSON: a list of one object per layer; unknown values are null, unprintable characters are escaped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trex.export.frame import FrameFormat, json_text, plain_value, with_provenance
from trex.plan.records import unique_names

if TYPE_CHECKING:
    import pandas as pd


def render(frame: pd.DataFrame) -> bytes:
    frame = with_provenance(frame)
    names = unique_names([plain_value(str(name)) for name in frame.columns])
    columns = {name: [plain_value(value) for value in frame.iloc[:, place]] for place, name in enumerate(names)}
    rows = [dict(zip(columns, values)) for values in zip(*columns.values())]
    return (json_text(rows, indent=1) + "\n").encode("utf-8")


FORMAT = FrameFormat(".json", render)
