"""Device: what a GPU can do at best, each figure with where it comes from and how sure it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from trex.core.note import Note
from trex.perf.arithmetic import Arithmetic


@dataclass(frozen=True, slots=True)
class Rate:
    """per_second: operations (a multiply-add is two) or bytes. source: in words, for people. certainty: see Device."""

    per_second: float
    source: str
    certainty: str


@dataclass(frozen=True, slots=True)
class Device:
    """A GPU's facts; each None when unknown. No figure is guessed: what cannot be derived stays unknown.

    clock_ghz: the boost clock at which CUDA cores' peaks are published. tensor_clock_ghz: the clock at which the matrix
    units' peaks are published, where it differs (H100 SXM: 1.83 against 1.98). bandwidth_gb_per_s: of the device's own
    memory, 1 GB = 10⁹ bytes. power_limit_w: where a part is known to be held far below its peaks by its power limit.
    sources, certainties: {field name: where the figure comes from}, {field name: ``datasheet``, ``measured``,
    ``reported`` (the engine's own files), ``derived``, ``page`` or ``memory``}.
    rates: figures measured or published that go before what is derived.
    """

    name: str
    compute_capability: tuple[int, int] | None = None
    sm_count: int | None = None
    clock_ghz: float | None = None
    tensor_clock_ghz: float | None = None
    bandwidth_gb_per_s: float | None = None
    l2_mib: float | None = None
    power_limit_w: float | None = None
    sources: Mapping[str, str] = field(default_factory=dict)
    certainties: Mapping[str, str] = field(default_factory=dict)
    rates: Mapping[Arithmetic, Rate] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
