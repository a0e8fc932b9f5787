"""Verdict: which engine is faster, how sure that is, and which percentiles moved."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trex.compare.plan_diff import PlanDiff
from trex.compare.prediction import REMARK, RULE, PredictedSpeedup
from trex.compare.significance import Significance
from trex.core.provenance import Provenance
from trex.views.document import Detail, Fact, Section, SectionPlug, section
from trex.views.table import Table, TableColumn

_PERCENTILES = (50.0, 90.0, 95.0, 99.0)
BARS = (TableColumn("from", "rate", if_known=True), TableColumn("to", "rate", if_known=True))
"""Columns behind a speed-up: between which it is expected by error bars, where it was predicted."""


def make(comparison: PlanDiff, detail: Detail) -> Section | None:
    main = comparison.main
    others = [each for each in comparison.significances.values() if each.key != main.key]
    tables = [_quantities((main, *others)), _percentiles(main)]
    return section(
        statements=(*comparison.verdicts, *_remarks(main)),
        facts=tuple(_facts(main)),
        tables=tuple(table for table in tables if table.rows),
        derivations=tuple(_derivations(main)) if detail.explain else (),
        data={each.key: _data(each) for each in (main, *others)},
    )


def _remarks(found: Significance) -> list[str]:
    if found.is_one_run or found.support_pct is None:
        return [REMARK] if found.prediction is not None and not found.is_one_run else []
    remarks = []
    if found.uncertainty_pct > 0.0:
        remarks.append(f"A run was unsteady: it drifted by {found.uncertainty_pct:.1f} %.")
    if found.is_significant:
        remarks.append(f"These runs can show differences of {found.support_pct:.2g} % or more.")
    return remarks


def _facts(found: Significance) -> list[Fact]:
    facts = []
    if found.speedup is not None:
        facts.append(Fact("speed-up (above 1: new is faster)", f"{found.speedup:.4g}", found.speedup))
    if found.low is not None and found.high is not None and not found.is_one_run:
        name = "95 % interval" if found.prediction is None else "error bars"
        facts.append(Fact(name, f"{found.low:.4g} to {found.high:.4g}"))
    facts.extend(_ends(found.prediction))
    test = found.comparison.rank_test if found.comparison is not None else None
    if test is not None:
        p = test.p if test.p_corrected is None else test.p_corrected
        odds = f"p = {p:.2g}" if p > 0.0 else "p < 1e-300"
        facts.append(Fact("Mann–Whitney test", f"{odds}, effect {test.delta:+.2f} (Cliff's delta; + new is faster)"))
    for name, side in (("base", found.left), ("new", found.right)):
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
            known = "expected" if origin is Provenance.SIMULATED else origin.label or "measured"
            yield Fact(f"{name} {known} between", f"{ends[0]:.4g} and {ends[1]:.4g} ms", list(ends))


def _quantities(found: tuple[Significance, ...]) -> Table:
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
            *(each.label, each.left_ms, each.right_ms, each.change_pct, each.shown_margin_pct, each.speedup),
            *bars_of(each),
            each.outcome.value,
        )
        for each in found
        if each.left_ms is not None or each.right_ms is not None
    )
    return Table("Medians", columns, rows)


def bars_of(found: Significance) -> tuple[float | None, float | None]:
    """Between which a predicted speed-up is expected, for the columns ``BARS``; (None, None) of what was measured."""
    return (None, None) if found.prediction is None or found.is_one_run else (found.low, found.high)


def _percentiles(found: Significance) -> Table:
    columns = (
        TableColumn("percentile", "number", "%"),
        TableColumn("base", "ms", "ms"),
        TableColumn("new", "ms", "ms"),
        TableColumn("speed-up", "rate"),
    )
    rows = []
    if found.left is not None and found.right is not None:
        for label in _PERCENTILES:
            left, right = found.left.percentiles.get(label), found.right.percentiles.get(label)
            rows.append((label, left, right, left / right if left and right else None))
    return Table(f"Percentiles of {found.label}", columns, tuple(rows))


def _derivations(found: Significance) -> list[tuple[str, str]]:
    if found.prediction is not None:
        return [("error bars of the speed-up", RULE)]
    if found.comparison is None:
        return []
    lengths = found.comparison.block_lengths
    return [
        (
            "interval",
            f"percentile bootstrap of the ratio of medians, blocks of {lengths[0]} and {lengths[1]} samples, so that "
            "samples that resemble their neighbors count for less",
        ),
        (
            "real",
            "the interval excludes 1, the Mann–Whitney test rejects at 5 % with its variance widened by the "
            "autocorrelation, and the difference is larger than what an unsteady run changed by itself",
        ),
        (
            "difference shown",
            "(z(1 − 0.05/2) + z(0.8)) · √(e₁² + e₂²), e: the standard error of each median over that median",
        ),
    ]


def _data(found: Significance) -> dict[str, Any]:
    test = found.comparison.rank_test if found.comparison is not None else None
    prediction = found.prediction
    return {
        "base_ms": found.left_ms,
        "new_ms": found.right_ms,
        "speedup": found.speedup,
        "speedup_low": found.low,
        "speedup_high": found.high,
        "change_pct": found.change_pct,
        "margin_pct": found.margin_pct,
        "detectable_pct": found.detectable_pct,
        "uncertainty_pct": found.uncertainty_pct,
        "outcome": found.outcome.value,
        "is_real": found.is_significant,
        "p": None if test is None else test.p if test.p_corrected is None else test.p_corrected,
        "cliffs_delta": None if test is None else test.delta,
        "sentence": found.sentence,
        "reason": found.reason,
        "prediction": None
        if prediction is None
        else {
            "base": prediction.base.name.lower(),
            "new": prediction.new.name.lower(),
            "base_between_ms": prediction.base_ms,
            "new_between_ms": prediction.new_ms,
            "is_like_with_like": not prediction.is_mixed,
        },
    }


SECTION = SectionPlug("Verdict", 10, make)
