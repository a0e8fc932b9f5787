"""TuningLog → Document: which build route was the fastest, by how much, and which failed."""

from __future__ import annotations

from dataclasses import replace

from trex.core.counted import counted
from trex.core.signed import with_minus
from trex.core.tuning_log import TunedRoute, TuningLog
from trex.views.document import Document, Fact, section
from trex.views.table import Table, TableColumn, milliseconds

_COLUMNS = (
    TableColumn("#", "count", meaning="the iteration", identifier="iteration"),
    TableColumn("build route", readable=30, identifier="build_route"),
    TableColumn("GPU time", "ms", "ms", meaning="mean GPU compute time of its engine", identifier="gpu_time_ms"),
    TableColumn(
        "change", "pct", "%", meaning="against the default route, or the first measured one", identifier="change_pct"
    ),
    TableColumn(
        "accuracy loss", "number", if_known=True, meaning="the largest of all outputs", identifier="accuracy_loss"
    ),
    TableColumn("error", if_known=True),
)


def tuning_document(log: TuningLog, top: int = 10) -> Document:
    """top: rows that are shown."""
    base = log.baseline
    rows = tuple(_row(route, base) for route in log.ranked)
    table = Table("Build routes", _COLUMNS, rows, "routes").first(top)
    content = section(
        name="tuning",
        statements=tuple(_statements(log)),
        facts=[Fact(name.replace("_", " "), text, key=name) for name, text in log.facts.items()],
        tables=[replace(table, more="all rows: --all, or --json") if table.left_out else table],
    )
    return Document("tactics", log.source, "", (content,), log.notes, "", log)


def _statements(log: TuningLog) -> list[str]:
    measured = [route for route in log.routes if route.gpu_time_ms is not None]
    crashed = sum(route.has_crashed is True for route in log.routes)
    counts = f"{counted(len(log.routes), 'build route')}, {len(measured)} measured"
    lines = [f"{counts}, {crashed} crashed." if crashed else f"{counts}."]
    base, fastest = log.baseline, next((route for route in log.ranked if route.is_candidate), None)
    if base is None or fastest is None or not base.gpu_time_ms or fastest.gpu_time_ms is None:
        return lines
    change = 100.0 * (fastest.gpu_time_ms / base.gpu_time_ms - 1.0)
    if fastest is base or change >= 0:
        return [*lines, f"No route is faster than {_named(base)}, {milliseconds(base.gpu_time_ms)} ms."]
    times = f"{milliseconds(base.gpu_time_ms)} → {milliseconds(fastest.gpu_time_ms)} ms"
    gain = with_minus(f"{change:.1f}")
    return [*lines, f"Fastest: {_named(fastest)}, {times} ({gain} %): trtexec --setBuildRoute='…' builds it."]


def _named(route: TunedRoute) -> str:
    return route.build_route or "the default route"


def _row(route: TunedRoute, base: TunedRoute | None) -> tuple[object, ...]:
    change = None
    if base is not None and base.gpu_time_ms and route.gpu_time_ms is not None:
        change = 100.0 * (route.gpu_time_ms / base.gpu_time_ms - 1.0)
    error = route.error or ("crashed" if route.has_crashed else None)
    loss = max(route.accuracy_loss.values(), default=None)
    return route.iteration, route.build_route or "(default)", route.gpu_time_ms, change, loss, error
