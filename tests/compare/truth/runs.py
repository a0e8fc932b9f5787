"""Runs: times of many inferences as they scatter on real devices, of engines that are or are not equally fast."""

from __future__ import annotations

from array import array
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from tests.factories import conv, engine, t
from trex.core.timings import QueryTimes
from trex.plan.engine_plan import EnginePlan

Floats = npt.NDArray[np.float64]
Noise = Callable[[np.random.Generator, int], Floats]
_SETTLING = 500


def white(deviation: float) -> Noise:
    """Each time for itself."""
    return lambda random, count: 1.0 + deviation * random.standard_normal(count)


def correlated(deviation: float, rho: float) -> Noise:
    """Each time like the one before: x = ρ · x + √(1 − ρ²) · e, as a clock or a temperature makes them."""

    def noise(random: np.random.Generator, count: int) -> Floats:
        fresh = np.sqrt(1.0 - rho * rho) * random.standard_normal(count + _SETTLING)
        values = fresh.tolist()
        for place in range(1, len(values)):
            values[place] += rho * values[place - 1]
        return 1.0 + deviation * np.asarray(values[_SETTLING:])

    return noise


def spiked(deviation: float, share: float) -> Noise:
    """Independent times, of which some were interrupted and took up to a half longer."""

    def noise(random: np.random.Generator, count: int) -> Floats:
        late = (random.random(count) < share) * random.uniform(0.05, 0.5, count)
        return 1.0 + deviation * random.standard_normal(count) + late

    return noise


def stepped(deviation: float, step: float) -> Noise:
    """Independent times as a coarse clock tells them."""
    return lambda random, count: np.round((1.0 + deviation * random.standard_normal(count)) / step) * step


NOISES: dict[str, Noise] = {
    "white, 1 %": white(0.01),
    "white, 5 %": white(0.05),
    "correlated 0.5, 1 %": correlated(0.01, 0.5),
    "correlated 0.9, 1 %": correlated(0.01, 0.9),
    "correlated 0.97, 1 %": correlated(0.01, 0.97),
    "one in fifty late": spiked(0.003, 0.02),
    "steps of 1 % of the time": stepped(0.008, 0.01),
}

_ENGINE = engine(conv("a", [t("x", [1, 8, 4, 4])], [t("y", [1, 8, 4, 4])]), inputs=["x"])


def run_of(times_ms: Floats) -> EnginePlan:
    """An engine of one layer with this trace, of which nothing else is known."""
    values = array("d", times_ms.tolist())
    return EnginePlan(_ENGINE, query_times=QueryTimes({"computeMs": values}))


def two_runs(noise: Noise, count: int, seed: int, slower: float = 0.0) -> tuple[EnginePlan, EnginePlan]:
    """Two runs of as many inferences, the second slower by this part."""
    random = np.random.default_rng(seed)
    return run_of(noise(random, count)), run_of((1.0 + slower) * noise(random, count))
