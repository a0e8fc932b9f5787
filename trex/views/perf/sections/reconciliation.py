"""Reconciliation: why host, GPU and layers show different times, and what the numbers can support."""

from __future__ import annotations

from collections.abc import Iterator

from trex.core.counted import counted
from trex.perf.measures import Measure, Measures
from trex.perf.performance import Performance
from trex.perf.reconciliation import Reconciliation, TimeDifference
from trex.perf.run_flags import RunFlags
from trex.perf.verdict import LEVELS
from trex.views.document import Detail, Fact, Section, SectionPlug, section
from trex.views.table import Table, TableColumn

_NAMES = {
    "cuda_graph": "CUDA graph",
    "spin_wait": "spin wait",
    "data_transfers": "data transfers",
    "separate_profiling": "separate profiling",
    "multithreading": "threads",
}


def make(performance: Performance, detail: Detail) -> Section | None:
    if performance.is_bare_prediction:
        return None
    result = performance.reconciliation
    if result.verdict.level == LEVELS[0]:
        return None
    return section(
        statements=tuple(_statements(result)),
        facts=tuple(_facts(result)),
        tables=(_measures(result.measures), *_causes(result.differences)),
    )


def _statements(reconciliation: Reconciliation) -> Iterator[str]:
    yield reconciliation.verdict.sentence
    for words in reconciliation.verdict.reasons:
        yield f"{words[0].upper()}{words[1:]}."
    for difference in reconciliation.differences:
        yield difference.sentence


def _facts(reconciliation: Reconciliation) -> Iterator[Fact]:
    yield Fact("Verdict", reconciliation.verdict.level)
    flags = _flag_words(reconciliation.flags)
    if flags:
        yield Fact("The run", flags, flags)


def _flag_words(flags: RunFlags) -> str:
    texts = [
        f"{name} {'on' if value else 'off'}"
        for field, name in _NAMES.items()
        if (value := getattr(flags, field)) is not None
    ]
    if flags.streams is not None:
        texts.append(counted(flags.streams, "stream"))
    return ", ".join(texts)


def _measures(measures: Measures) -> Table:
    rows = tuple(
        (
            measure.label,
            measure.median_ms,
            measure.mean_ms,
            _share(measure, measures.compute),
            measure.source or None,
            measure.reason or None,
        )
        for measure in measures.in_order
    )
    columns = (
        TableColumn("time per inference"),
        TableColumn("median", "ms", "ms"),
        TableColumn("mean", "ms", "ms"),
        TableColumn("of GPU compute", "pct", "%"),
        TableColumn("source", if_known=True),
        TableColumn("unknown because", if_known=True),
    )
    return Table("From the host to the layers", columns, rows)


def _share(measure: Measure, compute: Measure) -> float | None:
    """In percent of GPU compute, medians with medians, else means with means."""
    pairs = ((measure.median_ms, compute.median_ms), (measure.mean_ms, compute.mean_ms))
    return next((100.0 * part / whole for part, whole in pairs if part is not None and whole), None)


def _causes(differences: tuple[TimeDifference, ...]) -> tuple[Table, ...]:
    rows = tuple(
        (f"{difference.first} / {difference.second}", difference.ratio, cause)
        for difference in differences
        for cause in difference.causes
    )
    columns = (TableColumn("between"), TableColumn("ratio", "number"), TableColumn("why"))
    rounded = tuple((between, ratio if ratio is None else round(ratio, 4), why) for between, ratio, why in rows)
    return (Table("Why they differ", columns, rounded),) if rows else ()


SECTION = SectionPlug("Reconciliation", 30, make)
