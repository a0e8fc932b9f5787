"""JSON: a list of one object per layer; unknown values are null."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from trex.export.frame import FrameFormat, plain_value

if TYPE_CHECKING:
    import pandas as pd


def render(frame: pd.DataFrame) -> bytes:
    columns = {str(name): [plain_value(v) for v in frame.iloc[:, i]] for i, name in enumerate(frame.columns)}
    rows = [dict(zip(columns, values)) for values in zip(*columns.values())]
    return (json.dumps(rows, indent=1, ensure_ascii=False) + "\n").encode("utf-8", "replace")


FORMAT = FrameFormat(".json", render)
