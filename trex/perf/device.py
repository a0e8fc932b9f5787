"""Device: what a GPU can do at best, each figure with where it comes from and how sure it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from trex.core.note import Note
from trex.perf import peaks
from trex.perf.arithmetic import Arithmetic
from trex.perf.rate import Rate

__all__ = ["Device", "Rate"]


@dataclass(frozen=True, slots=True)
class Device:
    """A GPU's facts; each None when unknown. No figure is guessed: what cannot be derived stays unknown.

    clock_ghz: the boost clock at which CUDA cores' peaks are published, or the highest clock that the engine's files
    report. tensor_clock_ghz: the clock at which the matrix units' peaks are published, where it differs (H100 SXM: 1.83
    against 1.98). running_clock_ghz: the median clock during the profiled run, where telemetry tells it.
    bandwidth_gb_per_s: of the device's own memory, 1 GB = 10⁹ bytes. l2_mib: capacity of the L2. l2_gb_per_s: its read
    bandwidth as measured; l2_bytes_per_clock: as published. power_limit_w: the part's power limit; power_note: in words
    where it holds the part far below its peaks. halves_fp32_accumulation: whether products accumulated in FP32 run at
    half rate on the matrix units (GeForce, L40). has_matrix_units: False for parts that lack what others of their
    compute capability have (GeForce GTX 16). sources, certainties: {field name: where the figure comes from},
    {field name: one of ``rate.CERTAINTIES``}. rates: figures measured or published that go before what is derived.
    aliases: further names of the part, as drivers and people write it.
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
    aliases: tuple[str, ...] = ()
    running_clock_ghz: float | None = None
    l2_gb_per_s: float | None = None
    l2_bytes_per_clock: float | None = None
    halves_fp32_accumulation: bool | None = None
    power_note: str = ""
    has_matrix_units: bool = True

    def ops_per_s(self, arithmetic: Arithmetic) -> Rate | None:
        """Peak rate in operations per second; see ``peaks.ops_per_s``."""
        return peaks.ops_per_s(self, arithmetic)

    @property
    def bytes_per_s(self) -> Rate | None:
        """Bandwidth of the memory in bytes per second."""
        return peaks.bytes_per_s(self)

    @property
    def l2_bytes_per_s(self) -> Rate | None:
        """Read bandwidth of the L2 in bytes per second; see ``peaks.l2_bytes_per_s``."""
        return peaks.l2_bytes_per_s(self)

    def at_running_clock(self) -> Device:
        """This device with the clock that ran in place of the published ones, and without rates measured at others.

        The same device where no telemetry tells the clock.
        """
        if self.running_clock_ghz is None:
            return self
        source = self.sources.get("running_clock_ghz", "")
        certainty = self.certainties.get("running_clock_ghz", "measured")
        clocks = ("clock_ghz", "tensor_clock_ghz")
        return replace(
            self,
            clock_ghz=self.running_clock_ghz,
            tensor_clock_ghz=self.running_clock_ghz,
            sources={**self.sources, **dict.fromkeys(clocks, source)},
            certainties={**self.certainties, **dict.fromkeys(clocks, certainty)},
            rates={},
        )
