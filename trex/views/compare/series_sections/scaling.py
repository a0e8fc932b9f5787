"""Scaling: how the engine's and each module's time grow with the batch, and where a larger batch gains nothing more."""

from __future__ import annotations

from typing import Any

from trex.compare.scaling import LINEAR, ScalingCurve
from trex.compare.series import COMPUTE, EngineSeries
from trex.views.compare.scaling_plot import SCALING
from trex.views.document import Detail, Section, SectionPlug, section
from trex.views.table import Table, TableColumn


def make(series: EngineSeries, detail: Detail) -> Section | None:
    curves = series.scaling
    if not curves:
        return None
    batches = curves[0].batches
    columns = (
        TableColumn("module", "name"),
        *(TableColumn(f"batch {batch}", "ms", "ms") for batch in batches),
        TableColumn("exponent", "rate"),
        TableColumn(f"items/s at {batches[-1]} over those at {batches[0]}", "rate"),
        TableColumn("gain"),
    )
    return section(
        statements=(_statement(curves[0], series.main_times[0]),),
        tables=(Table("Time by batch", columns, tuple(map(_row, curves)), more="--top N").first(detail.top + 1),),
        blocks=(SCALING.block(series),),
        derivations=(
            ("exponent", "e of time ∝ batch^e by least squares of the logarithms: 0 costs nothing more, 1 is linear"),
            ("gain", f"linear from the batch on from which every step's exponent is at least {LINEAR}"),
        )
        if detail.explain
        else (),
    )


def _statement(whole: ScalingCurve, quantity: str) -> str:
    if whole.exponent is None:
        return "How the whole engine scales is unknown: too few of its times are known."
    first, last = whole.points[0][0], whole.points[-1][0]
    time = "time" if quantity == COMPUTE else quantity
    text = f"From batch {first} to {last} the {time} grows with batch^{whole.exponent:.2f}"
    if whole.saturates_at is None:
        return f"{text}; the largest batch still gains per item."
    if whole.saturates_at == first:
        return f"{text}: linear, so that a larger batch gains hardly anything per item."
    return f"{text}; beyond {whole.saturates_at} a larger batch gains hardly anything per item."


def _row(curve: ScalingCurve) -> tuple[Any, ...]:
    over_first = None if curve.ms[0] is None else curve.efficiency[-1]
    return (curve.name, *curve.ms, curve.exponent, over_first, curve.words)


SECTION = SectionPlug("Scaling", 25, make)
