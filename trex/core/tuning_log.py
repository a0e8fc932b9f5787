"""TuningLog: what TensorRT 11's tuner measured of each build route."""

from __future__ import annotations

import math
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

    @property
    def is_candidate(self) -> bool:
        """Whether it was measured, and nothing went wrong: the tuner leaves out routes that crash or lose accuracy."""
        return bool(self.gpu_time_ms) and not self.has_crashed and not self.error


@dataclass(frozen=True, slots=True)
class TuningLog:
    """routes: in the order of the file. facts: {name: text} of its header."""

    source: str
    facts: Mapping[str, str]
    routes: tuple[TunedRoute, ...]
    notes: tuple[Note, ...] = ()

    @property
    def ranked(self) -> tuple[TunedRoute, ...]:
        """Candidates first, the fastest first; then the others in their order."""
        by_time = sorted(self.routes, key=lambda route: (route.gpu_time_ms or 0.0) if route.is_candidate else math.inf)
        return tuple(by_time)

    @property
    def baseline(self) -> TunedRoute | None:
        """The candidate with the default route, else the first, that the tuner begins with."""
        measured = [route for route in self.routes if route.is_candidate]
        default = self.facts.get("default_build_route", "")
        return next((route for route in measured if route.build_route == default), measured[0] if measured else None)
