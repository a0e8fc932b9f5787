"""Fit: measured layers and published inferences → Constants, by damped least squares on the logarithms of the times.

The error of a layer is the logarithm of predicted over measured time, with a soft loss beyond SOFT (a layer for which
TensorRT had no good kernel does not bend the constants). Each engine is weighted by the root of its number of layers,
and within an engine long layers weigh more than short ones, as in its total. A published inference is one error, of
the sum of its kernels without the profiler's part; all figures of one group are weighted by the root of their number.
Each parameter is held to its prior, or to the parameter that it is like, by its looseness. The result is deterministic:
no random numbers, a fixed start.

Source: Levenberg (1944) and Marquardt (1963) for the damping; pseudo-Huber loss.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from trex.core.layer import Layer
from trex.perf.device import Device
from trex.perf.samples.series import Floats
from trex.perf.work.work import Work
from trex.simulator.timing.constants import ASYNCHRONOUS_COPIES, Constants, layer_ms
from trex.simulator.timing.demand import Demand, demands_of
from trex.simulator.timing.parameters import (
    EARLY_WAIT,
    L2_SHARE,
    LAUNCH,
    START,
    WAIT,
    Parameter,
    compute_name,
    launch_name,
    memory_name,
    parameters,
)
from trex.simulator.timing.prediction import LEAST_MS
from trex.simulator.timing.time_kinds import GEMMS, HOST, NOTHING

SOFT = 0.15
"""The weight of a layer falls if its error exceeds 15 %."""
LEAST_WEIGHT, MOST_WEIGHT = 0.3, 3.0
_TRIES, _STEP = 60, 1e-4


@dataclass(frozen=True)
class MeasuredEngine:
    """One real engine: its layers, their works and measured times (None if not measured), and its device.

    compute_ms: GPU compute time of an inference, None if unknown. release: of TensorRT, for people. family: of the
    network (ResNet), "" if unknown.
    """

    engine: str
    device: Device
    layers: Sequence[Layer]
    works: Sequence[Work]
    times_ms: Sequence[float | None]
    compute_ms: float | None = None
    release: str = ""
    family: str = ""


@dataclass(frozen=True)
class Observation:
    """A layer that ran: its demand and its time."""

    engine: str
    device: str
    capability: tuple[int, int]
    demand: Demand
    ms: float


@dataclass(frozen=True)
class ObservedSum:
    """A published inference: each of its demands with the number of kernels, and its milliseconds, without times of
    its layers. group: family of the network, device and precision; figures of one group have similar errors.
    """

    group: tuple[str, str, str]
    capability: tuple[int, int]
    demands: Mapping[Demand, int]
    ms: float


def observations(measured: MeasuredEngine) -> tuple[Observation, ...]:
    """The layers that have a time and launch a kernel, in their order."""
    capability = measured.device.compute_capability or (0, 0)
    demands = demands_of(measured.layers, measured.works, measured.device)
    return tuple(
        Observation(measured.engine, measured.device.name, capability, demand, ms)
        for demand, ms in zip(demands, measured.times_ms)
        if ms and demand.kind not in (NOTHING, HOST)
    )


def fit(
    observed: Sequence[Observation], sums: Sequence[ObservedSum] = (), profiler_ms: Mapping[tuple[int, int], float] = {}
) -> Constants:
    """The constants that explain these layers and sums best; layers of unknown work are left out.

    profiler_ms: {compute capability: what the profiler adds to a kernel}, which the sums are without.
    """
    rows = [row for row in observed if row.demand.is_known]
    capabilities = {row.capability for row in rows} | {row.capability for row in sums}
    wanted = parameters(tuple(sorted(capabilities)))
    prior = np.log([row.prior for row in wanted])
    index = {row.name: number for number, row in enumerate(wanted)}
    held = np.eye(len(wanted)) / np.array([[row.looseness] for row in wanted])
    rest = prior.copy()
    for number, row in enumerate(wanted):
        if row.like:
            held[number, index[row.like]] = -1 / row.looseness
            rest[number] = prior[number] - prior[index[row.like]]
    rest /= np.array([row.looseness for row in wanted])
    if not rows and not sums:
        return Constants({row.name: row.prior for row in wanted})
    errors = _Errors(rows, sums, profiler_ms, wanted)

    def cost(point: Floats) -> float:
        soft = 2 * (np.sqrt(1 + (errors.at(point) / SOFT) ** 2) - 1)
        return float((errors.weight * soft).sum() + ((held @ point - rest) ** 2).sum())

    highest = np.array([0.0 if row.unit == "share" else np.inf for row in wanted])  # no share exceeds the whole
    point, damping = prior.copy(), 1e-2
    lowest = cost(point)
    for _ in range(_TRIES):
        error = errors.at(point)
        slope = np.stack([(errors.at(point + move) - error) / _STEP for move in _STEP * np.eye(len(point))], axis=1)
        weight = errors.weight / np.sqrt(1 + (error / SOFT) ** 2) / SOFT**2
        # Not by ``@``: BLAS would divide this little work among threads, which wait for one another at full load.
        bend = np.einsum("ri,rj->ij", slope, weight[:, None] * slope) + held.T @ held
        fall = slope.T @ (weight * error) + held.T @ (held @ point - rest)
        before = lowest
        for _ in range(8):
            move = np.clip(np.linalg.solve(bend + damping * np.diag(np.diag(bend)), -fall), -1, 1)
            candidate = np.minimum(point + move, highest)
            reached = cost(candidate)
            if reached < lowest:
                point, lowest, damping = candidate, reached, max(damping / 5, 1e-6)
                break
            damping *= 5
        if before - lowest <= 1e-7 * before:
            break
    return Constants({row.name: float(value) for row, value in zip(wanted, np.exp(point).tolist())})


class _Errors:
    """Of every layer, then of every sum: the logarithm of predicted over measured time."""

    def __init__(
        self,
        rows: Sequence[Observation],
        sums: Sequence[ObservedSum],
        profiler_ms: Mapping[tuple[int, int], float],
        wanted: Sequence[Parameter],
    ) -> None:
        parts = [(number, one.capability, part, count) for number, one in enumerate(sums)
                 for part, count in one.demands.items()]  # fmt: skip
        kernels = [(row.capability, row.demand) for row in rows]
        kernels += [(capability, demand) for _, capability, demand, _ in parts]
        self.columns = _FitColumns(kernels, wanted)
        self.layers, self.sums = len(rows), len(sums)
        self.measured = np.log([*(row.ms for row in rows), *(one.ms for one in sums)])
        groups = Counter(one.group for one in sums)
        self.weight = np.array([*_weights(rows), *(groups[one.group] ** -0.5 for one in sums)])
        self.sum_of = np.array([number for number, *_ in parts], int)
        self.count = np.array([float(count) for *_, count in parts])
        self.profiler = np.array([profiler_ms.get(capability, 0.0) for _, capability, *_ in parts])

    def at(self, point: Floats) -> Any:
        """``point`` holds the parameters' logarithms."""
        predicted = self.columns.predicted(point)
        parts = predicted[self.layers :]
        parts = self.count * np.maximum(parts - self.profiler, np.minimum(parts, LEAST_MS))
        whole = np.bincount(self.sum_of, parts, self.sums)
        return np.log(np.concatenate([predicted[: self.layers], whole])) - self.measured


class _FitColumns:
    """Kernels as columns, and the parameters that each of them depends on."""

    def __init__(self, kernels: Sequence[tuple[tuple[int, int], Demand]], wanted: Sequence[Parameter]) -> None:
        index = {row.name: number for number, row in enumerate(wanted)}

        def indexes(names: Sequence[str]) -> Any:
            return np.array([index[name] for name in names], int)

        capabilities = [capability for capability, _ in kernels]
        demands = [demand for _, demand in kernels]
        self.compute = np.array([row.compute_ms for row in demands])
        self.far = np.array([row.far_ms for row in demands])
        self.near = np.array([row.near_ms for row in demands])
        self.steps = np.array([float(row.steps) for row in demands])
        self.is_gemm = np.array([float(row.kind in GEMMS) for row in demands])
        self.launch, self.start, self.l2 = index[LAUNCH], index[START], index[L2_SHARE]
        self.launch_factor = indexes([launch_name(capability) for capability in capabilities])
        self.wait = indexes([WAIT if capability >= ASYNCHRONOUS_COPIES else EARLY_WAIT for capability in capabilities])
        self.compute_share = indexes([compute_name(row.kind) for row in demands])
        self.memory_share = indexes([memory_name(row.kind) for row in demands])

    def predicted(self, point: Floats) -> Any:
        """Milliseconds of each kernel."""
        value = np.exp(point)
        return layer_ms(
            value[self.launch] * value[self.launch_factor],
            self.is_gemm * value[self.start],
            self.compute / value[self.compute_share],
            self.steps * value[self.wait],
            (self.far + self.near / value[self.l2]) / value[self.memory_share],
        )


def _weights(rows: Sequence[Observation]) -> list[float]:
    """The weight of each layer."""
    count = Counter(row.engine for row in rows)
    total: Counter[str] = Counter()
    for row in rows:
        total[row.engine] += row.ms  # type: ignore[assignment]
    weights = []
    for row in rows:
        over_mean = row.ms * count[row.engine] / total[row.engine]
        weights.append(min(MOST_WEIGHT, LEAST_WEIGHT + (1 - LEAST_WEIGHT) * over_mean) / count[row.engine] ** 0.5)
    return weights
