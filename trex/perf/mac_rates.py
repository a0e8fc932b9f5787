"""MacRates: the MACs of all layers on one device, as columns: their rate, and how many the kernels compute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trex.core.data_type import DataType
from trex.core.layer import Layer
from trex.perf.arithmetic import Arithmetic, Rate
from trex.perf.cache import Column, column
from trex.perf.device import Device
from trex.perf.kernel_arithmetic import KernelArithmetic, kernel_arithmetic_of

DP4A_MACS = 4
"""INT8 MACs of one dp4a instruction of a CUDA core."""
BYTE_TYPES = frozenset((DataType.INT8, DataType.UINT8))
_UNKNOWN = float("nan")


@dataclass(frozen=True, eq=False)
class MacRates:
    """One value per layer. rate: of the arithmetic, fastest_rate: of the fastest that the kernel's name allows, in
    operations per second, NaN if the device has no such units or nothing is known. share, least_share: MACs computed
    over those of the definition. arithmetic: that of ``rate``, None if there is none.
    """

    kernel_arithmetics: tuple[KernelArithmetic, ...]
    arithmetic: tuple[Arithmetic | None, ...]
    rate: Column
    fastest_rate: Column
    share: Column
    least_share: Column
    on_matrix_units: NDArray[np.bool_]
    is_assumed: NDArray[np.bool_]


class DeviceRates:
    """Rates of a device, each looked up once; NaN if unknown."""

    def __init__(self, device: Device | None) -> None:
        self._device = device
        self._known: dict[Arithmetic, float] = {}
        self._cuda: dict[DataType, float] = {}
        self.memory = _per_second(None if device is None else device.bytes_per_s)
        self.l2 = _per_second(None if device is None else device.l2_bytes_per_s)

    def fastest(self, candidates: tuple[Arithmetic, ...]) -> tuple[Arithmetic | None, float]:
        """The fastest of the candidates that the device has, and its rate; unknown if the rate of one of them is."""
        if self._device is not None and any(map(self._device.has_unknown_rate, candidates)):
            return None, _UNKNOWN
        known = [
            (self.of(candidate), candidate) for candidate in candidates if self.of(candidate) == self.of(candidate)
        ]
        if not known:
            return None, _UNKNOWN
        rate, arithmetic = max(known, key=lambda one: one[0])
        return arithmetic, rate

    def cuda(self, data_type: DataType) -> float:
        """The CUDA cores' rate for other operations: in FP32, or in the layer's own type if that is faster."""
        if data_type not in self._cuda:
            both = (Arithmetic(candidate, tensor_core=False) for candidate in {DataType.FP32, data_type})
            self._cuda[data_type] = self.fastest(tuple(both))[1]
        return self._cuda[data_type]

    def of(self, arithmetic: Arithmetic) -> float:
        if self._device is None or not arithmetic.data_type.is_known:
            return _UNKNOWN
        if arithmetic not in self._known:
            rate = _per_second(self._device.ops_per_s(arithmetic))
            if rate != rate and arithmetic.data_type in BYTE_TYPES and not arithmetic.tensor_core:
                rate = DP4A_MACS * self.of(Arithmetic(DataType.FP32, tensor_core=False))
            self._known[arithmetic] = rate
        return self._known[arithmetic]


def mac_rates_of(layers: Sequence[Layer], rates: DeviceRates) -> MacRates:
    """The MAC rates of every layer: looked up once for each kernel."""
    by_layer = tuple(map(kernel_arithmetic_of, layers))
    number_of: dict[int, int] = {}
    kinds = np.array([number_of.setdefault(id(kernel), len(number_of)) for kernel in by_layer], dtype=np.intp)
    distinct = list({id(kernel): kernel for kernel in by_layer}.values())
    chosen = [rates.fastest(kernel.candidates) for kernel in distinct]
    arithmetics = [arithmetic for arithmetic, _ in chosen]
    on_matrix = [arithmetic is not None and arithmetic.tensor_core for arithmetic in arithmetics]
    return MacRates(
        kernel_arithmetics=by_layer,
        arithmetic=tuple([arithmetics[kind] for kind in kinds.tolist()]),
        rate=column([rate for _, rate in chosen])[kinds],
        fastest_rate=column([rates.fastest(kernel.fastest)[1] for kernel in distinct])[kinds],
        share=column([kernel.share for kernel in distinct])[kinds],
        least_share=column([kernel.least_share for kernel in distinct])[kinds],
        on_matrix_units=np.array(on_matrix, dtype=bool)[kinds],
        is_assumed=np.array([kernel.is_assumed for kernel in distinct], dtype=bool)[kinds],
    )


def _per_second(rate: Rate | None) -> float:
    return _UNKNOWN if rate is None else rate.per_second
