"""Work: what the layers compute and move, by kind, precision and part of the model, and how much is not known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from trex.core.counted import counted
from trex.core.printable import clipped, printable
from trex.core.significant import significant
from trex.perf.performance import Performance
from trex.perf.work.totals import Total, batch_of, heaviest, main_modules, total_of, totals_by
from trex.perf.work.work import RUN_TIME_SHAPE, Work
from trex.views.document import Detail, Section, SectionPlug, section
from trex.views.table import Table, TableColumn, byte_size

GIGA = 1e9
_OF_SHAPES = frozenset({"evaluated-at-shapes", "still-dynamic"})
_UNNAMED = {"kind": "no formula", "precision": "unknown", "module": "in no module"}
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
    layers = plan.layers
    total = total_of(works)
    modules = main_modules(layers)
    tables = [
        _table("kind", [work.kind for work in works], works, total),
        _table(
            "precision", [layer.precision if layer.compute.data_type.is_known else "" for layer in layers], works, total
        ),
    ]
    if any(modules):
        tables.append(_table("module", modules, works, total, most=max(detail.top, 1)))
    if detail.top > 0:
        tables.append(_ranking(performance, detail.top))
    if total.unknown:
        tables.append(_unknown(total))
    return section(
        statements=tuple(_statements(performance, total)),
        tables=tuple(tables),
        derivations=tuple(_derivations(performance, detail.top)) if detail.explain else (),
        notes=(*(note for note in plan.notes if note.code in _OF_SHAPES), *performance.model_works.notes),
        data=_data(total, works),
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
        batch = batch_of(*plan.get_bindings())
        entry = f" ({_amount(total.macs / batch)} for each of a batch of {batch})" if batch is not None else ""
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


def _table(name: str, keys: Sequence[str], works: Sequence[Work], total: Total, most: int | None = None) -> Table:
    result = list(totals_by(keys, works).items())
    rows = [(key or _UNNAMED[name], *_row(item, total)) for key, item in result[:most]]
    if most is not None and len(result) > most:
        rest = Total()
        for _, item in result[most:]:
            rest.join(item)
        rows.append((f"{len(result) - most} more", *_row(rest, total)))
    return Table(f"Work by {name}", (TableColumn(name), *_COLUMNS), tuple(rows))


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


def _ranking(performance: Performance, top: int) -> Table:
    plan, works = performance.plan, performance.works
    columns = (
        TableColumn("layer"),
        TableColumn("kind"),
        TableColumn("precision"),
        TableColumn("MACs", "number", "10⁹"),
        TableColumn("other operations", "number", "10⁹"),
        TableColumn("bytes read", "bytes"),
        TableColumn("bytes written", "bytes"),
        TableColumn("operations per byte", "number", if_known=True),
        TableColumn("confidence", "number"),
    )
    rows = []
    for index in heaviest(plan.layers, works, top):
        layer, work = plan.layers[index], works[index]
        moved, operations = work.bytes_moved, work.operations
        rows.append(
            (
                layer.name,
                work.kind or _UNNAMED["kind"],
                layer.precision,
                None if work.macs is None else work.macs / GIGA,
                None if work.other_ops is None else work.other_ops / GIGA,
                work.bytes_read,
                work.bytes_written,
                round(operations / moved, 1) if moved and operations is not None else None,
                work.confidence,
            )
        )
    return Table("Layers with the most work", columns, tuple(rows))


def _unknown(total: Total) -> Table:
    rows = sorted(((clipped(reason, 300), count) for reason, count in total.reasons.items()), key=lambda row: -row[1])
    return Table("Why work is not known", (TableColumn("reason"), TableColumn("layers", "count")), tuple(rows[:20]))


def _derivations(performance: Performance, top: int) -> Iterator[tuple[str, str]]:
    """How the work of the heaviest layers comes about: each formula with the values of its symbols."""
    plan, works = performance.plan, performance.works
    for index in heaviest(plan.layers, works, top):
        work = works[index]
        terms = ", ".join(f"{name} = {_value(value)}" for name, value in work.terms)
        parts = [work.formula + (f" with {terms}" if terms else "")]
        if work.macs is not None:
            parts.append(f"macs = {work.macs:,.0f}")
        if work.other_ops is not None:
            parts.append(f"other operations = {work.other_ops:,.0f}")
        if work.bytes_moved is not None:
            stored = f", {work.weights_bytes:,} of them stored" if work.weights_bytes else ""
            parts.append(f"bytes = {work.bytes_read:,} read{stored} + {work.bytes_written:,} written")
        if work.reason:
            parts.append(work.reason)
        yield printable(plan.layers[index].name), printable("; ".join(parts))


def _value(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _amount(number: float) -> str:
    """12.3 G, 4.56 M: in steps of a thousand, with three digits."""
    for step, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= step:
            return f"{number / step:.3g} {letter}"
    return f"{number:.3g}"


def _data(total: Total, works: Sequence[Work]) -> dict[str, Any]:
    return {
        "macs": None if total.unknown_macs == total.layers else total.macs,
        "other_ops": None if total.unknown_other_ops == total.layers else total.other_ops,
        "moved_bytes": None if total.unknown_bytes == total.layers else total.bytes_moved,
        "weights_bytes": total.weights_bytes,
        "layers": total.layers,
        "layers_of_unknown_macs": total.unknown_macs,
        "layers_of_unknown_other_ops": total.unknown_other_ops,
        "layers_of_unknown_bytes": total.unknown_bytes,
        "inferred_macs": total.approximate_macs,
        "lowest_confidence": min(work.confidence for work in works),
    }


SECTION = SectionPlug("Work", 50, make)
