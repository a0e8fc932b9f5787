"""Fit: layers that were measured → Constants, by damped least squares on the logarithms of the times.

Each layer pulls by the logarithm of predicted over measured time, softly beyond SOFT (a kernel that TensorRT had no
better one for does not bend the constants), each engine by the root of its number of layers, and within an engine long
layers more than short ones, as they make its total. Each parameter is held to its prior by its looseness. The result
is the same on every run: no random numbers, a fixed start.

Source: Levenberg (1944) and Marquardt (1963) for the damping; pseudo-Huber loss.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trex.core.layer import Layer
from trex.perf.device import Device
from trex.perf.work.work import Work
from trex.simulator.timing.constants import ASYNCHRONOUS_COPIES, Constants
from trex.simulator.timing.demand import Demand, demands_of
from trex.simulator.timing.formula import layer_ms
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
from trex.simulator.timing.time_kinds import HOST, NOTHING, PRODUCTS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

SOFT = 0.15
"""A layer off by more than 15 % pulls less and less."""
LEAST_PULL, MOST_PULL = 0.3, 3.0
_TRIES, _STEP = 60, 1e-4


@dataclass(frozen=True)
class MeasuredEngine:
    """One real engine: its layers, their works and measured times (None where there is none), the device it ran on.

    compute_ms: GPU compute time of a whole inference, None when not told. release: of TensorRT, for people.
    """

    engine: str
    device: Device
    layers: Sequence[Layer]
    works: Sequence[Work]
    times_ms: Sequence[float | None]
    compute_ms: float | None = None
    release: str = ""


@dataclass(frozen=True)
class Observation:
    """A layer that ran: what it asked for and how long it took."""

    engine: str
    device: str
    capability: tuple[int, int]
    demand: Demand
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


def fit(seen: Sequence[Observation]) -> Constants:
    """The constants that explain these layers best; those whose work is not known are left out."""
    import numpy as np

    rows = [each for each in seen if each.demand.is_known]
    wanted = parameters(tuple(sorted({each.capability for each in rows})))
    prior = np.log([each.prior for each in wanted])
    looseness = np.array([each.looseness for each in wanted])
    if not rows:
        return Constants({each.name: each.prior for each in wanted})
    columns = _FitColumns(rows, wanted)

    def cost(point: Floats) -> float:
        off = columns.off(point)
        soft = 2 * (np.sqrt(1 + (off / SOFT) ** 2) - 1)
        return float((columns.pull * soft).sum() + (((point - prior) / looseness) ** 2).sum())

    point, damping = prior.copy(), 1e-2
    lowest = cost(point)
    for _ in range(_TRIES):
        off = columns.off(point)
        slope = np.stack([(columns.off(point + move) - off) / _STEP for move in _STEP * np.eye(len(point))], axis=1)
        pull = columns.pull / np.sqrt(1 + (off / SOFT) ** 2) / SOFT**2
        bend = slope.T @ (pull[:, None] * slope) + np.diag(looseness**-2)
        fall = slope.T @ (pull * off) + (point - prior) / looseness**2
        before = lowest
        for _ in range(8):
            move = np.clip(np.linalg.solve(bend + damping * np.diag(np.diag(bend)), -fall), -1, 1)
            reached = cost(point + move)
            if reached < lowest:
                point, lowest, damping = point + move, reached, max(damping / 5, 1e-6)
                break
            damping *= 5
        if before - lowest <= 1e-7 * before:
            break
    return Constants({each.name: float(value) for each, value in zip(wanted, np.exp(point).tolist())})


class _FitColumns:
    """The observations as columns, and which parameter each of them meets."""

    def __init__(self, rows: Sequence[Observation], wanted: Sequence[Parameter]) -> None:
        import numpy as np

        place = {each.name: number for number, each in enumerate(wanted)}

        def places(names: Sequence[str]) -> Any:
            return np.array([place[name] for name in names])

        demands = [each.demand for each in rows]
        self.measured = np.log([each.ms for each in rows])
        self.compute = np.array([each.compute_ms for each in demands])
        self.far = np.array([each.far_ms for each in demands])
        self.near = np.array([each.near_ms for each in demands])
        self.steps = np.array([float(each.steps) for each in demands])
        self.is_product = np.array([float(each.kind in PRODUCTS) for each in demands])
        self.pull = np.array(_pulls(rows))
        self.launch, self.start, self.l2 = place[LAUNCH], place[START], place[L2_SHARE]
        self.launch_factor = places([launch_name(each.capability) for each in rows])
        self.wait = places([WAIT if each.capability >= ASYNCHRONOUS_COPIES else EARLY_WAIT for each in rows])
        self.compute_share = places([compute_name(each.kind) for each in demands])
        self.memory_share = places([memory_name(each.kind) for each in demands])

    def off(self, point: Floats) -> Any:
        """Logarithm of predicted over measured time; ``point`` holds the parameters' logarithms."""
        import numpy as np

        value = np.exp(point)
        predicted = layer_ms(
            value[self.launch] * value[self.launch_factor],
            self.is_product * value[self.start],
            self.compute / value[self.compute_share],
            self.steps * value[self.wait],
            (self.far + self.near / value[self.l2]) / value[self.memory_share],
        )
        return np.log(predicted) - self.measured


def _pulls(rows: Sequence[Observation]) -> list[float]:
    """How strongly each layer pulls."""
    count = Counter(each.engine for each in rows)
    total: Counter[str] = Counter()
    for each in rows:
        total[each.engine] += each.ms  # type: ignore[assignment]
    pulls = []
    for each in rows:
        over_mean = each.ms * count[each.engine] / total[each.engine]
        pulls.append(min(MOST_PULL, LEAST_PULL + (1 - LEAST_PULL) * over_mean) / count[each.engine] ** 0.5)
    return pulls
