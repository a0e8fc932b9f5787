"""Device: the peak rates of a GPU, each with its source and certainty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from trex.core.data_type import DataType
from trex.core.note import Note
from trex.perf.arithmetic import Arithmetic, Rate, least_certain
from trex.perf.peaks import (
    L2_BYTES_PER_CLOCK_PER_SM,
    accumulates_in_fp32,
    is_unpublished,
    may_halve_fp32_accumulation,
    per_clock,
    row_of,
)


@dataclass(frozen=True, slots=True)
class Device:
    """A GPU's facts; each None if unknown. A figure that cannot be derived stays unknown.

    clock_ghz: the boost clock of the published CUDA core peaks, or the highest clock in the engine's files.
    tensor_clock_ghz: the clock of the published matrix unit peaks, if it differs (H100 SXM: 1.83 and 1.98).
    base_clock_ghz: the clock that a part keeps under any load, for parts whose power limit holds matrix work near it.
    running_clock_ghz: the median clock during the profiled run, from telemetry. bandwidth_gb_per_s: of the device's own
    memory, 1 GB = 10⁹ bytes. memory_gib: its capacity as sold (drivers report a little less). l2_mib: capacity of the
    L2. l2_gb_per_s: its measured read bandwidth; l2_bytes_per_clock: the published one. power_limit_w: the part's power
    limit; power_note: in words, if it keeps the part far below its peaks. halves_fp32_accumulation: whether FP32
    accumulation runs at half rate on the tensor cores (GeForce, L40). has_matrix_units: False for parts that lack them
    in spite of their compute capability (GeForce GTX 16). sources, certainties: {field name: source of the figure},
    {field name: one of ``arithmetic.CERTAINTIES``}. rates: measured or published figures that take precedence over
    derived ones. aliases: further names of the part in drivers and documents.
    """

    name: str
    compute_capability: tuple[int, int] | None = None
    sm_count: int | None = None
    clock_ghz: float | None = None
    tensor_clock_ghz: float | None = None
    base_clock_ghz: float | None = None
    bandwidth_gb_per_s: float | None = None
    memory_gib: float | None = None
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
        """Peak rate in operations per second; None if it is unknown or the device has no such units.

        A rate of ``rates`` takes precedence over a derived one. With FP32 accumulation at half rate and an unknown
        accumulator, FP32 is assumed and the source says so; the same on a part that may be one of those.
        """
        published = self._published(arithmetic)
        if published is not None:
            return published
        figure = per_clock(self.compute_capability, arithmetic)
        on_matrix = row_of(arithmetic)[1]
        clock_field = "tensor_clock_ghz" if on_matrix and self.tensor_clock_ghz is not None else "clock_ghz"
        clock = getattr(self, clock_field)
        if figure is None or self.sm_count is None or clock is None or (on_matrix and not self.has_matrix_units):
            return None
        if arithmetic.sparse and figure.sparse is None:
            return None
        factor, remark = self._accumulation(arithmetic)
        if arithmetic.sparse and figure.sparse is not None:
            factor *= figure.sparse
            remark += f"; × {figure.sparse:.3g} with 2:4 sparsity"
        fields = ("sm_count", clock_field)
        certainties = [figure.certainty, *(self.certainties.get(name, "unverified") for name in fields)]
        if remark.startswith("; half rate assumed"):
            certainties.append("derived")
        return Rate(
            self.sm_count * clock * 1e9 * figure.ops * factor,
            f"{self.sm_count} SMs × {clock:g} GHz × {figure.source}{remark}",
            least_certain(certainties),
        )

    def has_unknown_rate(self, arithmetic: Arithmetic) -> bool:
        """Whether the device has tensor cores for it, whose rate is unknown."""
        is_possible = self.has_matrix_units and is_unpublished(self.compute_capability, arithmetic)
        return is_possible and self.ops_per_s(arithmetic) is None

    @property
    def bytes_per_s(self) -> Rate | None:
        """Bandwidth of the memory in bytes per second."""
        if self.bandwidth_gb_per_s is None:
            return None
        return self._field_rate("bandwidth_gb_per_s", self.bandwidth_gb_per_s * 1e9)

    @property
    def l2_bytes_per_s(self) -> Rate | None:
        """Read bandwidth of the L2 in bytes per second, None if unknown.

        Measured (``l2_gb_per_s``), else published per clock (``l2_bytes_per_clock`` · clock), else the most that the
        SMs can read, 64 bytes per clock each since Volta (certainty ``derived``: the L2 itself may be much slower).
        """
        if self.l2_gb_per_s is not None:
            return self._field_rate("l2_gb_per_s", self.l2_gb_per_s * 1e9)
        if self.clock_ghz is None:
            return None
        if self.l2_bytes_per_clock is not None:
            rate = self._field_rate("l2_bytes_per_clock", self.l2_bytes_per_clock * self.clock_ghz * 1e9)
            words = f"{self.l2_bytes_per_clock:g} bytes per clock × {self.clock_ghz:g} GHz ({rate.source})"
            return replace(rate, source=words)
        if self.sm_count is None or self.compute_capability is None or self.compute_capability < (7, 0):
            return None
        return Rate(
            self.sm_count * L2_BYTES_PER_CLOCK_PER_SM * self.clock_ghz * 1e9,
            f"at most {L2_BYTES_PER_CLOCK_PER_SM} bytes per clock into each of {self.sm_count} SMs × "
            f"{self.clock_ghz:g} GHz; the L2's own bandwidth is not published",
            "derived",
        )

    def _field_rate(self, name: str, per_second: float) -> Rate:
        return Rate(per_second, self.sources.get(name, "as given"), self.certainties.get(name, "unverified"))

    def _published(self, arithmetic: Arithmetic) -> Rate | None:
        """A measured or published rate of exactly this arithmetic, of the usual accumulator if it is unknown."""
        if not self.rates:
            return None
        if arithmetic.data_type is DataType.UINT8:
            arithmetic = replace(arithmetic, data_type=DataType.INT8)  # the same units
        rate = self.rates.get(arithmetic)
        if rate is None and arithmetic.accumulate is DataType.UNKNOWN:
            sums = DataType.INT32 if arithmetic.data_type.kind == "int" else DataType.FP32
            rate = self.rates.get(replace(arithmetic, accumulate=sums))
        if rate is None and arithmetic.accumulate in (DataType.FP32, DataType.INT32):
            rate = self.rates.get(replace(arithmetic, accumulate=DataType.UNKNOWN))
        return rate

    def _accumulation(self, arithmetic: Arithmetic) -> tuple[float, str]:
        """(1 or ½, a remark for the source)."""
        in_fp32 = accumulates_in_fp32(arithmetic)
        if in_fp32 is False or not may_halve_fp32_accumulation(self.compute_capability):
            return 1.0, ""
        if self.halves_fp32_accumulation is False:
            return 1.0, ""
        if self.halves_fp32_accumulation is None:
            return 0.5, "; half rate assumed: unknown rate of FP32 accumulation of this part"
        if in_fp32 is None:
            return 0.5, "; accumulation taken as FP32, which has half rate here (in FP16: twice this)"
        return 0.5, "; half rate, as it accumulates in FP32"
