"""Charts of where the time goes: by layer, by type, by precision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial

from trex.views.chart import Chart, Subject
from trex.views.charting import (
    AXES,
    NO_LAYERS,
    NOT_PROFILED,
    SUM_OF_TIMES,
    TIME,
    colors_for,
    count_and_time,
    grouped_bars,
    layer_bars,
    layer_indexes,
    numbers,
    texts,
    unknown_note,
)
from trex.views.palette import LAYER_COLORS, PRECISION_COLORS
from trex.views.plot import Axis, Bars, Empty, Histogram, Pies, Tree


def _layers(subject: Subject, column: str = TIME, by: str = "type") -> Bars | Empty:
    return layer_bars(subject.frame, column, by) if len(subject.frame) else NO_LAYERS


def _counts(subject: Subject, by: str = "") -> Bars | Empty:
    return NO_LAYERS if subject.frame.empty else grouped_bars(subject.frame, "type", Axis("layers"), by=by)


def _times(subject: Subject, column: str, axis: Axis) -> Bars | Empty:
    if numbers(subject.frame, column).isna().all():
        return NOT_PROFILED
    return grouped_bars(subject.frame, "type", axis, column)


def _distribution(subject: Subject) -> Histogram | Empty:
    times = numbers(subject.frame, TIME)
    if times.isna().all():
        return NOT_PROFILED
    return Histogram(
        times.tolist(),
        AXES[TIME],
        keys=texts(subject.frame, "type"),
        key_title="type",
        note=unknown_note(times),
        colors=colors_for("type"),
    )


def _rollup(subject: Subject) -> Pies | Empty:
    if subject.frame.empty:
        return NO_LAYERS
    note = unknown_note(numbers(subject.frame, TIME))
    return Pies(count_and_time(subject.frame, "precision"), colors=PRECISION_COLORS, note=note)


def _tree(subject: Subject, levels: Sequence[str], kind: str) -> Tree | Empty:
    """Average times of layers by the values of columns; the last one names the layer."""
    times = numbers(subject.frame, TIME)
    if not times.notna().any():
        return NOT_PROFILED if len(subject.frame) else NO_LAYERS
    if not (times > 0).any():
        return Empty("every profiled layer takes 0 ms", "profile with more iterations: --iterations=100")
    columns = [texts(subject.frame, level) for level in levels]
    repeated = {name for name, count in Counter(columns[-1]).items() if count > 1}
    paths = [
        (*path[:-1], f"{path[-1]} (layer {row})") if path[-1] in repeated else path
        for row, path in enumerate(zip(*columns, strict=True))
    ]
    return Tree(
        paths,
        times.tolist(),
        "ms",
        kind,
        keys=texts(subject.frame, "type"),
        key_title="type",
        note=unknown_note(times),
        layers=layer_indexes(subject.frame),
        colors=LAYER_COLORS,
    )


_new = partial(Chart, group="performance")
_classic = partial(Chart, group="performance", is_classic=True)
_BY_TYPE = "Shows which types of layers take the time. The most expensive type comes first."

CHARTS = (
    _classic(
        "latency-per-layer-pct",
        "Latency per layer (%)",
        "One bar per layer: its share of the sum of all average times.",
        partial(_layers, column="latency.pct_time"),
    ),
    _classic(
        "latency-per-layer-ms",
        "Latency per layer (ms)",
        "One bar per layer: its average time. Time goes into the tall bars; patterns that repeat are the blocks of the "
        "model.",
        _layers,
    ),
    _classic(
        "latency-distribution",
        "Layer latency distribution",
        "How many layers take how long, colored by type. Look at each layer in the tail on the right. A peak on the "
        "left is many small kernels, which pay for their launches.",
        _distribution,
    ),
    _classic(
        "precision-per-layer",
        "Precision per layer",
        "Shows which precisions the time is spent in, and where the engine changes from one to another.",
        partial(_layers, by="precision"),
    ),
    _classic(
        "output-precision-per-layer",
        "Output precision per layer",
        "Time per layer, colored by the precision of its first output. Shows layers that compute in one precision and "
        "write another, such as quantized convolutions that write floats.",
        partial(_layers, by="output_precision"),
    ),
    _classic(
        "count-per-type",
        "Count per layer type",
        "Shows what the engine is made of. Many Reformat layers among few others deserve a look.",
        _counts,
    ),
    _classic(
        "latency-per-type-ms",
        "Latency per layer type (ms)",
        _BY_TYPE,
        partial(_times, column=TIME, axis=SUM_OF_TIMES),
    ),
    _classic(
        "latency-per-type-pct",
        "Latency per layer type (%)",
        _BY_TYPE,
        partial(_times, column="latency.pct_time", axis=AXES["latency.pct_time"]),
    ),
    _classic(
        "precision-per-type",
        "Precision per layer type",
        "Number of layers of each type, colored by precision. Shows types that run in a wider precision than the rest.",
        partial(_counts, by="precision"),
    ),
    _classic(
        "precision-rollup",
        "Precision rollup",
        "Two pies: how many layers compute in each precision, and how much time they take. A precision with few layers "
        "and much time is where a narrower one pays.",
        _rollup,
    ),
    _new(
        "latency-sunburst",
        "Latency by type and layer",
        "Types in the middle and their layers around them, each as wide as its time.",
        partial(_tree, levels=("type", "Name"), kind="sunburst"),
    ),
    _new(
        "latency-treemap",
        "Latency by type and precision",
        "The same times as areas, which are easier to compare in engines with many layers.",
        partial(_tree, levels=("type", "precision", "Name"), kind="treemap"),
    ),
)
