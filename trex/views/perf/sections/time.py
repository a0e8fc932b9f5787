"""Time: how long an inference takes, how steadily, and what difference these samples could show."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from trex.core.counted import counted
from trex.core.metadata import LatencySummary
from trex.core.significant import significant
from trex.perf.expected import expected_ms
from trex.perf.performance import Performance
from trex.perf.samples.plan_samples import Samples
from trex.perf.samples.statistics import SampleStatistics
from trex.perf.samples.steadiness import UNSTABLE_PCT
from trex.perf.samples.throttling import Throttling
from trex.views.document import Detail, Fact, Section, SectionPlug, section
from trex.views.table import Table, TableColumn, milliseconds


def make(performance: Performance, detail: Detail) -> Section | None:
    samples = performance.samples
    summaries = performance.plan.metadata.latency
    if not samples.columns and not summaries and samples.throttling is None:
        return None
    if performance.is_bare_prediction:
        return section(statements=tuple(_predicted(performance)), data={"is_steady": None})
    return section(
        statements=tuple(_statements(samples, summaries)),
        facts=tuple(_facts(samples)),
        tables=(_columns(samples),) if samples.columns else (),
        data={"is_steady": samples.steadiness.is_steady, "p99_over_median": samples.steadiness.tail},
    )


def _predicted(performance: Performance) -> Iterator[str]:
    main, ends = performance.samples.main, expected_ms(performance.plan)
    if main is not None:
        bar = "" if ends is None else ", a real run is expected between {} and {} ms".format(*map(milliseconds, ends))
        yield f"GPU compute is predicted: {milliseconds(main.median_ms)} ms{bar}. Nothing was measured."


def _statements(samples: Samples, summaries: Any) -> Iterator[str]:
    main = samples.main
    if main is None:
        yield from _without_trace(samples, summaries)
    else:
        yield _headline(main, samples)
        steady = samples.steadiness
        for words in (*steady.findings, *steady.remarks):
            yield f"{words[0].upper()}{words[1:]}."
        variation = main.spread.variation_pct
        if variation > UNSTABLE_PCT:
            yield (
                f"The coefficient of variation is {variation:.1f} %, above the {UNSTABLE_PCT} % from which trtexec "
                f"calls times unstable; without outliers it is {significant(main.spread.robust_variation_pct, 2)} %."
            )
        yield from _what_it_shows(main)
        if main.left_out:
            yield f"{main.left_out[0].upper()}{main.left_out[1:]}."
    if samples.throttling is not None:
        yield from _about_clocks(samples.throttling)


def _headline(main: SampleStatistics, samples: Samples) -> str:
    low, high = main.percentiles[1.0], main.percentiles[99.0]
    words = samples.steadiness.words
    middle = f"98 % of {counted(main.count, 'inference')} between {significant(low, 4)} and {significant(high, 4)} ms"
    return f"{main.label[0].upper()}{main.label[1:]}: median {significant(main.median_ms, 4)} ms, {middle}; {words}."


def _without_trace(samples: Samples, summaries: Any) -> Iterator[str]:
    summary: LatencySummary | None = summaries.get("GPU Compute Time") or summaries.get("Latency")
    if summary is not None and summary.median_ms is not None:
        most = max(summary.percentiles, default=None)
        tail = f", {most:g} % within {significant(summary.percentiles[most], 4)} ms" if most is not None else ""
        median = significant(summary.median_ms, 4)
        yield f"Median {median} ms{tail}, by trtexec's summary; whether it was steady is unknown."
    yield f"{samples.reason[0].upper()}{samples.reason[1:]}: steadiness and detectable differences are unknown."


def _what_it_shows(main: SampleStatistics) -> Iterator[str]:
    shown = main.detectable
    if shown.median_pct is None:
        yield f"What difference these samples could show is unknown: {shown.reason}."
        return
    effective = main.autocorrelation.effective_for_median
    worth = ""
    if effective is not None and effective < 0.9 * main.count:
        worth = f"; neighbors are similar, so they are worth {effective:,.0f} independent ones"
    yield (
        f"The median lies between {milliseconds(shown.median_low_ms)} and {milliseconds(shown.median_high_ms)} ms "
        f"(95 % sure{worth}). Two such runs show a difference of {significant(shown.median_pct, 2)} % of the median."
    )


def _about_clocks(throttling: Throttling) -> Iterator[str]:
    if throttling.was_slowed:
        slowed, watched = significant(throttling.slowed_s, 3), significant(throttling.watched_s, 3)
        yield f"The GPU was held back for {slowed} of {watched} s: {', '.join(throttling.reasons)}."
    elif throttling.watched_s > 0.0:
        yield f"Nothing held the GPU back in the {significant(throttling.watched_s, 3)} s it was watched."
    if throttling.median_mhz is not None and throttling.clock_range_pct is not None:
        yield (
            f"Its SM clock was {throttling.median_mhz:,.0f} MHz, between {throttling.lowest_mhz:,.0f} and "
            f"{throttling.highest_mhz:,.0f} MHz."
        )


def _facts(samples: Samples) -> Iterator[Fact]:
    main = samples.main
    if main is None:
        return
    yield Fact("Samples", _count_text(main), main.count)
    variation = main.spread.variation_pct
    if not math.isnan(variation):
        robust = main.spread.robust_variation_pct
        yield Fact(
            "Variation",
            f"{significant(variation, 2)} % (coefficient; {significant(robust, 2)} % without outliers)",
            variation,
        )


def _count_text(main: SampleStatistics) -> str:
    beginning = f", after {main.warm_up_rows:,} of warm-up" if main.warm_up_rows else ""
    effective = main.autocorrelation.effective_for_median
    worth = "" if effective is None else f", worth {effective:,.0f} independent ones"
    return f"{main.count:,}{beginning}{worth}"


def _columns(samples: Samples) -> Table:
    rows = []
    for column in samples.columns.values():
        at, spread = column.percentiles, column.spread
        remark = "; ".join((column.reason, *column.caveats)).strip("; ")
        numbers = (spread.median_ms, spread.mean_ms, spread.minimum_ms, at.get(90.0), at.get(95.0), at.get(99.0))
        rows.append((column.label, column.count, *numbers, spread.maximum_ms, spread.variation_pct, remark))
    names = ("median", "mean", "minimum", "90 %", "95 %", "99 %", "maximum")
    columns = (
        TableColumn("time"),
        TableColumn("samples", "count"),
        *(TableColumn(name, "ms", "ms") for name in names),
        TableColumn("variation", "pct", "%"),
        TableColumn("remark", if_known=True),
    )
    return Table("Times of an inference", columns, tuple((*row[:-1], row[-1] or None) for row in rows))


SECTION = SectionPlug("Time", 20, make)
