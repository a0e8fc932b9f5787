"""EnginePlan → KernelUse: which kernels the layers run, how often and how long, by their names."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

from trex.core.frozen import frozen
from trex.core.layer import Layer
from trex.core.tactic import Tactic
from trex.plan.engine_plan import EnginePlan
from trex.plan.kernels import kernel_of

Key = TypeVar("Key", bound=Hashable)

MATRIX_KINDS = frozenset(("convolution", "deconvolution", "gemm", "attention"))
"""Kinds of kernels that can use Tensor Cores."""


@frozen
class UseSummary:
    """layers: number of layers. kernels: distinct names. time_ms: sum of the known times, None without any."""

    layers: int
    kernels: int
    time_ms: float | None


@frozen
class KernelUse:
    """layers: with a kernel's name, in order; times_ms: their times, None if not measured; kernels: the facts in their
    names. unnamed: summary of the other layers. total_ms: of all layers, None if nothing was measured.
    """

    layers: tuple[Layer, ...]
    kernels: tuple[Tactic, ...]
    times_ms: tuple[float | None, ...]
    unnamed: UseSummary
    total_ms: float | None

    def by(self, key_of: Callable[[Tactic], Key | None]) -> dict[Key, UseSummary]:
        """Layers grouped by a key of their kernels, the longest first, then the most layers; a key of None is
        left out.
        """
        indexes: dict[Key, list[int]] = {}
        for index, kernel in enumerate(self.kernels):
            key = key_of(kernel)
            if key is not None:
                indexes.setdefault(key, []).append(index)
        return _ordered({key: self._use(here) for key, here in indexes.items()})

    def by_name(self) -> dict[str, UseSummary]:
        """Layers grouped by kernel, the longest first."""
        indexes: dict[str, list[int]] = {}
        for index, layer in enumerate(self.layers):
            indexes.setdefault(layer.tactic, []).append(index)
        return _ordered({name: self._use(here) for name, here in indexes.items()})

    def of(self, wanted: Callable[[Tactic], bool]) -> UseSummary:
        """All layers whose kernels match."""
        return self._use([index for index, kernel in enumerate(self.kernels) if wanted(kernel)])

    def share(self, use: UseSummary, total: UseSummary | None = None) -> float | None:
        """Share of the time of all layers, or of ``total``, 0 to 1; None if nothing was measured."""
        whole = self.total_ms if total is None else total.time_ms
        return None if use.time_ms is None or not whole else use.time_ms / whole

    def _use(self, indexes: list[int]) -> UseSummary:
        names = {self.layers[index].tactic for index in indexes}
        return UseSummary(len(indexes), len(names), _sum(self.times_ms[index] for index in indexes))


def kernel_use_of(plan: EnginePlan) -> KernelUse:
    """The kernels that the layers of a plan run."""
    times = plan.layer_ms
    named = [index for index, layer in enumerate(plan.working_layers) if layer.tactic]
    others = [index for index, layer in enumerate(plan.working_layers) if not layer.tactic]
    return KernelUse(
        layers=tuple(plan.working_layers[index] for index in named),
        kernels=tuple(kernel_of(plan.working_layers[index]) for index in named),
        times_ms=tuple(times[index] for index in named),
        unnamed=UseSummary(len(others), 0, _sum(times[index] for index in others)),
        total_ms=_sum(times),
    )


def _ordered(summaries: dict[Key, UseSummary]) -> dict[Key, UseSummary]:
    return dict(sorted(summaries.items(), key=lambda item: (-(item[1].time_ms or 0.0), -item[1].layers)))


def _sum(times: Iterable[float | None]) -> float | None:
    known = [time for time in times if time is not None and time == time]
    return sum(known) if known else None
