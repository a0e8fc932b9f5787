"""Charts of convolutions: one bar each, in execution order."""

from __future__ import annotations

from functools import partial

from trex.views.chart import Chart, Subject
from trex.views.charting import NO_GEMMS, NOT_PROFILED, TIME, layer_bars, no_layers_of
from trex.views.plot import Bars, Empty


def convolution_bars(subject: Subject, column: str = TIME, by: str = "precision", shade: str = "") -> Bars | Empty:
    rows = subject.convolutions
    if rows.empty:
        return no_layers_of("Convolution")
    needs_times = column == TIME or "efficiency" in column
    return layer_bars(rows, column, by, shade, NOT_PROFILED if needs_times else NO_GEMMS)


_classic = partial(Chart, group="convolutions", is_classic=True)

CHARTS = (
    _classic(
        "convolution-latency-by-precision",
        "Latency per layer (color = precision)",
        "Shows which convolutions run in a wider precision, and what they cost.",
        convolution_bars,
    ),
    _classic(
        "convolution-latency-by-macs",
        "Latency per layer (color = FMAs)",
        "Slow convolutions with few MACs are tall and dark.",
        partial(convolution_bars, shade="attr.macs"),
    ),
    _classic(
        "convolution-latency-by-data",
        "Latency per layer (color = data size)",
        "Shows whether time follows the size of inputs, outputs and weights.",
        partial(convolution_bars, shade="total_footprint_bytes"),
    ),
    _classic(
        "convolution-latency-by-intensity",
        "Latency per layer (color = arithmetic intensity)",
        "Slow convolutions of low intensity wait for memory, those of high intensity for arithmetic.",
        partial(convolution_bars, shade="attr.arithmetic_intensity"),
    ),
    _classic(
        "convolution-latency-by-compute-efficiency",
        "Latency per layer (color = compute efficiency)",
        "Tall dark bars compute slowly for the time they take.",
        partial(convolution_bars, shade="attr.compute_efficiency"),
    ),
    _classic(
        "convolution-latency-by-groups",
        "Latency per layer (color = group size)",
        "Shows grouped and depthwise convolutions, which rarely reach the rate of dense ones.",
        partial(convolution_bars, by="attr.groups"),
    ),
    _classic(
        "convolution-latency-by-kernel",
        "Latency per layer (color = kernel size)",
        "Shows what large windows cost.",
        partial(convolution_bars, by="attr.kernel"),
    ),
    _classic(
        "convolution-data",
        "Convolution data footprints",
        "Shows where the memory traffic is: the bytes that each convolution must move at least.",
        partial(convolution_bars, column="total_footprint_bytes", by="type"),
    ),
    _classic(
        "convolution-macs",
        "Convolution FMAs",
        "Shows where the arithmetic is: the MACs of each convolution.",
        partial(convolution_bars, column="attr.macs"),
    ),
    _classic(
        "convolution-intensity",
        "Convolution arithmetic intensity",
        "MACs per byte of inputs, outputs and weights. Memory bounds bars below the ridge of the roofline, whatever "
        "the kernel.",
        partial(convolution_bars, column="attr.arithmetic_intensity"),
    ),
    _classic(
        "convolution-intensity-by-latency",
        "Convolution arithmetic intensity (color = latency)",
        "Less data, such as a narrower type, helps slow convolutions of low intensity.",
        partial(convolution_bars, column="attr.arithmetic_intensity", shade=TIME),
    ),
    _classic(
        "convolution-compute-efficiency",
        "Convolution compute efficiency",
        "MACs per ms. Low bars compute below the rate that others reach on the same device.",
        partial(convolution_bars, column="attr.compute_efficiency"),
    ),
    _classic(
        "convolution-memory-efficiency",
        "Convolution memory efficiency",
        "Bytes per ms. Low bars that are low in compute efficiency, too, reach neither limit: look at their tactic and "
        "shapes.",
        partial(convolution_bars, column="attr.memory_efficiency"),
    ),
)
