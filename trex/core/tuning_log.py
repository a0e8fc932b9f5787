"""TuningLog: what TensorRT 11's tuner measured of each build route."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from trex.core.frozen import frozen
from trex.core.note import Note


@frozen
class TunedRoute:
    """One iteration: a build with these knobs. gpu_time_ms: mean GPU compute time, None if it was not measured.

    has_crashed: None if the file does not say. accuracy_loss: by output or by algorithm, as the file has it.
    """

    iteration: int
    build_route: str
    gpu_time_ms: float | None
    has_crashed: bool | None = None
    error: str = ""
    accuracy_loss: Mapping[str, float] = field(default_factory=dict)
    line: int = 0


@dataclass(frozen=True, slots=True)
class TuningLog:
    """routes: in the order of the file. facts: {name: text} of its header."""

    source: str
    facts: Mapping[str, str]
    routes: tuple[TunedRoute, ...]
    notes: tuple[Note, ...] = ()

    @property
    def ranked(self) -> tuple[TunedRoute, ...]:
        """Measured ones first, the fastest first; then the others in their order."""
        return tuple(sorted(self.routes, key=lambda route: (route.gpu_time_ms is None, route.gpu_time_ms or 0.0)))

    @property
    def baseline(self) -> TunedRoute | None:
        """The measured build with the default route, else the first measured one, that the tuner begins with."""
        measured = [route for route in self.routes if route.gpu_time_ms is not None]
        default = self.facts.get("default_build_route", "")
        return next((route for route in measured if route.build_route == default), measured[0] if measured else None)
