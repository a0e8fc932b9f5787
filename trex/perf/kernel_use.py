"""EnginePlan → KernelUse: which kernels the layers run, how often and how long, as their names tell."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

from trex.core.frozen import frozen
from trex.core.layer import Layer
from trex.core.tactic import Tactic
from trex.plan.engine_plan import EnginePlan
from trex.plan.kernels import kernel_of

Key = TypeVar("Key", bound=Hashable)

MULTIPLYING = frozenset(("convolution", "deconvolution", "gemm", "attention"))
"""Kinds of kernels that multiply matrices, which Tensor Cores can do."""


@frozen
class Use:
    """layers: that run it. kernels: distinct names. time_ms: sum of the average times known, None without any."""

    layers: int
    kernels: int
    time_ms: float | None


@frozen
class KernelUse:
    """layers: with a kernel's name, in order; times_ms beside them, None where not measured; kernels: what the names
    state. unnamed: how the other layers use the device. total_ms: of all layers, None when nothing was measured.
    """

    layers: tuple[Layer, ...]
    kernels: tuple[Tactic, ...]
    times_ms: tuple[float | None, ...]
    unnamed: Use
    total_ms: float | None

    def by(self, key_of: Callable[[Tactic], Key | None]) -> dict[Key, Use]:
        """Layers together whose kernels have one key, the longest first, then the most; None is left out."""
        places: dict[Key, list[int]] = {}
        for place, kernel in enumerate(self.kernels):
            key = key_of(kernel)
            if key is not None:
                places.setdefault(key, []).append(place)
        return _ordered({key: self._use(here) for key, here in places.items()})

    def by_name(self) -> dict[str, Use]:
        """One kernel each, the longest first."""
        places: dict[str, list[int]] = {}
        for place, layer in enumerate(self.layers):
            places.setdefault(layer.tactic, []).append(place)
        return _ordered({name: self._use(here) for name, here in places.items()})

    def of(self, wanted: Callable[[Tactic], bool]) -> Use:
        """All layers whose kernels are wanted."""
        return self._use([place for place, kernel in enumerate(self.kernels) if wanted(kernel)])

    def share(self, use: Use, total: Use | None = None) -> float | None:
        """Of the time of all layers, or of these, 0 to 1; None when nothing was measured."""
        whole = self.total_ms if total is None else total.time_ms
        return None if use.time_ms is None or not whole else use.time_ms / whole

    def _use(self, places: list[int]) -> Use:
        names = {self.layers[place].tactic for place in places}
        return Use(len(places), len(names), _sum(self.times_ms[place] for place in places))


def kernel_use_of(plan: EnginePlan) -> KernelUse:
    """What the layers of a plan run."""
    times = [None if time is None else time.average_ms for time in plan.times]
    named = [place for place, layer in enumerate(plan.layers) if layer.tactic]
    others = [place for place, layer in enumerate(plan.layers) if not layer.tactic]
    return KernelUse(
        layers=tuple(plan.layers[place] for place in named),
        kernels=tuple(kernel_of(plan.layers[place]) for place in named),
        times_ms=tuple(times[place] for place in named),
        unnamed=Use(len(others), 0, _sum(times[place] for place in others)),
        total_ms=_sum(times),
    )


def _ordered(found: dict[Key, Use]) -> dict[Key, Use]:
    return dict(sorted(found.items(), key=lambda each: (-(each[1].time_ms or 0.0), -each[1].layers)))


def _sum(times: Iterable[float | None]) -> float | None:
    known = [time for time in times if time is not None and time == time]
    return sum(known) if known else None
