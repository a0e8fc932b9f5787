"""Memory → its tables: tensors at the peak, what would lower it, and what the engine stores."""

from __future__ import annotations

from collections.abc import Iterator

from trex.core.layer import Layer
from trex.core.printable import clipped, printable
from trex.core.shape import shape_text
from trex.perf.memory.peak import Peak
from trex.perf.memory.plan_memory import Memory, PointPeak
from trex.perf.memory.stored import StoredBytes
from trex.views.document import Detail
from trex.views.table import Table, TableColumn

_NAME_CHARS = 48


def memory_tables(memory: Memory, points: tuple[PointPeak, ...], detail: Detail) -> Iterator[Table]:
    """Every table of the section; those of rankings have ``detail.top`` rows. One may have no rows."""
    if memory.peak is not None:
        yield _peak_table(memory.peak, detail)
        yield _relief_table(memory.peak)
    yield _points_table(points)
    yield _type_table(memory)


def _peak_table(peak: Peak, detail: Detail) -> Table:
    columns = (
        TableColumn("tensor", "name"),
        TableColumn("shape"),
        TableColumn("precision"),
        TableColumn("bytes", "bytes"),
        TableColumn("from layer", "name"),
        TableColumn("to layer", "name"),
        TableColumn("at the peak"),
        TableColumn("peak bytes without it", "bytes"),
    )
    rows = tuple(
        (
            item.value.name,
            shape_text(item.value.tensor.shape),
            item.value.tensor.precision,
            item.size_bytes,
            _layer(item.first),
            _layer(item.last),
            "kept from run to run" if item.value.carried else "used" if item.is_used else "waits",
            item.peak_without_bytes,
        )
        for item in peak.held[: detail.top]
    )
    left_out = len(peak.held) - len(rows)
    return Table("Tensors at the peak", columns, rows, left_out=left_out, more="trex perf --top N")


def _layer(layer: Layer) -> str:
    return f"{layer.index} {clipped(printable(layer.name), _NAME_CHARS)}"


def _relief_table(peak: Peak) -> Table:
    columns = (
        TableColumn("change"),
        TableColumn("peak bytes", "bytes"),
        TableColumn("bytes less", "bytes"),
        TableColumn("less %", "pct"),
    )
    rows = tuple(
        (relief.what, relief.peak_bytes, relief.saved_bytes, 100 * relief.saved_bytes / peak.size_bytes)
        for relief in peak.reliefs
    )
    return Table("What would lower the peak", columns, rows)


def _points_table(points: tuple[PointPeak, ...]) -> Table:
    columns = (
        TableColumn("shapes"),
        TableColumn("peak bytes", "bytes"),
        TableColumn("tensors of unknown size", "count"),
    )
    rows = tuple((point.point, point.size_bytes, point.unknown_count) for point in points)
    return Table("Peak at the profile's shapes", columns, rows)


def _type_table(memory: Memory) -> Table:
    columns = (
        TableColumn("precision"),
        TableColumn("layers", "count"),
        TableColumn("bytes", "bytes"),
        TableColumn("bytes %", "pct"),
        TableColumn("narrower", if_known=True),
        TableColumn("bytes less", "bytes", if_known=True),
    )
    narrowings = {narrowing.data_type: narrowing for narrowing in memory.stored.narrowings}
    rows = []
    for data_type, part in memory.stored.by_type.items():
        size = known_bytes(part)
        narrow = narrowings.get(data_type)
        saved = (narrow.to, narrow.saved_bytes) if narrow else (None, None)
        rows.append((data_type.label, part.layers, size, _share(size, memory.stored.total.known), *saved))
    return Table("Weights by precision", columns, tuple(rows))


def known_bytes(part: StoredBytes) -> int | None:
    """What is known of a part's bytes, None when nothing is."""
    return None if part.unknown_count and not part.known_bytes else part.known_bytes


def _share(size: int | None, whole: int) -> float | None:
    return None if size is None or not whole else 100 * size / whole
