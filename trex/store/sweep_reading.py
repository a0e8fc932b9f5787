"""SweepCells → SweepReading: Pareto fronts, scaling, speed-ups, effects, and the best configuration."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from trex.compare.repeated_runs import repeated_runs
from trex.core.bounded_exponent import bounded_exp
from trex.core.errors import TrexError
from trex.core.near_names import did_you_mean
from trex.core.note import Note
from trex.store.constraint import Fit, fit
from trex.store.effects import MOST_AXES, Effects, effects_of
from trex.store.pareto import pareto_front
from trex.store.sweep_cells import ITEM_TIME, MAIN, RATE, SweepCells, axis_text

MEMORY = ("device_memory_bytes", "activation_peak_bytes", "engine_bytes")
_MATRIX_AXES = ("gpu", "tensorrt", "precision", "backend")
MOST_OF_MATRIX = 32
"""Values of an axis: a speed-up matrix is the square of them."""
_HIGHER = (RATE, "throughput_qps")


@dataclass(frozen=True, slots=True)
class Objective:
    """One quantity of a Pareto front."""

    column: str
    higher_is_better: bool

    def sign(self) -> float:
        return -1.0 if self.higher_is_better else 1.0


@dataclass(frozen=True, slots=True)
class Best:
    """The best configuration of one group (a model, an origin of times). index: its row; None if none fits.

    runner_up: the next one, None without. ratio: runner-up over best of the objective. is_close: whether their
    repetitions don't differ significantly, None if they are too few. fitting, unknown: how many fit the
    constraint, and for how many it is unknown.
    """

    group: str
    index: int | None
    runner_up: int | None
    ratio: float | None
    is_close: bool | None
    fitting: int
    unknown: int


@dataclass(frozen=True, slots=True)
class ScalingRow:
    """One configuration over the batch. name: its other axes. batches, times (ms), rates (items/s): equally long."""

    name: str
    batches: tuple[float, ...]
    times: tuple[float, ...]
    rates: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class SpeedupMatrix:
    """speedups[i][j]: time on values[i] over that on values[j], the geometric mean over the configurations that have
    both; None without any. counts: how many these are.
    """

    axis: str
    values: tuple[str, ...]
    speedups: tuple[tuple[float | None, ...], ...]
    counts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class SweepReading:
    """where: a constraint, "" for none. best_by: the column to maximize or minimize. higher: the user's columns are
    better when higher, which is so for accuracies; those named in ``lower`` are not.
    """

    sweep: SweepCells
    where: str = ""
    best_by: str = RATE
    lower: frozenset[str] = field(default_factory=frozenset)

    def __post_init__(self) -> None:
        names = [name for name in self.sweep.cells.columns if self.sweep.cells[name].dtype.kind in "if"]
        if self.best_by not in names:
            is_text = self.best_by in self.sweep.cells.columns
            raise TrexError(
                f"the column {self.best_by!r} is no number" if is_text else f"there is no column {self.best_by!r}",
                did_you_mean(self.best_by, names, f"columns: {', '.join(map(str, names[:24]))}"),
            )
        for name in sorted(self.lower - {*self.sweep.columns}):
            given = (
                f"columns of the file: {', '.join(self.sweep.columns[:24])}" if self.sweep.columns else "--column FILE"
            )
            raise TrexError(f"the file has no column {name!r}", did_you_mean(name, self.sweep.columns, given))

    @cached_property
    def fit(self) -> Fit | None:
        return fit(self.sweep.cells, self.where) if self.where else None

    @cached_property
    def memory(self) -> str:
        """The column of memory that most configurations have."""
        counts = [(int(self.sweep.cells[column].notna().sum()), -number) for number, column in enumerate(MEMORY)]
        return MEMORY[-max(counts)[1]]

    @cached_property
    def objectives(self) -> tuple[Objective, ...]:
        """Time, rate, memory and the user's numbers, as far as some configuration has them."""
        cells = self.sweep.cells
        names = (MAIN, RATE, self.memory, *self.sweep.columns)
        return tuple(
            Objective(name, self.is_higher_better(name))
            for name in names
            if cells[name].dtype.kind in "if" and cells[name].notna().any()
        )

    def is_higher_better(self, column: str) -> bool:
        return column in _HIGHER or (column in self.sweep.columns and column not in self.lower)

    @cached_property
    def groups(self) -> dict[str, list[int]]:
        """{name: rows}: per model and origin of times. Results of different models are comparable only with a column of
        the user, such as an accuracy: models are then in one group.
        """
        groups: dict[str, list[int]] = {}
        apart = "model" in self.sweep.axes and not self.sweep.columns
        origins = self.sweep.cells["provenance"].fillna("")
        several = origins.nunique() > 1
        for index, row in enumerate(self.sweep.cells.to_dict("records")):
            parts = [str(row["model"]).removeprefix("example:")] * apart + [str(row["provenance"] or "")] * several
            groups.setdefault(" · ".join(parts), []).append(index)
        return groups

    @cached_property
    def front(self) -> dict[str, list[int]]:
        """{group: rows of its Pareto front}, the fastest first."""
        cells = self.sweep.cells
        columns = [objective.sign() * cells[objective.column].to_numpy(dtype=float) for objective in self.objectives]
        values = np.column_stack(columns) if columns else np.empty((len(cells), 0))
        return {
            name: [rows[number] for number in pareto_front(values[rows])] if columns else []
            for name, rows in self.groups.items()
        }

    @cached_property
    def best(self) -> tuple[Best, ...]:
        """One per group."""
        return tuple(self._best(name, rows) for name, rows in self.groups.items())

    def _best(self, name: str, rows: Sequence[int]) -> Best:
        values = self.sweep.cells[self.best_by]
        is_unknown = [False] * len(values) if self.fit is None else self.fit.is_unknown
        candidates = [row for row in rows if self.fit is None or self.fit.fits[row]]
        known = [row for row in candidates if values[row] == values[row]]
        unknown = sum(bool(is_unknown[row]) for row in rows)
        ordered = sorted(known, key=lambda row: float(values[row]), reverse=self.is_higher_better(self.best_by))
        if not ordered:
            return Best(name, None, None, None, None, len(candidates), unknown)
        first, second = ordered[0], ordered[1] if len(ordered) > 1 else None
        ratio = None if second is None or not values[first] else float(values[second] / values[first])
        return Best(name, first, second, ratio, self._is_close(first, second), len(candidates), unknown)

    def _is_close(self, first: int, second: int | None) -> bool | None:
        if second is None or self.best_by not in (MAIN, ITEM_TIME, RATE):
            return None
        per = MAIN if self.best_by == MAIN else ITEM_TIME
        batches = [float(self.sweep.cells[MAIN][row] / self.sweep.cells[per][row]) for row in (first, second)]
        sides = [
            [value / batch for value in self.sweep.values.get(row, ())]
            for row, batch in zip((first, second), batches, strict=True)
        ]
        runs = repeated_runs(sides[0], sides[1])
        return None if runs is None else not runs.differs

    @cached_property
    def scaling(self) -> tuple[ScalingRow, ...]:
        """Time over batch, of configurations that differ in the batch alone; the fastest at the largest batch first."""
        cells = self.sweep.cells
        if "batch" not in self.sweep.axes or cells["batch"].dtype.kind not in "if":
            return ()
        others = [axis for axis in self.sweep.axes if axis != "batch"]
        others += ["provenance"] if cells["provenance"].nunique(dropna=False) > 1 else []
        rows: dict[str, list[tuple[float, float, float]]] = {}
        for row in cells.to_dict("records"):
            if row[MAIN] == row[MAIN] and row[RATE] == row[RATE]:
                name = " · ".join(axis_text(row[axis]).removeprefix("example:") for axis in others) or self.sweep.name
                rows.setdefault(name, []).append((float(row["batch"]), float(row[MAIN]), float(row[RATE])))
        curves = (
            ScalingRow(name, *zip(*sorted(points), strict=True)) for name, points in rows.items() if len(points) > 1
        )
        return tuple(sorted(curves, key=lambda curve: -curve.rates[-1]))

    @cached_property
    def matrices(self) -> tuple[SpeedupMatrix, ...]:
        """Of the axes GPU, TensorRT version, precision and backend that vary, with few enough values for a table."""
        return tuple(self._matrix(axis) for axis, count in self._matrix_sizes.items() if count <= MOST_OF_MATRIX)

    @property
    def _matrix_sizes(self) -> dict[str, int]:
        return {axis: self.sweep.cells[axis].nunique(dropna=False) for axis in _MATRIX_AXES if axis in self.sweep.axes}

    def _matrix(self, axis: str) -> SpeedupMatrix:
        cells = self.sweep.cells
        others = [name for name in self.sweep.axes if name != axis]
        groups: dict[tuple[str, ...], dict[str, float]] = {}
        for row in cells.to_dict("records"):
            if row[MAIN] == row[MAIN]:
                key = (*(str(row[name]) for name in others), str(row["provenance"]))
                groups.setdefault(key, {})[str(row[axis])] = math.log(row[MAIN])
        values = list(dict.fromkeys(str(value) for value in cells[axis]))
        sums: dict[tuple[str, str], list[float]] = {}
        for group in groups.values():
            for left, right in combinations(group, 2):
                sums.setdefault((left, right), []).append(group[left] - group[right])
                sums.setdefault((right, left), []).append(group[right] - group[left])
        table = [[sums.get((left, right), []) for right in values] for left in values]
        speedups = tuple(
            tuple(
                1.0 if left == right else bounded_exp(math.fsum(logarithms) / len(logarithms)) if logarithms else None
                for right, logarithms in zip(values, row, strict=True)
            )
            for left, row in zip(values, table, strict=True)
        )
        counts = tuple(tuple(len(logarithms) for logarithms in row) for row in table)
        return SpeedupMatrix(axis, tuple(values), speedups, counts)

    @cached_property
    def effects(self) -> Effects:
        """Of all axes on the time per item; of one origin of times, that with most configurations."""
        cells = self.sweep.cells
        if cells["provenance"].nunique() > 1:
            cells = cells[cells["provenance"] == cells["provenance"].mode().iloc[0]]
        return effects_of(cells, self.sweep.axes, ITEM_TIME if cells[ITEM_TIME].notna().any() else MAIN)

    @property
    def run_ids(self) -> list[str]:
        """Of all repetitions."""
        return list(self.sweep.run_ids)

    @property
    def notes(self) -> tuple[Note, ...]:
        notes = list(self.sweep.notes)
        for axis, count in self._matrix_sizes.items():
            if count > MOST_OF_MATRIX:
                message = f"{count:,} values of {axis} are too many for a matrix of speed-ups: at most {MOST_OF_MATRIX}"
                notes.append(Note("too-many-values", message, "trex store query compares any of them", "", "info"))
        if too_many := self.effects.too_many:
            message = f"which of {too_many} axes mattered is not judged: at most {MOST_AXES} are"
            notes.append(Note("too-many-axes", message, "label runs with what varies alone", "", "info"))
        for axis, others in self.effects.confounded:
            message = f"the effect of {axis} can't be separated from that of {', '.join(others)}: they vary together"
            notes.append(Note("confounded", message, "add combinations that vary one of them alone"))
        return tuple(notes)

    def row(self, index: int) -> Mapping[str, Any]:
        return {str(name): value for name, value in self.sweep.cells.iloc[index].items()}

    def rows(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        yield from enumerate(self.sweep.cells.to_dict("records"))


def frame_of(reading: SweepReading) -> pd.DataFrame:
    """The configurations, with ``is_on_front`` and, with a constraint, ``fits``."""
    on_front = {row for rows in reading.front.values() for row in rows}
    frame = reading.sweep.cells.assign(is_on_front=[index in on_front for index in range(len(reading.sweep.cells))])
    result: pd.DataFrame = frame if reading.fit is None else frame.assign(fits=reading.fit.fits)
    return result
