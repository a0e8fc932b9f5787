"""SweepReading → Document: the best configuration, Pareto front, scaling, speed-ups and which option mattered."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from trex.core.counted import counted
from trex.core.signed import signed
from trex.store.effects import FITTED, MOST_VALUES, OptionEffect
from trex.store.run import MEASURED
from trex.store.sweep_cells import ITEM_TIME, MAIN, RATE
from trex.store.sweep_reading import Best, SpeedupMatrix, SweepReading, frame_of
from trex.views.document import Block, Document, PlotBlock, Section, TableBlock, Text
from trex.views.findings import few
from trex.views.plot import Axis, Empty, Lines, Points
from trex.views.table import Table, TableColumn

COMMAND = "sweep"
_CURVES = 12
_EFFECTS = 10
_LABELS = {
    MAIN: "time", RATE: "items/s", ITEM_TIME: "time per item", "device_memory_bytes": "device memory",
    "activation_peak_bytes": "activation peak", "engine_bytes": "engine size", "p99_ms": "p99 latency",
    "gpu_compute_ms": "GPU compute", "latency_ms": "latency", "layer_sum_ms": "sum of layer times",
    "build_seconds": "build time",
}  # fmt: skip
_KINDS = {"_ms": ("ms", "ms"), "_bytes": ("bytes", ""), "_per_s": ("rate", ""), "_seconds": ("rate", "s")}
_EFFECT_COLUMNS = (
    TableColumn("option"),
    TableColumn("from", readable=8, identifier="before"),
    TableColumn("to", readable=8, identifier="after"),
    TableColumn("time per item", "rate", "%", meaning="change; minus is faster", identifier="change_pct"),
    TableColumn("low", "rate", "%", if_known=True, meaning="lower end of the 95 % interval", identifier="low_pct"),
    TableColumn("high", "rate", "%", if_known=True, meaning="upper end", identifier="high_pct"),
    TableColumn("pairs", "count", meaning="configurations that differ in this alone, or of the fit"),
    TableColumn("least", "rate", "%", meaning="smallest change of a pair", identifier="least_pct"),
    TableColumn("most", "rate", "%", meaning="largest change of a pair", identifier="most_pct"),
    TableColumn("method"),
)
_SHORT_EFFECTS = 7


def sweep_report(reading: SweepReading, *, is_short: bool = False) -> Document:
    """is_short: for a terminal."""
    sections = [Section("answer", "", tuple(_answer(reading)), data=_data(reading))]
    sections += _front_section(reading, is_short)
    sections += _effects_section(reading, is_short)
    sections += _scaling_section(reading)
    sections += _matrix_section(reading)
    block = TableBlock(
        "configurations", "", partial(_configurations, reading), "configurations", shown=len(reading.sweep.axes) + 6
    )
    sections.append(Section("configurations", "All configurations", (block,), is_folded=True))
    count = len(reading.sweep.cells)
    constant = (f"{name} {value.removeprefix('example:')}" for name, value in reading.sweep.constant.items())
    subtitle = ", ".join((counted(count, "configuration"), counted(reading.sweep.runs, "run"), *constant))
    return Document(
        COMMAND, reading.sweep.name, _statement(reading), tuple(sections), reading.notes, source=reading,
        subtitle=subtitle,
    )  # fmt: skip


def _statement(reading: SweepReading) -> str:
    origins = sorted(set(reading.sweep.cells["provenance"].dropna()) - {MEASURED})
    if not origins:
        return ""
    all_of = "all" if not (reading.sweep.cells["provenance"] == MEASURED).any() else "some"
    return f"{', '.join(origins)}: {all_of} times are not measured"


def _data(reading: SweepReading) -> dict[str, Any]:
    rows = reading.sweep.cells["run_id"]
    return {
        "axes": list(reading.sweep.axes),
        "constant": dict(reading.sweep.constant),
        "time": reading.sweep.main,
        "objectives": [{"column": one.column, "higher_is_better": one.higher_is_better} for one in reading.objectives],
        "where": reading.where,
        "best_by": reading.best_by,
        "best": [
            {
                "group": best.group,
                "run": None if best.index is None else rows[best.index],
                "runner_up": None if best.runner_up is None else rows[best.runner_up],
                "fitting": best.fitting,
                "unknown": best.unknown,
            }
            for best in reading.best
        ],
        "variance_shares": reading.effects.shares,
    }


def _label(column: str) -> str:
    return _LABELS.get(column, column)


def _column(name: str, *, if_known: bool = False) -> TableColumn:
    kind, unit = next((shape for ending, shape in _KINDS.items() if name.endswith(ending)), ("number", ""))
    return TableColumn(_label(name), kind, unit, if_known=if_known, identifier=name)


def _words(reading: SweepReading, column: str, value: Any) -> str:
    shape = _column(column)
    return f"{shape.cell(value)} {shape.unit}".rstrip()


def _answer(reading: SweepReading) -> Iterator[Block]:
    goal = "highest" if reading.is_higher_better(reading.best_by) else "lowest"
    what = f"{goal} {_label(reading.best_by)}"
    if len(reading.best) == 1:
        yield Text(tuple(_best_lines(reading, reading.best[0], what)))
        return
    where = f", with {reading.where}" if reading.where else ""
    yield Text((f"Best configuration of each model, by {what}{where}.",))
    yield _best_table(reading)


def _best_table(reading: SweepReading) -> Table:
    """One row per group; where none fits, the figures are empty and the last column says why."""
    rows = []
    for best in reading.best:
        row = None if best.index is None else reading.row(best.index)
        lead = None if best.ratio is None else 100.0 * (best.ratio - 1.0)
        rows.append(
            (
                best.group,
                reading.sweep.named(row, "model") if row is not None else None,
                *(None if row is None else _plain(row[one.column]) for one in reading.objectives),
                None if best.runner_up is None else reading.sweep.named(reading.row(best.runner_up), "model"),
                lead,
                " ".join(_reservations(reading, best)) or None,
            )
        )
    columns = (
        TableColumn("model", "name", readable=20, identifier="group"),
        TableColumn("best", readable=20),
        *(_column(one.column, if_known=True) for one in reading.objectives),
        TableColumn("next", readable=20, if_known=True, identifier="runner_up"),
        TableColumn(
            f"its {_label(reading.best_by)}", "rate", "%", if_known=True,
            meaning="the next one's, against the best's", identifier="runner_up_pct",
        ),
        TableColumn("reservation", readable=20, if_known=True),
    )  # fmt: skip
    return Table("", columns, tuple(rows), "best")


def _reservations(reading: SweepReading, best: Best) -> Iterator[str]:
    if best.index is None:
        known = f"none has a known {_label(reading.best_by)}" if best.fitting else f"none fits {reading.where}"
        yield known
    if best.is_close:
        yield "the next one does not differ significantly"
    if best.unknown:
        yield f"{counted(best.unknown, 'more configuration')} may fit: a value is unknown"


def _best_lines(reading: SweepReading, best: Best, what: str) -> Iterator[str]:
    of = f"{best.group}: " if best.group else ""
    if best.index is None:
        if best.fitting:
            yield f"{of}no configuration has a known {_label(reading.best_by)}."
            return
        unknown = f" {best.unknown} may: a value is unknown." if best.unknown else ""
        yield f"{of}no configuration fits {reading.where}.{unknown}"
        return
    row = reading.row(best.index)
    figures = [f"{_label(one.column)} {_words(reading, one.column, row[one.column])}" for one in reading.objectives]
    if reading.fit is not None:
        shown = {one.column for one in reading.objectives}
        figures += [
            f"{_label(name)} {_words(reading, name, row[name])}"
            for name in reading.fit.columns
            if name not in shown and name not in reading.sweep.axes
        ]
    where = f" of {counted(best.fitting, 'configuration')} with {reading.where}" if reading.where else ""
    yield f"{of}{what}{where}: {reading.sweep.named(row)}. {', '.join(figures)}."
    if best.runner_up is not None and best.ratio:
        difference = signed(100.0 * (best.ratio - 1.0))
        close = {True: "; not a significant difference", False: "", None: ""}[best.is_close]
        yield f"  Next: {reading.sweep.named(reading.row(best.runner_up))} ({difference} %{close})."
    if best.unknown:
        yield f"  {counted(best.unknown, 'more configuration')} may fit: a value is unknown."


def _front_section(reading: SweepReading, is_short: bool) -> Iterator[Section]:
    if not reading.objectives:
        return
    rows = []
    several = len(reading.front) > 1
    columns = [_column(one.column, if_known=True) for one in reading.objectives]
    for front in reading.front.values():
        for index in front:
            row = reading.row(index)
            values = (_plain(row[one.column]) for one in reading.objectives)
            name = reading.sweep.named(row)
            rows.append((name, *values))
    table = Table("", (TableColumn("configuration", "name", readable=24), *columns), tuple(rows), "pareto_front")
    total = sum(len(front) for front in reading.front.values())
    goals = ", ".join(
        f"{_label(one.column)} {'higher' if one.higher_is_better else 'lower'}" for one in reading.objectives
    )
    known = sum(all(row[one.column] == row[one.column] for one in reading.objectives) for _, row in reading.rows())
    words = f"{total} of {counted(known, 'configuration')}: no other is as good in all of {goals}."
    per = " One front per model: times of different models don't compare." if several else ""
    plot = PlotBlock("pareto", "Time and throughput", partial(_pareto_plot, reading))
    blocks: list[Block] = [Text((words + per,)), table, plot]
    if reading.memory in {one.column for one in reading.objectives}:
        blocks.append(PlotBlock("memory", "Time and memory", partial(_other_plot, reading, reading.memory)))
    blocks += [
        PlotBlock(f"column-{name}", f"Time and {name}", partial(_other_plot, reading, name))
        for name in reading.sweep.columns
        if reading.sweep.cells[name].dtype.kind in "if"
    ]
    yield Section("pareto", "Pareto front", tuple(blocks))


def _pareto_plot(reading: SweepReading) -> Points | Empty:
    return _points(reading, MAIN, RATE, has_front=True)


def _other_plot(reading: SweepReading, column: str) -> Points | Empty:
    return _points(reading, MAIN, column, has_front=False)


def _points(reading: SweepReading, x: str, y: str, *, has_front: bool) -> Points | Empty:
    rows = [(index, row) for index, row in reading.rows() if row[x] == row[x] and row[y] == row[y]]
    if not rows:
        return Empty(f"No configuration has {_label(x)} and {_label(y)}.")
    axis = _color_axis(reading)
    on_front = {index for front in reading.front.values() for index in front}
    lines = []
    if has_front:
        for name, front in reading.front.items():
            points = sorted((reading.row(index)[x], reading.row(index)[y]) for index in front)
            if len(points) > 1:
                title = f"front: {name}" if name else "front"
                lines.append((title, [point[0] for point in points], [point[1] for point in points]))
    shape_x, shape_y = _column(x), _column(y)
    return Points(
        [row[x] for _, row in rows],
        [row[y] for _, row in rows],
        Axis(shape_x.name, shape_x.unit, log=True),
        Axis(shape_y.name, shape_y.unit or ("bytes" if shape_y.kind == "bytes" else ""), log=shape_y.kind == "rate"),
        texts=[reading.sweep.named(row) for _, row in rows],
        keys=[str(row[axis]).removeprefix("example:") for _, row in rows] if axis else (),
        key_title=axis or "",
        lines=lines,
        hover={"on the front": ["yes" if index in on_front else "no" for index, _ in rows]},
    )


def _color_axis(reading: SweepReading) -> str | None:
    """The axis whose values get colors: the model, else that with the fewest values."""
    axes = reading.sweep.axes
    if "model" in axes or not axes:
        return "model" if axes else None
    return min(axes, key=lambda axis: reading.sweep.cells[axis].nunique())


def _effects_section(reading: SweepReading, is_short: bool) -> Iterator[Section]:
    effects = [effect for effect in reading.effects.effects if effect.axis != "model"]
    lines = list(_effect_lines(reading, effects))
    if not lines and not effects:
        return
    rows = tuple(
        (
            effect.axis, effect.before, effect.after, _percent(effect.ratio), _percent(effect.low),
            _percent(effect.high), effect.count, _percent(effect.least), _percent(effect.most), effect.method,
        )
        for effect in effects
    )  # fmt: skip
    table = Table("", _EFFECT_COLUMNS, rows, "effects")
    if is_short:
        table = table.with_columns([*range(_SHORT_EFFECTS)]).first(_EFFECTS)
    blocks: list[Block] = [Text(tuple(lines)), table] if lines else [table]
    yield Section("effects", "Which option mattered", tuple(blocks))


def _effect_lines(reading: SweepReading, effects: Sequence[OptionEffect]) -> Iterator[str]:
    shares = {axis: share for axis, share in reading.effects.shares.items() if axis != "model"}
    if shares:
        ordered = sorted(shares.items(), key=lambda item: -item[1])
        words = ", ".join(f"{axis} {100.0 * share:.0f} %" for axis, share in ordered if share >= 0.005)
        if words:
            yield f"Share of the variance of ln(time per item): {words}."
    for effect in effects[:3]:
        if effect.depends:
            yield (
                f"{effect.axis} {effect.before} → {effect.after} depends on the rest: from {_signed(effect.least)} to "
                f"{_signed(effect.most)} % time per item."
            )
    uncertain = [effect for effect in effects if not effect.is_significant and effect.low is not None]
    if uncertain:
        names = dict.fromkeys(f"{effect.axis} {effect.before} → {effect.after}" for effect in uncertain)
        yield f"Not significant: {few(names, 4)}."
    if any(effect.method == FITTED for effect in effects):
        yield "By least squares where no two configurations differ in one option alone: without interactions."
    if large := [axis for axis in reading.effects.large if axis != "model"]:
        yield f"Not judged, with more than {MOST_VALUES} values: {', '.join(large)}."
    for axis, others in reading.effects.confounded:
        yield f"Can't tell the effect of {axis} from that of {', '.join(others)}: they vary together."


def _percent(ratio: float | None) -> float | None:
    return None if ratio is None or not math.isfinite(ratio) else 100.0 * (ratio - 1.0)


def _signed(ratio: float) -> str:
    return signed(100.0 * (ratio - 1.0), 0)


def _scaling_section(reading: SweepReading) -> Iterator[Section]:
    curves = reading.scaling
    if not curves:
        return
    batches = sorted({batch for curve in curves for batch in curve.batches})
    columns = (
        TableColumn("items/s at batch", "name", readable=20, identifier="configuration"),
        *(TableColumn(f"{batch:.15g}", "rate", if_known=True, identifier=f"batch_{batch:.15g}") for batch in batches),
        TableColumn("efficiency", "rate", "%", meaning="rate at the largest batch over that at the smallest, over the "
                    "ratio of the batches", identifier="efficiency_pct"),
    )  # fmt: skip
    rows = []
    for curve in curves:
        rates = dict(zip(curve.batches, curve.rates, strict=True))
        factor = curve.batches[-1] / curve.batches[0]
        efficiency = 100.0 * curve.rates[-1] / curve.rates[0] / factor
        rows.append((curve.name, *(rates.get(batch) for batch in batches), efficiency))
    table = Table("", columns, tuple(rows), "scaling")
    yield Section(
        "scaling",
        "Scaling by batch",
        (table, PlotBlock("scaling", "Items/s over batch", partial(_scaling_plot, reading), repeats=True)),
    )


def _scaling_plot(reading: SweepReading) -> Lines | Empty:
    curves = reading.scaling[:_CURVES]
    batches = sorted({batch for curve in curves for batch in curve.batches})
    series = {
        curve.name: [dict(zip(curve.batches, curve.rates, strict=True)).get(batch) for batch in batches]
        for curve in curves
    }
    rest = len(reading.scaling) - len(curves)
    note = f"The {_CURVES} fastest; {rest} more in the table." if rest > 0 else ""
    return Lines(batches, series, Axis("batch", log=True), Axis("items/s", log=True), note=note)


def _matrix_section(reading: SweepReading) -> Iterator[Section]:
    tables = tuple(_matrix_table(matrix) for matrix in reading.matrices)
    if tables:
        words = "Time of the row over time of the column: above 1, the column is faster. Geometric means."
        yield Section("speedups", "Speed-ups", (Text((words,)), *tables))


def _matrix_table(matrix: SpeedupMatrix) -> Table:
    columns = (
        TableColumn(matrix.axis, "name", identifier="value"),
        *(TableColumn(value, "rate", identifier=value) for value in matrix.values),
        TableColumn("configurations", "count", meaning="compared with another value at least once"),
    )
    rows = tuple(
        (value, *speedups, max(counts))
        for value, speedups, counts in zip(matrix.values, matrix.speedups, matrix.counts, strict=True)
    )
    return Table(f"By {matrix.axis}", columns, rows, f"speedups_by_{matrix.axis}")


def _configurations(reading: SweepReading) -> Table:
    frame = frame_of(reading)
    first = [*reading.sweep.axes, MAIN, RATE, "p99_ms", reading.memory, *reading.sweep.columns, "is_on_front"]
    if reading.fit is not None:
        first.append("fits")
    names = list(dict.fromkeys([*first, *map(str, frame.columns)]))
    columns = tuple(
        TableColumn(name, "text", identifier=name)
        if frame[name].dtype.kind not in "if" or name in reading.sweep.axes
        else _column(name, if_known=True)
        for name in names
    )
    rows = tuple(tuple(_plain(row[name]) for name in names) for row in frame.to_dict("records"))
    return Table("", columns, rows, "configurations")


def _plain(value: Any) -> Any:
    if value is None or value != value:
        return None
    if isinstance(value, bool) or type(value).__name__ == "bool":
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    number = float(value)
    return int(number) if number.is_integer() and abs(number) < 1e15 else number
