"""Arithmetic: the types in which a kernel multiplies and adds, and the units of the device that it uses."""

from __future__ import annotations

from dataclasses import dataclass

from trex.core.data_type import DataType


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """data_type: of the multiplied operands (FP32 also for TF32). accumulate: UNKNOWN if unknown.

    tensor_core: on the tensor cores, else on the CUDA cores. tf32: FP32 data multiplied as TF32. sparse: with 2:4
    structured sparsity, which doubles the rate of the tensor cores since compute capability 8.0.
    """

    data_type: DataType
    accumulate: DataType = DataType.UNKNOWN
    tensor_core: bool = True
    tf32: bool = False
    sparse: bool = False
