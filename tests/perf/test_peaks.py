"""Derived peaks against published ones, and the rules by which rates are derived."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trex.core.data_type import DataType
from trex.perf.arithmetic import CERTAINTIES, Arithmetic, Rate, least_certain
from trex.perf.device import Device
from trex.perf.known_devices import find_device

FP32 = Arithmetic(DataType.FP32, tensor_core=False)
FP16_CUDA = Arithmetic(DataType.FP16, tensor_core=False)
TF32 = Arithmetic(DataType.FP32, tf32=True)
FP16 = Arithmetic(DataType.FP16, DataType.FP32)
FP16_IN_FP16 = Arithmetic(DataType.FP16, DataType.FP16)
BF16 = Arithmetic(DataType.BF16, DataType.FP32)
INT8 = Arithmetic(DataType.INT8, DataType.INT32)
SPARSE_INT8 = Arithmetic(DataType.INT8, DataType.INT32, sparse=True)
DP4A = Arithmetic(DataType.INT8, DataType.INT32, tensor_core=False)
INT4 = Arithmetic(DataType.INT4, DataType.INT32)
FP8 = Arithmetic(DataType.FP8, DataType.FP32)
FP8_IN_FP16 = Arithmetic(DataType.FP8, DataType.FP16)
FP4 = Arithmetic(DataType.FP4, DataType.FP32)

# Dense 10¹² operations per second as NVIDIA's documents print them; where they print the rate with 2:4 sparsity only,
# half of that. Matrix rates of H100 SXM (989) and B200 (2250) come out at 1.83 and 1.86 GHz, the CUDA cores' at 1.98.
V100 = "NVIDIA V100 datasheet (SXM2)"
V100_PCIE = "NVIDIA V100 datasheet (PCIe)"
T4 = "NVIDIA T4 datasheet"
A100 = "NVIDIA A100 datasheet"
A10 = "NVIDIA A10 datasheet"
L4 = "NVIDIA L4 datasheet"
L40S = "NVIDIA L40S datasheet"
L40 = "NVIDIA L40 datasheet"
A10G = "NVIDIA A10G datasheet as sold in the cloud"
ADA = "NVIDIA Ada GPU Architecture whitepaper, appendix on the GeForce RTX 4090"
H100 = "NVIDIA H100 datasheet (SXM)"
H100_PCIE = "NVIDIA H100 datasheet (PCIe)"
B200 = "NVIDIA HGX B200 data sheet, an eighth of the board"
PUBLISHED = [
    (V100, "Tesla V100-SXM2-16GB", FP32, 15.7),
    (V100, "Tesla V100-SXM2-16GB", FP16, 125),
    (V100_PCIE, "Tesla V100-PCIE-16GB", FP32, 14.1),  # published as 14, its whitepaper's boost clock gives 14.1
    (V100_PCIE, "Tesla V100-PCIE-16GB", FP16, 112),
    (T4, "Tesla T4", FP32, 8.1),
    (T4, "Tesla T4", FP16, 65),
    (T4, "Tesla T4", INT8, 130),
    (T4, "Tesla T4", INT4, 260),
    (A100, "NVIDIA A100-SXM4-80GB", FP32, 19.5),
    (A100, "NVIDIA A100-SXM4-80GB", TF32, 156),
    (A100, "NVIDIA A100-SXM4-80GB", FP16, 312),
    (A100, "NVIDIA A100-SXM4-80GB", BF16, 312),
    (A100, "NVIDIA A100-SXM4-80GB", INT8, 624),
    (A100, "NVIDIA A100-SXM4-80GB", INT4, 1248),
    (A100, "NVIDIA A100-SXM4-80GB", FP16_CUDA, 78),
    (A10, "NVIDIA A10", FP32, 31.2),
    (A10, "NVIDIA A10", TF32, 62.5),
    (A10, "NVIDIA A10", FP16, 125),
    (A10, "NVIDIA A10", BF16, 125),
    (A10, "NVIDIA A10", INT8, 250),
    (A10, "NVIDIA A10", INT4, 500),
    (L4, "NVIDIA L4", FP32, 30.3),
    (L4, "NVIDIA L4", TF32, 120 / 2),
    (L4, "NVIDIA L4", FP16, 242 / 2),
    (L4, "NVIDIA L4", INT8, 485 / 2),
    (L4, "NVIDIA L4", FP8, 485 / 2),
    (L40S, "NVIDIA L40S", FP32, 91.6),
    (L40S, "NVIDIA L40S", TF32, 183),
    (L40S, "NVIDIA L40S", FP16, 362.05),
    (L40S, "NVIDIA L40S", INT8, 733),
    (L40S, "NVIDIA L40S", FP8, 733),
    (L40, "NVIDIA L40", FP32, 90.5),
    (L40, "NVIDIA L40", TF32, 90.5),
    (L40, "NVIDIA L40", FP16, 181.05),
    (L40, "NVIDIA L40", INT8, 362),
    (L40, "NVIDIA L40", SPARSE_INT8, 724),
    (L40, "NVIDIA L40", FP8, 362),
    (L40, "NVIDIA L40", INT4, 724),
    (A10G, "NVIDIA A10G", FP32, 35),
    (A10G, "NVIDIA A10G", TF32, 35),
    (A10G, "NVIDIA A10G", FP16, 70),
    (A10G, "NVIDIA A10G", INT8, 140),
    (A10G, "NVIDIA A10G", SPARSE_INT8, 280),
    (ADA, "NVIDIA GeForce RTX 4090", FP32, 82.6),
    (ADA, "NVIDIA GeForce RTX 4090", TF32, 82.6),
    (ADA, "NVIDIA GeForce RTX 4090", FP16, 165.2),
    (ADA, "NVIDIA GeForce RTX 4090", FP16_IN_FP16, 330.3),
    (ADA, "NVIDIA GeForce RTX 4090", BF16, 165.2),
    (ADA, "NVIDIA GeForce RTX 4090", FP8, 330.3),
    (ADA, "NVIDIA GeForce RTX 4090", FP8_IN_FP16, 660.6),
    (ADA, "NVIDIA GeForce RTX 4090", INT8, 660.6),
    (ADA, "NVIDIA GeForce RTX 4090", INT4, 1321.2),
    (H100, "NVIDIA H100 80GB HBM3", FP32, 67),
    (H100, "NVIDIA H100 80GB HBM3", TF32, 989 / 2),
    (H100, "NVIDIA H100 80GB HBM3", FP16, 1979 / 2),
    (H100, "NVIDIA H100 80GB HBM3", BF16, 1979 / 2),
    (H100, "NVIDIA H100 80GB HBM3", INT8, 3958 / 2),
    (H100, "NVIDIA H100 80GB HBM3", FP8, 3958 / 2),
    (H100_PCIE, "NVIDIA H100 PCIe", FP32, 51),
    (H100_PCIE, "NVIDIA H100 PCIe", FP16, 1513 / 2),
    (H100_PCIE, "NVIDIA H100 PCIe", FP8, 3026 / 2),
    (B200, "NVIDIA B200", FP32, 600 / 8),
    (B200, "NVIDIA B200", TF32, 18_000 / 8 / 2),
    (B200, "NVIDIA B200", FP16, 36_000 / 8 / 2),
    (B200, "NVIDIA B200", BF16, 36_000 / 8 / 2),
    (B200, "NVIDIA B200", INT8, 72_000 / 8 / 2),
    (B200, "NVIDIA B200", FP8, 72_000 / 8 / 2),
    (B200, "NVIDIA B200", FP4, 144_000 / 8 / 2),
]


# Module data sheets: TOPS of sparse INT8 of the GPU alone (of the NX without 20 or 40 per DLA), and GB/s.
ORINS = [
    ("Jetson Orin Nano 4GB", 20, 34),
    ("Jetson Orin Nano 4GB Super", 34, 51),
    ("Jetson Orin Nano 8GB", 40, 68),
    ("Jetson Orin Nano 8GB Super", 67, 102.4),
    ("Jetson Orin NX 8GB", 70 - 20, 102.4),
    ("Jetson Orin NX 8GB Super", 117 - 40, 102.4),
    ("Jetson Orin NX 16GB", 100 - 2 * 20, 102.4),
    ("Jetson Orin NX 16GB Super", 157 - 2 * 40, 102.4),
]


@pytest.mark.parametrize(("name", "tops", "bandwidth"), ORINS)
def test_orin_modules_have_the_tops_of_their_data_sheets(name: str, tops: float, bandwidth: float) -> None:
    device = find_device(name)
    assert tera(device, SPARSE_INT8) == pytest.approx(tops, rel=0.03)
    assert device.bandwidth_gb_per_s == bandwidth and "module data sheet" in device.sources["clock_ghz"]


@pytest.mark.parametrize(("document", "name", "arithmetic", "tera"), PUBLISHED)
def test_derived_peaks_are_the_published_ones(document: str, name: str, arithmetic: Arithmetic, tera: float) -> None:
    rate = find_device(name).ops_per_s(arithmetic)
    assert rate is not None
    assert rate.per_second / 1e12 == pytest.approx(tera, rel=0.02), document


def test_published_integers_are_those_without_a_sign_too() -> None:
    unsigned = replace(INT8, data_type=DataType.UINT8)
    assert tera(find_device("L40"), unsigned) == tera(find_device("L40"), INT8)


def tera(device: Device, arithmetic: Arithmetic) -> float | None:
    rate = device.ops_per_s(arithmetic)
    return None if rate is None else rate.per_second / 1e12


# 10 SMs at 1 GHz: 10¹⁰ SM clocks per second, so 100 operations per clock and SM are 10¹² operations per second.
def part(capability: tuple[int, int], **facts: object) -> Device:
    return Device("part", capability, 10, 1.0, **facts)


def test_integers_of_four_bytes_at_once_are_of_the_cuda_cores_of_volta_and_pascal() -> None:
    assert tera(part((7, 0)), DP4A) == pytest.approx(5.12)
    assert tera(part((6, 1)), DP4A) == pytest.approx(10.24)
    assert tera(find_device("Tesla P40"), DP4A) == pytest.approx(47, rel=0.02)  # P40 datasheet


def test_units_that_do_not_exist_have_no_rate() -> None:
    assert tera(part((7, 0)), INT8) is None  # Volta's tensor cores know FP16 only
    assert tera(part((6, 1)), FP16) is None  # Pascal has none
    assert tera(part((7, 5)), TF32) is None
    assert tera(part((9, 0)), INT4) is None
    assert tera(part((8, 6)), FP8) is None
    assert tera(part((7, 5), has_matrix_units=False), FP16) is None
    assert tera(part((7, 5), has_matrix_units=False), FP16_CUDA) == pytest.approx(2.56)
    assert tera(part((9, 0)), Arithmetic(DataType.INT64)) is None
    assert tera(part((9, 0)), Arithmetic(DataType.UNKNOWN)) is None


def test_fp32_that_is_not_tf32_is_of_the_cuda_cores() -> None:
    rate = part((8, 0)).ops_per_s(Arithmetic(DataType.FP32))
    assert rate is not None and rate.per_second == pytest.approx(1.28e12) and "CUDA cores" in rate.source


@pytest.mark.parametrize(
    ("arithmetic", "factor"),
    [(FP16, 0.5), (FP16_IN_FP16, 1), (BF16, 0.5), (TF32, 0.5), (FP8, 0.5), (FP8_IN_FP16, 1), (INT8, 1), (FP32, 1)],
)
def test_sums_in_fp32_have_half_rate_where_the_part_says_so(arithmetic: Arithmetic, factor: float) -> None:
    whole = tera(part((8, 9), halves_fp32_accumulation=False), arithmetic)
    half = tera(part((8, 9), halves_fp32_accumulation=True), arithmetic)
    assert whole is not None and half == pytest.approx(whole * factor)


def test_an_assumed_accumulator_is_reported() -> None:
    unknown_sums = Arithmetic(DataType.FP16)
    geforce, unknown_part = part((8, 9), halves_fp32_accumulation=True), part((8, 9))
    halved, assumed = geforce.ops_per_s(unknown_sums), unknown_part.ops_per_s(FP16)
    assert halved is not None and "in FP16: twice this" in halved.source
    assert assumed is not None and "half rate assumed" in assumed.source
    assert assumed.per_second == pytest.approx(5.12e12)
    plain = part((8, 0)).ops_per_s(unknown_sums)  # no part of 8.0 has half rates: nothing to assume
    assert plain is not None and "assumed" not in plain.source and plain.per_second == pytest.approx(20.48e12)


def test_sparsity_doubles_the_matrix_units_since_8_0() -> None:
    sparse = replace(FP16, sparse=True)
    assert tera(part((8, 0)), sparse) == pytest.approx(2 * 20.48)
    assert tera(part((7, 5), halves_fp32_accumulation=False), sparse) is None
    assert tera(part((8, 0)), replace(FP32, sparse=True)) is None
    assert tera(part((10, 3)), replace(FP4, sparse=True)) == pytest.approx(491.52 * 4 / 3)


def test_matrix_units_have_their_own_clock() -> None:
    device = part((9, 0), tensor_clock_ghz=0.5)
    assert tera(device, FP16) == pytest.approx(40.96 * 0.5)
    assert tera(device, FP32) == pytest.approx(2.56)


def test_what_is_missing_makes_the_rate_unknown() -> None:
    assert tera(Device("x"), FP32) is None
    assert tera(Device("x", (8, 0), None, 1.0), FP32) is None
    assert tera(Device("x", (8, 0), 10, None), FP32) is None
    assert tera(Device("x", (5, 0), 10, 1.0), FP32) is None  # no figures of Maxwell are held
    assert Device("x").bytes_per_s is None
    assert Device("x").l2_bytes_per_s is None


def test_a_measured_rate_takes_precedence_over_a_derived_one() -> None:
    measured = Rate(1.5e12, "measured here", "measured")
    device = part((8, 0), rates={FP16: measured})
    assert device.ops_per_s(FP16) is measured
    assert device.ops_per_s(Arithmetic(DataType.FP16)) is measured
    assert device.ops_per_s(BF16) is not measured
    integers = part((8, 0), rates={INT8: measured})
    assert integers.ops_per_s(Arithmetic(DataType.INT8)) is measured


def test_l2_is_measured_or_published_or_bounded_by_the_sms() -> None:
    # NVIDIA A100 whitepaper: 5120 bytes per clock; at 1.41 GHz 7219 GB/s. V100: 2048 × 1.53 = 3133.
    a100, v100 = find_device("NVIDIA A100-SXM4-40GB").l2_bytes_per_s, find_device("V100 SXM2").l2_bytes_per_s
    assert a100 is not None and a100.per_second == pytest.approx(7219e9, rel=1e-3) and a100.certainty == "datasheet"
    assert v100 is not None and v100.per_second == pytest.approx(3133e9, rel=1e-3)
    measured = part((8, 6), l2_gb_per_s=250.0, certainties={"l2_gb_per_s": "measured"}).l2_bytes_per_s
    assert measured is not None and measured.per_second == 250e9 and measured.certainty == "measured"
    bound = part((8, 6)).l2_bytes_per_s
    assert bound is not None and bound.per_second == 640e9 and bound.certainty == "derived"
    assert part((6, 1)).l2_bytes_per_s is None


def test_a_rate_has_the_certainty_of_its_least_certain_part() -> None:
    assert least_certain(["datasheet", "derived", "reported"]) == "derived"
    assert least_certain(["measured", "no such word"]) == "no such word"
    device = part((8, 0), certainties={"sm_count": "reported", "clock_ghz": "page"})
    rate = device.ops_per_s(FP16)
    assert rate is not None and rate.certainty == "page"
    assert rate.certainty in CERTAINTIES
