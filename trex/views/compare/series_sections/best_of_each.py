"""Best of each: from which engine each operation is taken for the least time, with conversions between them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trex.compare.best_of_each import RULE, BestOfEach, OperationChoice, OperationDecision, best_of_each
from trex.compare.prediction import NO_LAYER_BARS, error_pct
from trex.compare.series import EngineSeries, SeriesKind
from trex.core.counted import counted
from trex.core.errors import TrexError
from trex.views.document import Detail, Section, SectionPlug, section
from trex.views.table import Table, TableColumn


def make(series: EngineSeries, detail: Detail) -> Section | None:
    if SeriesKind.PRECISION not in series.varying:
        return None
    try:
        best = best_of_each(series)
    except TrexError:  # the verdict says why
        return None
    rows = sorted(
        (choice for choice in best.choices if _is_shown(best, choice)), key=lambda choice: -abs(choice.saving_ms or 0.0)
    )
    columns = (
        TableColumn("operation", "name"),
        *(TableColumn(name, "ms", "ms") for name in series.labels),
        TableColumn("take it from", "name"),
        TableColumn("faster by", "ms", "ms"),
        TableColumn("conversions saved", "ms", "ms"),
    )
    table = Table(
        "Operations that the fastest engine alone would not have",
        columns,
        tuple(_row(best, row) for row in rows),
        more="--top N",
    )
    return section(
        statements=(_statement(best), *_remarks(best)),
        tables=(table.first(detail.top),) if rows else (),
        derivations=(
            ("choice", RULE),
            ("conversion", f"at least {best.cost.floor_ms:.4f} ms, by {best.cost.source}"),
        ),
    )


def _is_shown(best: BestOfEach, choice: OperationChoice) -> bool:
    return choice.decision is not OperationDecision.UNDECIDED and choice.chosen != best.best_alone


def _statement(best: BestOfEach) -> str:
    series = best.series
    alone = best.alone_ms[best.best_alone]
    name = series.labels[best.best_alone]
    if all(
        choice.chosen == best.best_alone
        for choice in best.choices
        if choice.decision is not OperationDecision.UNDECIDED
    ):
        gains = "is predicted to gain" if best.origin else "gains"
        return f"Mixing {gains} nothing: {name} alone is the fastest ({alone:.4f} ms of layers)."
    taken = [
        f"{counted(len(names), 'operation')} from {label}"
        for index, label in enumerate(series.labels)
        if (names := best.taken_from(index))
    ]
    gain = 100.0 * (1.0 - best.mixed_ms / alone) if alone > 0.0 else 0.0
    less = "hardly" if gain < 0.1 else f"{gain:.1f} %"
    added = counted(best.conversions, "conversion")
    would = "are predicted to" if best.origin else "would"
    return (
        f"With the best of each the layers {would} take about {best.mixed_ms:.4f} ms, {less} less than {name} "
        f"alone ({alone:.4f} ms): {', '.join(taken)}, with {added} between them ({best.border_ms:.4f} ms)."
    )


def _remarks(best: BestOfEach) -> Iterator[str]:
    """What is not known of predicted times."""
    if not best.origin:
        return
    index = best.best_alone
    facts = best.series.facts[index]
    error = error_pct(best.series.plans[index], facts.compute_ms)
    bars = (
        ""
        if error is None
        else f" {best.series.labels[index]} alone may take {error[0]:.0f} % less to {error[1]:.0f} % more."
    )
    yield f"{best.origin[0].upper()}{best.origin[1:]}. {NO_LAYER_BARS}{bars}"


def _row(best: BestOfEach, choice: OperationChoice) -> tuple[Any, ...]:
    return (choice.row.name, *choice.row.ms, best.series.labels[choice.chosen], choice.gain_ms, choice.saved_ms)


SECTION = SectionPlug("Best of each", 60, make, is_folded=True)
