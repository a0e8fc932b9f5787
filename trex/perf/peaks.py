"""Peaks: operations per clock and SM by compute capability, each with its source; a Device and an Arithmetic → Rate.

Peak operations per second = SMs · clock in Hz · operations per clock and SM, dense, a multiply-add counted as two. It
is what the units could do if nothing else held them: sustained rates are 70 to 95 % of it, on power-capped parts less.
Structured 2:4 sparsity multiplies the matrix units' rates by two since compute capability 8.0 (FP4 on 10.3: by 4/3).
Where a part runs products that are accumulated in FP32 at half rate (GeForce and L40), TF32, BF16, FP16 and FP8 with
FP32 accumulation have half of the table's figure; FP16 and FP8 accumulated in FP16, the integers and FP4 do not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trex.core.data_type import DataType
from trex.perf.arithmetic import Arithmetic
from trex.perf.rate import Rate, least_certain

if TYPE_CHECKING:
    from trex.perf.device import Device

Capability = tuple[int, int]

L2_BYTES_PER_CLOCK_PER_SM = 64
"""What one SM can take from the L2 in a clock since Volta: an upper bound, as the L2 may give less in all."""


@dataclass(frozen=True, slots=True)
class PerClock:
    """ops: dense operations per clock and SM. sparse: factor of 2:4 sparsity, None where there is none."""

    ops: float
    source: str
    certainty: str
    sparse: float | None = None


@dataclass(frozen=True, slots=True)
class _Generation:
    """document: where the figures are published. cuda, matrix: {row: ops}. certainty: of all rows but ``doubtful``,
    whose figures are from memory or inferred. half_possible: parts with halved FP32 accumulation exist.
    """

    document: str
    cuda: dict[str, float]
    matrix: dict[str, float]
    certainty: str = "datasheet"
    doubtful: frozenset[str] = frozenset()
    has_sparsity: bool = True
    half_possible: bool = False


_VOLTA = "NVIDIA Tesla V100 GPU Architecture whitepaper"
_PASCAL = "NVIDIA Tesla P100 whitepaper and Tesla P40 datasheet"
_TURING = "NVIDIA Turing GPU Architecture whitepaper"
_GA100 = "NVIDIA A100 Tensor Core GPU Architecture whitepaper"
_GA102 = "NVIDIA Ampere GA102 GPU Architecture whitepaper"
_ADA = "NVIDIA Ada GPU Architecture whitepaper"
_HOPPER = "NVIDIA H100 Tensor Core GPU Architecture whitepaper"
_B200 = "NVIDIA Blackwell Architecture Technical Brief"
_RTX_BLACKWELL = "NVIDIA RTX Blackwell GPU Architecture whitepaper"

_GENERATIONS: dict[Capability, _Generation] = {
    (6, 0): _Generation(_PASCAL, {"FP32": 128, "FP16": 256}, {}, has_sparsity=False),
    (6, 1): _Generation(_PASCAL, {"FP32": 256, "FP16": 4, "INT8": 1024}, {}, has_sparsity=False),
    (7, 0): _Generation(_VOLTA, {"FP32": 128, "FP16": 256, "INT8": 512}, {"FP16": 1024}, has_sparsity=False),
    (7, 2): _Generation(
        "NVIDIA Jetson AGX Xavier module data sheet", {"FP32": 128, "FP16": 256}, {"FP16": 1024, "INT8": 2048},
        "unverified", has_sparsity=False,
    ),
    (7, 5): _Generation(
        _TURING, {"FP32": 128, "FP16": 256}, {"FP16": 1024, "INT8": 2048, "INT4": 4096},
        has_sparsity=False, half_possible=True,
    ),
    (8, 0): _Generation(
        _GA100, {"FP32": 128, "FP16": 512, "BF16": 256},
        {"TF32": 1024, "FP16": 2048, "BF16": 2048, "INT8": 4096, "INT4": 8192},
    ),
    (8, 6): _Generation(
        _GA102, {"FP32": 256, "FP16": 256, "BF16": 256},
        {"TF32": 512, "FP16": 1024, "BF16": 1024, "INT8": 2048, "INT4": 4096}, half_possible=True,
    ),
    (8, 7): _Generation(
        "NVIDIA Jetson AGX Orin Technical Brief", {"FP32": 256, "FP16": 512},
        {"TF32": 1024, "FP16": 2048, "BF16": 2048, "INT8": 4096},
        doubtful=frozenset({"FP16 CUDA", "TF32", "BF16"}),
    ),
    (8, 9): _Generation(
        _ADA, {"FP32": 256, "FP16": 256, "BF16": 256},
        {"TF32": 512, "FP16": 1024, "BF16": 1024, "INT8": 2048, "FP8": 2048, "INT4": 4096}, half_possible=True,
    ),
    (9, 0): _Generation(
        _HOPPER, {"FP32": 256, "FP16": 512, "BF16": 512},
        {"TF32": 2048, "FP16": 4096, "BF16": 4096, "INT8": 8192, "FP8": 8192},
    ),
    (10, 0): _Generation(
        _B200, {"FP32": 256, "FP16": 512},
        {"TF32": 4096, "FP16": 8192, "BF16": 8192, "INT8": 16384, "FP8": 16384, "FP4": 32768},
        doubtful=frozenset({"FP16 CUDA"}),
    ),
    (10, 3): _Generation(
        "NVIDIA HGX B300 product page, by its SMs and an assumed clock of the matrix units", {"FP32": 256},
        {"TF32": 4096, "FP16": 8192, "BF16": 8192, "FP8": 16384, "FP4": 49152}, "unverified",
    ),
    (11, 0): _Generation(
        "NVIDIA Jetson Thor module data sheet (FP4), the other types inferred as on 10.0", {"FP32": 256},
        {"FP16": 8192, "BF16": 8192, "FP8": 16384, "FP4": 32768}, "unverified",
    ),
    (12, 0): _Generation(
        _RTX_BLACKWELL, {"FP32": 256, "FP16": 256, "BF16": 256},
        {"TF32": 512, "FP16": 1024, "BF16": 1024, "INT8": 2048, "FP8": 2048, "FP4": 4096},
        "unverified", half_possible=True,
    ),
    (12, 1): _Generation(
        "inferred as on 12.0; NVIDIA DGX Spark data sheet (FP4)", {"FP32": 256, "FP16": 256},
        {"TF32": 512, "FP16": 1024, "BF16": 1024, "INT8": 2048, "FP8": 2048, "FP4": 4096},
        "unverified", half_possible=True,
    ),
}  # fmt: skip
_SAME_AS = {(10, 1): (11, 0)}  # Thor was 10.1 before CUDA 13
_FP4_SPARSITY = {(10, 3): 4 / 3}
_HALVED = frozenset({"TF32", "BF16", "FP16", "FP8"})  # but for FP16 and FP8 accumulated in FP16
_CAPABILITY_TEXT = "compute capability {}.{}"


def known_capabilities() -> tuple[Capability, ...]:
    """Compute capabilities whose rates are known."""
    return tuple(sorted((*_GENERATIONS, *_SAME_AS)))


def document_of(capability: Capability) -> str:
    """Where the rates of a compute capability are published, "" for one that is not known."""
    generation = _GENERATIONS.get(_SAME_AS.get(capability, capability))
    return generation.document if generation is not None else ""


def per_clock(capability: Capability | None, arithmetic: Arithmetic) -> PerClock | None:
    """Dense operations per clock and SM at full rate; None where the units do not exist or nothing is published.

    Matrix units multiply FP32 only as TF32, so FP32 that is not TF32 is of the CUDA cores, whatever ``tensor_core``.
    """
    if capability is None:
        return None
    capability = _SAME_AS.get(capability, capability)
    generation = _GENERATIONS.get(capability)
    if generation is None:
        return None
    row, on_matrix = row_of(arithmetic)
    ops = (generation.matrix if on_matrix else generation.cuda).get(row)
    if ops is None:
        return None
    units = "matrix units" if on_matrix else "CUDA cores"
    doubtful = (row if on_matrix else f"{row} CUDA") in generation.doubtful
    sparse = _FP4_SPARSITY.get(capability, 2.0) if row == "FP4" else 2.0
    return PerClock(
        ops,
        f"{ops:g} {row} operations per clock and SM of the {units}, {_CAPABILITY_TEXT.format(*capability)} "
        f"({generation.document})",
        "unverified" if doubtful else generation.certainty,
        sparse if on_matrix and generation.has_sparsity else None,
    )


def row_of(arithmetic: Arithmetic) -> tuple[str, bool]:
    """(name of the type as multiplied, whether on the matrix units)."""
    if arithmetic.data_type is DataType.FP32:
        return ("TF32", True) if arithmetic.tf32 and arithmetic.tensor_core else ("FP32", False)
    row = {DataType.UINT8: DataType.INT8}.get(arithmetic.data_type, arithmetic.data_type).label
    return row, arithmetic.tensor_core


def accumulates_in_fp32(arithmetic: Arithmetic) -> bool | None:
    """Whether FP32 takes the sums of this arithmetic of the matrix units; None when nothing tells."""
    row, on_matrix = row_of(arithmetic)
    if not on_matrix or row not in _HALVED:
        return False
    if row in ("TF32", "BF16"):
        return True  # the only way there is
    if arithmetic.accumulate is DataType.UNKNOWN:
        return None
    return arithmetic.accumulate is not DataType.FP16


def ops_per_s(device: Device, arithmetic: Arithmetic) -> Rate | None:
    """Peak rate of an arithmetic in operations per second, None where it is not known or the units do not exist.

    A rate of ``device.rates`` goes before what is derived. Where FP32 accumulation is at half rate and the accumulator
    is not known, FP32 is taken and the source says so; so it is where the part is not known to be one of those.
    """
    told = _told(device, arithmetic)
    if told is not None:
        return told
    figure = per_clock(device.compute_capability, arithmetic)
    on_matrix = row_of(arithmetic)[1]
    clock_field = "tensor_clock_ghz" if on_matrix and device.tensor_clock_ghz is not None else "clock_ghz"
    clock = getattr(device, clock_field)
    if figure is None or device.sm_count is None or clock is None or (on_matrix and not device.has_matrix_units):
        return None
    if arithmetic.sparse and figure.sparse is None:
        return None
    factor, remark = _accumulation(device, arithmetic)
    if arithmetic.sparse and figure.sparse is not None:
        factor *= figure.sparse
        remark += f"; × {figure.sparse:.3g} with 2:4 sparsity"
    certainties = [
        figure.certainty,
        *(device.certainties.get(name, "unverified") for name in ("sm_count", clock_field)),
    ]
    if remark.startswith("; half rate assumed"):
        certainties.append("derived")
    return Rate(
        device.sm_count * clock * 1e9 * figure.ops * factor,
        f"{device.sm_count} SMs × {clock:g} GHz × {figure.source}{remark}",
        least_certain(certainties),
    )


def l2_bytes_per_s(device: Device) -> Rate | None:
    """Read bandwidth of the L2 in bytes per second, None when there is nothing to tell it by.

    As measured (``l2_gb_per_s``), else as published per clock (``l2_bytes_per_clock`` · clock), else the most that the
    SMs can take, 64 bytes per clock each since Volta (certainty ``derived``: the L2 itself may give far less).
    """
    if device.l2_gb_per_s is not None:
        return _field_rate(device, "l2_gb_per_s", device.l2_gb_per_s * 1e9)
    if device.clock_ghz is None:
        return None
    if device.l2_bytes_per_clock is not None:
        rate = _field_rate(device, "l2_bytes_per_clock", device.l2_bytes_per_clock * device.clock_ghz * 1e9)
        words = f"{device.l2_bytes_per_clock:g} bytes per clock × {device.clock_ghz:g} GHz ({rate.source})"
        return replace(rate, source=words)
    if device.sm_count is None or device.compute_capability is None or device.compute_capability < (7, 0):
        return None
    return Rate(
        device.sm_count * L2_BYTES_PER_CLOCK_PER_SM * device.clock_ghz * 1e9,
        f"at most {L2_BYTES_PER_CLOCK_PER_SM} bytes per clock into each of {device.sm_count} SMs × "
        f"{device.clock_ghz:g} GHz; what this part's L2 gives in all is not published",
        "derived",
    )


def bytes_per_s(device: Device) -> Rate | None:
    """Bandwidth of the device's memory in bytes per second (1 GB = 10⁹ bytes), None when it is not known."""
    if device.bandwidth_gb_per_s is None:
        return None
    return _field_rate(device, "bandwidth_gb_per_s", device.bandwidth_gb_per_s * 1e9)


def may_halve_fp32_accumulation(capability: Capability | None) -> bool:
    """True where parts of this compute capability exist that accumulate in FP32 at half rate."""
    generation = _GENERATIONS.get(capability) if capability else None
    return generation is not None and generation.half_possible


def _field_rate(device: Device, name: str, per_second: float) -> Rate:
    return Rate(per_second, device.sources.get(name, "as given"), device.certainties.get(name, "unverified"))


def _told(device: Device, arithmetic: Arithmetic) -> Rate | None:
    """A measured or published rate of exactly this arithmetic, of the accumulator taken where it is not known."""
    if not device.rates:
        return None
    rate = device.rates.get(arithmetic)
    if rate is None and arithmetic.accumulate is DataType.UNKNOWN:
        sums = DataType.INT32 if arithmetic.data_type.kind == "int" else DataType.FP32
        rate = device.rates.get(replace(arithmetic, accumulate=sums))
    if rate is None and arithmetic.accumulate in (DataType.FP32, DataType.INT32):
        rate = device.rates.get(replace(arithmetic, accumulate=DataType.UNKNOWN))
    return rate


def _accumulation(device: Device, arithmetic: Arithmetic) -> tuple[float, str]:
    """(1 or ½, what to say of it)."""
    in_fp32 = accumulates_in_fp32(arithmetic)
    if in_fp32 is False or not may_halve_fp32_accumulation(device.compute_capability):
        return 1.0, ""
    if device.halves_fp32_accumulation is False:
        return 1.0, ""
    if device.halves_fp32_accumulation is None:
        return 0.5, "; half rate assumed, as this part's rate of FP32 accumulation is not known"
    if in_fp32 is None:
        return 0.5, "; accumulation is not told: taken as FP32, which has half rate here (in FP16: twice this)"
    return 0.5, "; half rate, as it accumulates in FP32"
