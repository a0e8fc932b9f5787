"""Verdict: which engine is faster, by how much, and whether the runs are comparable; one line each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trex.compare.metric import METRICS
from trex.compare.plan_diff import PlanDiff
from trex.compare.significance import Significance
from trex.core.signed import signed
from trex.views.compare.sections.layers import applies as has_layers_section
from trex.views.document import Detail, Section, SectionPlug, section
from trex.views.table import TableColumn

BARS = (TableColumn("from", "rate", if_known=True), TableColumn("to", "rate", if_known=True))
"""Columns behind a speed-up: between which it is expected by error bars, where it was predicted."""

_CODES_OF_CAUSES = ("no-layers", "no-profile")
"""Codes of Notes that the section on causes says."""


def make(comparison: PlanDiff, detail: Detail) -> Section | None:
    main, machine = comparison.main, comparison.machine
    others = [significance for significance in comparison.significances.values() if significance.key != main.key]
    matched = f" {comparison.alignment.sentence}" if comparison.changes and not comparison.is_other_model else ""
    tail = () if comparison.withheld else tuple(_tail(main))
    if main.runs is not None:
        tail = ("Layers and causes are those of each engine's median run.",)
    return section(
        statements=(*_contradicted(comparison), *comparison.verdicts, *tail, f"{comparison.parity.sentence}{matched}"),
        notes=()
        if has_layers_section(comparison)
        else [note for note in comparison.notes if note.code not in _CODES_OF_CAUSES],
        data={
            **{other.key: _data(other) for other in (main, *others)},
            "runs": [1 + len(repeats) for repeats in comparison.repeats],
            "withheld": comparison.withheld or None,
            "unchanged_kernels": None
            if machine is None
            else {
                "kernels": machine.kernels,
                "factor": machine.factor,
                "factor_low": machine.low,
                "factor_high": machine.high,
                "is_shifted": machine.is_shifted,
                "is_large": machine.is_large,
            },
        },
    )


def _contradicted(comparison: PlanDiff) -> Iterator[str]:
    for note in comparison.contradicted:
        side, _, what = note.message.partition(": ")
        yield f"Can't trust the times of {side}: {what} ({note.code})."
    for note in comparison.doubted:
        side, _, what = note.message.partition(": ")
        names = " and ".join(name for name, plug in METRICS.items() if note.code in plug.value.doubts)
        yield f"Can't trust the {names} of {side}: {what} ({note.code})."
    for note in comparison.lost:
        side = note.message.partition(":")[0]
        yield f"A file of {side} is damaged ({note.code}): layers are missing, which look added or removed below."


def _tail(significance: Significance) -> Iterator[str]:
    """The 99th percentile of what was measured, and a drift that may be the difference."""
    left, right = significance.left, significance.right
    if left is not None and right is not None and not significance.is_one_run:
        before, after = left.percentiles.get(99.0), right.percentiles.get(99.0)
        if before and after:
            yield f"p99 {before:.4g} → {after:.4g} ms ({signed(100.0 * (after / before - 1.0))} %)."
    if significance.drift_pct > 0.0 and not significance.is_one_run:
        yield f"A run was unsteady: it drifted by {significance.drift_pct:.1f} %."


def bars_of(significance: Significance) -> tuple[float | None, float | None]:
    """Between which a predicted speed-up is expected, for the columns ``BARS``; (None, None) of what was measured."""
    return (
        (None, None)
        if significance.prediction is None or significance.is_one_run
        else (significance.low, significance.high)
    )


def _data(significance: Significance) -> dict[str, Any]:
    test = significance.comparison.rank_test if significance.comparison is not None else None
    prediction = significance.prediction
    return {
        "base_ms": significance.left_ms,
        "new_ms": significance.right_ms,
        "speedup": significance.speedup,
        "speedup_low": significance.low,
        "speedup_high": significance.high,
        "change_pct": significance.change_pct,
        "margin_pct": significance.margin_pct,
        "detectable_pct": significance.detectable_pct,
        "uncertainty_pct": significance.uncertainty_pct,
        "outcome": significance.outcome.value,
        "is_real": significance.is_significant,
        "p": None if test is None else test.p if test.p_corrected is None else test.p_corrected,
        "cliffs_delta": None if test is None else test.delta,
        "sentence": significance.sentence,
        "reason": significance.reason,
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
