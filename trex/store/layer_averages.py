"""Runs of one configuration → their sums of layer times by averages, where some have no medians."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from trex.compare.layer_times import AVERAGES
from trex.core.note import Note

if TYPE_CHECKING:
    import pandas as pd

    from trex.store.run_store import RunStore

_SQL = (
    "SELECT id, sum(average_ms), bool_or(median_ms IS NOT NULL), bool_or(average_ms IS NULL) FROM layers "
    "WHERE model = ? AND time_ms IS NOT NULL GROUP BY id"
)


def by_one_statistic(
    store: RunStore, model: str, runs: pd.DataFrame, parts: Sequence[np.ndarray], names: Sequence[str]
) -> Iterator[Note]:
    """Writes the averages into ``layer_sum_ms``; a sum without one is unknown. A Note for each part that has them.

    runs: rows of the table ``runs``, all of the model. parts: positions of the rows of each configuration.
    Medians of a profile are up to some percent below its averages, so a series has one of them.
    """
    facts = {run: (total, has_median, lacks) for run, total, has_median, lacks in store.queries.rows(_SQL, [model])}
    if len({has_median for _, has_median, _ in facts.values()}) < 2:
        return
    sums = runs["layer_sum_ms"].to_numpy(dtype=np.float64, na_value=np.nan, copy=True)
    ids = runs["id"].tolist()
    for rows, name in zip(parts, names, strict=True):
        own = {row: facts[ids[row]] for row in rows[~np.isnan(sums[rows])].tolist() if ids[row] in facts}
        if len({has_median for _, has_median, _ in own.values()}) < 2:
            continue
        for row, (total, has_median, lacks) in own.items():
            if has_median:
                sums[row] = np.nan if lacks else total
        message = f"{name}: the sums of layer times are of averages: some runs have no medians"
        yield Note(AVERAGES, message, "profile with TensorRT 8.4 or later")
    runs["layer_sum_ms"] = sums
