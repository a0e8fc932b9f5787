"""Machine: a device's rates, each looked up once, and the units that multiply each precision."""

from __future__ import annotations

from trex.core.data_type import DataType
from trex.core.errors import TrexError
from trex.perf.arithmetic import Arithmetic
from trex.perf.device import Device
from trex.perf.mac_rates import BYTE_TYPES, DeviceRates
from trex.perf.peaks import L2_BYTES_PER_CLOCK_PER_SM

HELD_CLOCK = 0.9
"""Where the clock under matrix work lies for a part whose power limit holds it near its base clock: 0 is the boost
clock, 1 the base clock, on a logarithmic scale. Our choice: a T4 reaches 24 of its 65 TFLOP/s in continuous GEMMs of
FP16 (NVIDIA developer forum, thread 264462), which is 0.77 to 0.94 for kernels that reach 80 to 95 % of the peak."""


def matrix_clock_ghz(device: Device) -> float | None:
    """The clock under matrix work: the boost clock unless the power limit holds the part near its base clock."""
    boost, base = device.clock_ghz, device.base_clock_ghz
    if boost is None or base is None or base >= boost:
        return boost
    return float(boost ** (1 - HELD_CLOCK) * base**HELD_CLOCK)


class Machine:
    """memory, l2: bytes per second. into_sm: bytes per second that one SM can read from the L2. cuda: operations per
    second of FP32 on the CUDA cores.

    Raises TrexError for a device of unknown memory bandwidth, SMs, clock or rates.
    """

    def __init__(self, device: Device) -> None:
        self.device = device
        self.rates = DeviceRates(device)
        missing = [
            words
            for words, value in (
                ("compute capability", device.compute_capability),
                ("number of SMs", device.sm_count),
                ("clock", device.clock_ghz),
                ("memory bandwidth", device.bandwidth_gb_per_s),
            )
            if value is None
        ]
        cuda = self.rates.cuda(DataType.FP32)
        if not missing and not cuda > 0:
            missing.append("operations per clock of its compute capability")
        if missing or device.sm_count is None or device.clock_ghz is None:
            raise TrexError(
                f"can't predict times for {device.name}: unknown {' and '.join(missing)}",
                "describe it in a file of your own: `trex devices NAME --save mine.json`, or use a device that "
                "`trex devices` lists",
            )
        self.sm_count = device.sm_count
        self._clock_share = (matrix_clock_ghz(device) or device.clock_ghz) / device.clock_ghz
        self.cuda = cuda
        self.memory = self.rates.memory
        self.into_sm = L2_BYTES_PER_CLOCK_PER_SM * device.clock_ghz * 1e9
        self.l2 = self.rates.l2 if self.rates.l2 > 0 else self.sm_count * self.into_sm
        self._chosen: dict[tuple[DataType, str], tuple[float, float]] = {}

    def multiplied(self, data_type: DataType, work_kind: str) -> tuple[float, float]:
        """(operations per second, bytes of an operand) of MACs in that precision.

        On matrix units if the device has them, at the clock under matrix work; FP32 as TF32, as TensorRT allows by
        default. FP16 accumulates in FP16 in convolutions, as in the kernel names of real engines, and in FP32
        elsewhere. If the device multiplies a wider type faster, that is used, as TensorRT may keep a layer in it. An
        unknown type counts as FP32, other integers as FP16.
        """
        key = (data_type, work_kind)
        if key not in self._chosen:
            self._chosen[key] = self._multiplied(data_type, work_kind)
        return self._chosen[key]

    def _multiplied(self, data_type: DataType, work_kind: str) -> tuple[float, float]:
        wanted = data_type if data_type.is_known else DataType.FP32
        if not wanted.is_float and wanted not in BYTE_TYPES:
            wanted = DataType.FP16
        in_fp16 = work_kind.startswith(("convolution", "deconvolution"))
        found_rates = []
        for candidate in {wanted: 0, DataType.FP16: 0, DataType.FP32: 0}:
            if (candidate.bits or 32) < (wanted.bits or 32):
                continue
            sums = DataType.FP16 if candidate is DataType.FP16 and in_fp16 else DataType.FP32
            on_matrix = Arithmetic(
                candidate, DataType.INT32 if candidate in BYTE_TYPES else sums, True, candidate is DataType.FP32
            )
            on_cuda = Arithmetic(candidate, tensor_core=False)
            rates = (self._clock_share * self.rates.of(on_matrix), self.rates.of(on_cuda))
            found_rates += [(rate, candidate.item_bytes or 4.0) for rate in rates if rate > 0]
        return max(found_rates, key=lambda one: one[0], default=(self.cuda, 4.0))

    def dp4a_rate(self) -> float:
        """Operations per second of INT8 MACs on CUDA cores."""
        return self.rates.of(Arithmetic(DataType.INT8, tensor_core=False))
