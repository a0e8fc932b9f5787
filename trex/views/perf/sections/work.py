"""Work: what the layers compute and move, by kind, and how much is not known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from trex.core.counted import counted
from trex.core.printable import clipped, printable
from trex.core.significant import significant
from trex.perf.batch import batch_size
from trex.perf.performance import Performance
from trex.perf.work.totals import Total, total_of, totals_by_kind
from trex.perf.work.work import RUN_TIME_SHAPE, Work
from trex.plan.implicit_batch import UNKNOWN_BATCH
from trex.views.document import Detail, Section, SectionPlug, section
from trex.views.table import Table, TableColumn, byte_size

GIGA = 1e9
_OF_SHAPES = frozenset({"evaluated-at-shapes", "still-dynamic", UNKNOWN_BATCH})
_COLUMNS = (
    TableColumn("layers", "count"),
    TableColumn("MACs", "number", "10⁹"),
    TableColumn("share", "pct", "%", if_known=True),
    TableColumn("other operations", "number", "10⁹"),
    TableColumn("bytes moved", "bytes"),
    TableColumn("not known", "count", "layers"),
)


def make(performance: Performance, detail: Detail) -> Section | None:
    plan, works = performance.plan, performance.works
    if not works:
        return None
    total = total_of(works)
    tables = [_by_kind(works, total)]
    if total.unknown:
        tables.append(_unknown(total))
    return section(
        statements=tuple(_statements(performance, total)),
        tables=tuple(tables),
        notes=(*(note for note in plan.notes if note.code in _OF_SHAPES), *performance.model_works.notes),
    )


def _statements(performance: Performance, total: Total) -> Iterator[str]:
    plan = performance.plan
    count = total.layers
    if total.unknown_macs == count:
        yield "The engine's files don't contain what these layers compute."
    elif total.unknown_macs and not total.macs and not total.other_ops:
        yield (
            f"The engine's files don't contain what {total.unknown_macs:,} of {counted(count, 'layer')} compute; "
            "the others multiply nothing."
        )
    else:
        known_layers = count - total.unknown_macs
        known = f", in the {known_layers:,} of {count:,} layers with known work" if total.unknown_macs else ""
        batch = batch_size(plan) or 1
        entry = f" ({_amount(total.macs / batch)} for each of a batch of {batch})" if batch > 1 else ""
        macs, other = _amount(total.macs), _amount(total.other_ops)
        yield f"The layers compute {macs} MACs{entry} and {other} other operations{known}."
    if performance.model_works.is_used:
        from_model = performance.model_works.layer_count
        yield f"The work of {from_model:,} of {counted(count, 'layer')} is computed from the ONNX model's operators."
    if total.unknown_bytes < count and (total.bytes_moved or not total.unknown_bytes):
        has_stored = 0 < total.weights_bytes <= total.bytes_moved  # weights may be known of layers whose bytes are not
        stored = f", {byte_size(total.weights_bytes)} of it stored weights" if has_stored else ""
        left = f"; not known of {counted(total.unknown_bytes, 'layer')}" if total.unknown_bytes else ""
        yield f"They read and write {byte_size(total.bytes_moved)}{stored}, every value once by each layer{left}."
    if total.unknown:
        reason, most = max(total.reasons.items(), key=lambda item: item[1])
        yield (
            f"Of {counted(total.unknown, 'layer')} the work is not fully known, most often because of this: "
            f"{clipped(printable(reason), 300)} ({counted(most, 'layer')})."
        )
    if RUN_TIME_SHAPE in total.reasons and not any(note.code in _OF_SHAPES for note in plan.notes):
        yield "At shapes of the optimization profile it may be: --shapes opt, min or max."
    if total.macs and total.approximate_macs:
        share = 100 * total.approximate_macs / total.macs
        yield f"{significant(share, 2)} % of the MACs are inferred from shapes or names."


def _by_kind(works: Sequence[Work], total: Total) -> Table:
    rows = [(kind or "no formula", *_row(item, total)) for kind, item in totals_by_kind(works).items()]
    return Table("Work by kind", (TableColumn("kind"), *_COLUMNS), tuple(rows))


def _row(item: Total, total: Total) -> tuple[Any, ...]:
    nothing, no_bytes = item.unknown_macs == item.layers, item.unknown_bytes == item.layers
    return (
        item.layers,
        None if nothing else item.macs / GIGA,
        None if nothing or not total.macs else 100 * item.macs / total.macs,
        None if item.unknown_other_ops == item.layers else item.other_ops / GIGA,
        None if no_bytes else item.bytes_moved,
        item.unknown,
    )


def _unknown(total: Total) -> Table:
    rows = sorted(((clipped(reason, 300), count) for reason, count in total.reasons.items()), key=lambda row: -row[1])
    return Table("Why work is not known", (TableColumn("reason"), TableColumn("layers", "count")), tuple(rows)).first(
        20
    )


def _amount(number: float) -> str:
    """12.3 G, 4.56 M: in steps of a thousand, with three digits."""
    for step, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= step:
            return f"{number / step:.3g} {letter}"
    return f"{number:.3g}"


SECTION = SectionPlug("Work", 50, make)
