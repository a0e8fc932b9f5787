"""Runs of one configuration → a Note if layers and GPU compute of the newest ones are of two runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from trex.compare.two_runs import OTHER_COUNT, tolerance_ms
from trex.core.note import Note
from trex.ingest.differing_times import TWO_RUNS
from trex.plan.gaps import NO_GAPS
from trex.store.run import MEASURED

if TYPE_CHECKING:
    import pandas as pd

_FEWEST = 4
_COLUMNS = ["layer_sum_ms", "gpu_compute_ms", "enqueue_ms", "timed_layers"]
_HINT = "keep the files of one run together, and measure with locked clocks"


def unshared_growth(runs: pd.DataFrame, name: str) -> Iterator[Note]:
    """runs: rows of the table ``runs``, in order. name: of the configuration.

    Where the GPU never waits, GPU compute is the sum of the layers less the cost of timing each of them, which is that
    of most runs.
    """
    if len(runs) < _FEWEST:
        return
    layers_ms, compute_ms, enqueue_ms, layers = runs[_COLUMNS].to_numpy(dtype=np.float64, na_value=np.nan).T
    is_alone = [(options or {}).get("inference streams") in (None, "1") for options in runs["options"]]
    is_known = (enqueue_ms < NO_GAPS * compute_ms) & (layers > 0.0) & (layers_ms > 0.0) & is_alone
    is_known &= (runs["provenance"] == MEASURED).to_numpy(dtype=bool)
    if is_known[-1]:
        is_known &= (layers <= OTHER_COUNT * layers[-1]) & (layers[-1] <= OTHER_COUNT * layers)
    if is_known.sum() < _FEWEST or not is_known[-1]:
        return
    layers_ms, compute_ms, layers = (values[is_known] for values in (layers_ms, compute_ms, layers))
    off_ms = layers_ms - layers * np.median((layers_ms - compute_ms) / layers) - compute_ms
    is_off = np.abs(off_ms) > tolerance_ms(np.maximum(compute_ms, np.median(compute_ms)), layers)
    newest = len(is_off) if is_off.all() else int(np.argmin(is_off[::-1]))
    if newest:
        grown = ("the layers", "GPU compute") if off_ms[-1] > 0.0 else ("GPU compute", "the layers")
        which = "the newest run" if newest == 1 else f"the newest {newest:,} runs"
        message = (
            f"{name}: in {which}, {grown[0]} grew more than {grown[1]}: layers and queries are of two runs, "
            "or of other clocks"
        )
        yield Note(TWO_RUNS, message, _HINT)
