"""Charts of convolutions and matrix products as GEMMs: their sizes, and how efficient they are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from trex.views.chart import Chart, Subject
from trex.views.charting import AXES, NO_GEMMS, NOT_PROFILED, TIME, layer_indexes, numbers, texts, unknown_note
from trex.views.palette import PRECISION_COLORS
from trex.views.plot import Empty, Points


def _points(subject: Subject, columns: Sequence[str], shade: str = "") -> Points | Empty:
    """One point per GEMM whose values are all known: of two columns in the plane, of three in 3D."""
    rows = subject.gemms
    if rows.empty:
        return NO_GEMMS
    values = {column: numbers(rows, column) for column in (*columns, shade) if column}
    known = numbers(rows, "attr.macs").notna()
    for series in values.values():
        known &= series.notna()
    if not known.any():
        return NOT_PROFILED
    shown = {column: series[known].tolist() for column, series in values.items()}
    x, y, *z = columns
    rows = rows[known]
    return Points(
        shown[x],
        shown[y],
        AXES[x],
        AXES[y],
        z=shown[z[0]] if z else (),
        z_axis=AXES[z[0]] if z else None,
        texts=texts(rows, "Name"),
        keys=() if shade else texts(rows, "precision"),
        key_title="" if shade else "precision",
        shades=shown.get(shade, ()),
        shade_axis=AXES.get(shade),
        note=unknown_note(known.where(known), "left out: a value is unknown"),
        layers=layer_indexes(rows),
        colors=PRECISION_COLORS,
    )


_size = partial(Chart, group="gemms", is_classic=True)
_efficiency = partial(Chart, group="efficiency", is_classic=True)
_MNK = ("attr.M", "attr.N", "attr.K")
_SLOW_SIZES = (
    "Shows which sizes of GEMMs are slow or fast. A convolution counts as an implicit GEMM: M is output positions, N "
    "output channels, and K the length of the sums."
)
_OUTLIERS = "Shows GEMMs that are far from others of their size."
_MACS, _DATA, _INTENSITY = "attr.macs", "total_footprint_bytes", "attr.arithmetic_intensity"
_COMPUTE, _MEMORY = "attr.compute_efficiency", "attr.memory_efficiency"

CHARTS = (
    *(
        _size(
            f"gemm-mnk-by-{name}",
            f"M, N and K of GEMMs (color = {name.replace('-', ' ')})",
            _SLOW_SIZES,
            partial(_points, columns=_MNK, shade=shade),
        )
        for name, shade in (
            ("latency", TIME),
            ("arithmetic-intensity", _INTENSITY),
            ("compute-efficiency", _COMPUTE),
            ("memory-efficiency", _MEMORY),
        )
    ),
    *(
        _size(
            f"gemm-{size.lower()}-by-latency",
            f"{size} against latency",
            f"Shows how the time of GEMMs grows with {size}.",
            partial(_points, columns=(f"attr.{size}", TIME)),
        )
        for size in "MNK"
    ),
    _efficiency(
        "efficiency-by-latency-3d",
        "Efficiency against latency",
        "Shows slow GEMMs that use neither the arithmetic nor the memory of the device well.",
        partial(_points, columns=(_COMPUTE, _MEMORY, TIME)),
    ),
    _efficiency("latency-by-macs", "Latency against FMAs", _OUTLIERS, partial(_points, columns=(_MACS, TIME))),
    _efficiency("latency-by-data", "Latency against data size", _OUTLIERS, partial(_points, columns=(_DATA, TIME))),
    _efficiency(
        "latency-by-intensity",
        "Latency against arithmetic intensity",
        _OUTLIERS,
        partial(_points, columns=(_INTENSITY, TIME)),
    ),
    _efficiency(
        "compute-efficiency-by-intensity",
        "Compute efficiency against arithmetic intensity",
        _OUTLIERS,
        partial(_points, columns=(_INTENSITY, _COMPUTE)),
    ),
    _efficiency(
        "memory-efficiency-by-intensity",
        "Memory efficiency against arithmetic intensity",
        _OUTLIERS,
        partial(_points, columns=(_INTENSITY, _MEMORY)),
    ),
    _efficiency(
        "memory-efficiency-by-compute-efficiency",
        "Memory against compute efficiency",
        _OUTLIERS,
        partial(_points, columns=(_COMPUTE, _MEMORY)),
    ),
)
