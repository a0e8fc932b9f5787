"""Charts of sizes: weights, activations, and their sum, per layer and as distributions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from trex.views.chart import Chart, Subject
from trex.views.charting import AXES, NO_LAYERS, NO_SIZES, colors_for, layer_bars, numbers, texts, unknown_note
from trex.views.plot import Bars, Empty, Histogram

if TYPE_CHECKING:
    import pandas as pd


def _bars(subject: Subject, column: str) -> Bars | Empty:
    """One bar per layer; layers of 0 bytes are left out."""
    if subject.frame.empty:
        return NO_LAYERS
    sizes = numbers(subject.frame, column)
    return layer_bars(subject.frame[sizes != 0], column, empty=_no_sizes(sizes))


def _distribution(subject: Subject, column: str) -> Histogram | Empty:
    sizes = numbers(subject.frame, column)
    if not sizes.notna().any():
        return NO_LAYERS if subject.frame.empty else _no_sizes(sizes)
    return Histogram(
        sizes.tolist(),
        AXES[column],
        keys=texts(subject.frame, "type"),
        key_title="type",
        note=unknown_note(sizes, "of unknown size"),
        colors=colors_for("type"),
    )


def _no_sizes(sizes: pd.Series) -> Empty:
    return Empty("every layer of known size has 0 bytes") if sizes.notna().any() else NO_SIZES


_PER_LAYER = "Shows which layers hold or move most bytes. Layers of unknown size are left out and counted."
_DISTRIBUTION = "Shows whether a few layers or all of them make up the total."


def _pair(stem: str, title: str, column: str) -> tuple[Chart, Chart]:
    """The bars and the distribution of one column."""
    chart = partial(Chart, group="memory", is_classic=True)
    return (
        chart(f"{stem}-per-layer", f"{title} per layer", _PER_LAYER, partial(_bars, column=column)),
        chart(
            f"{stem}-distribution",
            f"{title} distribution per layer",
            _DISTRIBUTION,
            partial(_distribution, column=column),
        ),
    )


CHARTS = (
    *_pair("weights", "Weights footprint", "weights_size"),
    *_pair("activations", "Activation footprint", "total_io_size_bytes"),
    *_pair("total-footprint", "Total footprint", "total_footprint_bytes"),
)
