"""Significance: the speed-up's interval, tests, samples, medians and percentiles behind the verdict."""

from __future__ import annotations

from collections.abc import Iterator

from trex.compare.plan_diff import PlanDiff
from trex.compare.prediction import REMARK, PredictedSpeedup
from trex.compare.significance import Significance
from trex.core.signed import signed
from trex.views.compare.sections.verdict import BARS, bars_of
from trex.views.document import Detail, Fact, Section, SectionPlug, section
from trex.views.table import Table, TableColumn

_PERCENTILES = (50.0, 90.0, 95.0, 99.0)


def make(comparison: PlanDiff, detail: Detail) -> Section | None:
    main = comparison.main
    others = [significance for significance in comparison.significances.values() if significance.key != main.key]
    tables = [_quantities((main, *others)), _percentiles(main)]
    return section(
        statements=tuple(_remarks(main)),
        facts=tuple(_facts(main)),
        tables=tuple(table for table in tables if table.rows),
    )


def _remarks(significance: Significance) -> Iterator[str]:
    if significance.is_one_run:
        return
    if significance.prediction is not None:
        yield REMARK
    elif significance.is_significant and significance.support_pct is not None:
        yield f"These runs can show differences of {significance.support_pct:.2g} % or more."


def _facts(significance: Significance) -> list[Fact]:
    facts = []
    if significance.speedup is not None:
        facts.append(Fact("speed-up (above 1: new is faster)", f"{significance.speedup:.4g}", significance.speedup))
    if significance.low is not None and significance.high is not None and not significance.is_one_run:
        name = "95 % interval" if significance.prediction is None else "error bars"
        facts.append(Fact(name, f"{significance.low:.4g} to {significance.high:.4g}"))
    facts.extend(_ends(significance.prediction))
    test = significance.comparison.rank_test if significance.comparison is not None else None
    if test is not None:
        p = test.p if test.p_corrected is None else test.p_corrected
        odds = f"p = {p:.2g}" if p > 0.0 else "p < 1e-300"
        facts.append(
            Fact("Mann–Whitney test", f"{odds}, effect {signed(test.delta, 2)} (Cliff's delta; + new is faster)")
        )
    for name, side in (("base", significance.left), ("new", significance.right)):
        if side is not None and side.count:
            effective = side.autocorrelation.effective_for_median
            worth = "" if effective is None else f", worth {effective:,.0f} independent ones"
            facts.append(Fact(f"samples of the {name}", f"{side.count:,}{worth}"))
    return facts


def _ends(prediction: PredictedSpeedup | None) -> Iterator[Fact]:
    """Between which times each side lies, where one was predicted."""
    if prediction is None:
        return
    sides = (("base", prediction.base, prediction.base_ms), ("new", prediction.new, prediction.new_ms))
    for name, origin, ends in sides:
        if ends is not None:
            known = "expected" if origin.has_predicted_times else origin.label or "measured"
            yield Fact(f"{name} {known} between", f"{ends[0]:.4g} and {ends[1]:.4g} ms", list(ends))


def _quantities(result: tuple[Significance, ...]) -> Table:
    columns = (
        TableColumn("quantity"),
        TableColumn("base", "ms", "ms"),
        TableColumn("new", "ms", "ms"),
        TableColumn("change", "pct", "%"),
        TableColumn("±", "pct", "%", if_known=True),
        TableColumn("speed-up", "rate"),
        *BARS,
        TableColumn("verdict"),
    )
    rows = tuple(
        (
            *(item.label, item.left_ms, item.right_ms, item.change_pct, item.shown_margin_pct, item.speedup),
            *bars_of(item),
            item.outcome.value,
        )
        for item in result
        if item.left_ms is not None or item.right_ms is not None
    )
    return Table("Medians", columns, rows)


def _percentiles(significance: Significance) -> Table:
    columns = (
        TableColumn("percentile", "number", "%"),
        TableColumn("base", "ms", "ms"),
        TableColumn("new", "ms", "ms"),
        TableColumn("speed-up", "rate"),
    )
    rows = []
    if significance.left is not None and significance.right is not None:
        for label in _PERCENTILES:
            left, right = significance.left.percentiles.get(label), significance.right.percentiles.get(label)
            rows.append((label, left, right, left / right if left and right else None))
    return Table(f"Percentiles of {significance.label}", columns, tuple(rows))


SECTION = SectionPlug("Significance", 15, make, is_folded=True)
