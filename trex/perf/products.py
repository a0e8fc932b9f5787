"""Products: the multiplications of all layers on one device, as columns: at which rate, and how many of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trex.core.data_type import DataType
from trex.core.layer import Layer
from trex.perf.arithmetic import Arithmetic
from trex.perf.cache import Column, column
from trex.perf.device import Device, Rate
from trex.perf.multiplication import Multiplication, multiplications_of

BYTE_PRODUCTS = 4
"""Products of bytes that one instruction of a CUDA core (dp4a) makes."""
BYTES = frozenset((DataType.INT8, DataType.UINT8))
_UNKNOWN = float("nan")


@dataclass(frozen=True, eq=False)
class Products:
    """One value per layer. rate: of the arithmetic, fastest_rate: of the fastest that the kernel's name allows, in
    operations per second, NaN where the device has no such units or nothing is known. share, least_share: products
    computed over those of the definition. arithmetic: that of ``rate``, None where there is none.
    """

    multiplications: tuple[Multiplication, ...]
    arithmetic: tuple[Arithmetic | None, ...]
    rate: Column
    fastest_rate: Column
    share: Column
    least_share: Column
    on_matrix_units: NDArray[np.bool_]
    is_assumed: NDArray[np.bool_]


class Rates:
    """Rates of a device, each looked up once; NaN where one is not known."""

    def __init__(self, device: Device | None) -> None:
        self._device = device
        self._found: dict[Arithmetic, float] = {}
        self._cuda: dict[DataType, float] = {}
        self.memory = _per_second(None if device is None else device.bytes_per_s)
        self.l2 = _per_second(None if device is None else device.l2_bytes_per_s)

    def fastest(self, candidates: tuple[Arithmetic, ...]) -> tuple[Arithmetic | None, float]:
        """The fastest of the candidates that the device has, and its rate."""
        known = [(self.of(each), each) for each in candidates if self.of(each) == self.of(each)]
        if not known:
            return None, _UNKNOWN
        rate, arithmetic = max(known, key=lambda one: one[0])
        return arithmetic, rate

    def cuda(self, data_type: DataType) -> float:
        """The CUDA cores' rate for other operations: in FP32, or in the layer's own type where that is faster."""
        if data_type not in self._cuda:
            both = (Arithmetic(each, tensor_core=False) for each in {DataType.FP32, data_type})
            self._cuda[data_type] = self.fastest(tuple(both))[1]
        return self._cuda[data_type]

    def of(self, arithmetic: Arithmetic) -> float:
        if self._device is None or not arithmetic.data_type.is_known:
            return _UNKNOWN
        if arithmetic not in self._found:
            rate = _per_second(self._device.ops_per_s(arithmetic))
            if rate != rate and arithmetic.data_type in BYTES and not arithmetic.tensor_core:
                rate = BYTE_PRODUCTS * self.of(Arithmetic(DataType.FP32, tensor_core=False))
            self._found[arithmetic] = rate
        return self._found[arithmetic]


def products_of(layers: Sequence[Layer], rates: Rates) -> Products:
    """The products of every layer: looked up once for each kernel, spread over the layers."""
    multiplications = multiplications_of(layers)
    number_of: dict[int, int] = {}
    kinds = np.array([number_of.setdefault(id(each), len(number_of)) for each in multiplications], dtype=np.intp)
    distinct = list({id(each): each for each in multiplications}.values())
    chosen = [rates.fastest(each.candidates) for each in distinct]
    arithmetics = [arithmetic for arithmetic, _ in chosen]
    on_matrix = [arithmetic is not None and arithmetic.tensor_core for arithmetic in arithmetics]
    return Products(
        multiplications=multiplications,
        arithmetic=tuple([arithmetics[kind] for kind in kinds.tolist()]),
        rate=column([rate for _, rate in chosen])[kinds],
        fastest_rate=column([rates.fastest(each.fastest)[1] for each in distinct])[kinds],
        share=column([each.share for each in distinct])[kinds],
        least_share=column([each.least_share for each in distinct])[kinds],
        on_matrix_units=np.array(on_matrix, dtype=bool)[kinds],
        is_assumed=np.array([each.is_assumed for each in distinct], dtype=bool)[kinds],
    )


def _per_second(rate: Rate | None) -> float:
    return _UNKNOWN if rate is None else rate.per_second
