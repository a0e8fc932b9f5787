"""The device of a plan: the facts in its files, completed from the table, with every doubt in a Note."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.synthetic import CASES, Case
from tests.synthetic.engines import synthetic_engine
from trex.core.data_type import DataType
from trex.core.device_facts import DeviceFacts
from trex.core.engine import Engine
from trex.core.metadata import Metadata
from trex.core.telemetry import Stage, Telemetry
from trex.engine_plan import load
from trex.perf.arithmetic import Arithmetic
from trex.perf.device import Device
from trex.perf.known_devices import find_device
from trex.perf.performance import Performance
from trex.perf.recognize import device_of, device_of_facts
from trex.plan.engine_plan import EnginePlan

FP16 = Arithmetic(DataType.FP16, DataType.FP32)
A100 = DeviceFacts("NVIDIA A100 80GB PCIe", (8, 0), 108, 1.41, 1.512, 5120, 80994.0, 164.0)


@pytest.fixture(autouse=True)
def no_files_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("TREX_DEVICES", raising=False)


def codes(device: Device) -> list[str]:
    return [note.code for note in device.notes]


def plan_of(
    device: dict[str, object], build: dict[str, object] | None = None, telemetry: Telemetry | None = None
) -> EnginePlan:
    return EnginePlan(
        Engine(()),
        metadata=Metadata(device=device, sources=("some/where/run.profile.metadata.json",)),
        build_metadata=Metadata(device=build or {}),
        telemetry=telemetry,
    )


def test_figures_of_the_files_take_precedence_over_the_table() -> None:
    device = device_of_facts(A100, "run.json")
    # HBM2e: 2 × 1.512 GHz × 5120 bits / 8 = 1935.36 GB/s, as the data sheet's 1935.
    assert device.bandwidth_gb_per_s == pytest.approx(1935.36)
    assert device.certainties["bandwidth_gb_per_s"] == "reported"
    assert "2 × 1.512 GHz × 5120 bits" in device.sources["bandwidth_gb_per_s"]
    assert "run.json" in device.sources["sm_count"]
    assert "maximum or application clock" in device.sources["clock_ghz"]
    assert device.l2_mib == 40 and device.certainties["l2_mib"] == "datasheet"  # not in the files
    assert codes(device) == []


def test_disagreements_are_reported_and_the_files_take_precedence() -> None:
    device = device_of_facts(replace(A100, sm_count=98, compute_clock_ghz=1.2, l2_mib=20.0, memory_clock_ghz=1.2))
    assert (device.sm_count, device.clock_ghz, device.l2_mib) == (98, 1.2, 20.0)
    assert codes(device) == ["device-facts-differ"] * 4
    expected = [note.message for note in device.notes]
    assert expected[0] == "SMs: 98 in the engine's files, 108 in the table of known devices; the files' value is used"
    assert "clock: 1.2 GHz in the engine's files" in expected[1]
    assert "bandwidth: 1536 GB/s in the engine's files, 1935 GB/s in the table of known devices" in expected[2]
    assert [note.severity for note in device.notes] == ["warning", "info", "info", "info"]


@pytest.mark.parametrize(("factor", "severity"), [(0.25, "info"), (1.6, "info"), (1000.0, "warning")])
def test_no_device_of_a_name_has_several_times_its_bandwidth(factor: float, severity: str) -> None:
    bits = round(5120 * factor)
    (note,) = device_of_facts(replace(A100, memory_bus_bits=bits)).notes
    assert note.severity == severity and ("no device of this name" in note.hint) is (severity == "warning")


def test_a_laptop_is_not_its_desktop() -> None:
    facts = DeviceFacts("NVIDIA GeForce RTX 3060 Laptop GPU", (8, 6), 30, 1.425, 7.001, 192)
    device = device_of_facts(facts)
    assert device.sm_count == 30 and codes(device) == []
    assert device.bandwidth_gb_per_s == pytest.approx(336.048)
    # 30 SMs × 1.425 GHz × 1024 / 2: GeForce sums in FP32 at half rate.
    rate = device.ops_per_s(FP16)
    assert rate is not None and rate.per_second == pytest.approx(21.888e12)
    absent = device_of_facts(DeviceFacts("NVIDIA GeForce RTX 3050 Laptop GPU"))
    assert absent.sm_count is None and absent.ops_per_s(FP16) is None
    (note,) = absent.notes
    assert note.code == "device-not-known" and note.severity == "warning"
    assert "compute capability or SMs or clock" in note.message


def test_an_unknown_device_with_enough_figures_has_derived_peaks() -> None:
    device = device_of_facts(DeviceFacts("Some board", (8, 0), 50, 1.0, 1.0, 1024))
    # 50 SMs × 1 GHz × 2048 operations.
    rate = device.ops_per_s(FP16)
    assert rate is not None and rate.per_second == pytest.approx(102.4e12)
    assert device.bandwidth_gb_per_s == 256 and device.l2_mib is None
    (note,) = device.notes
    assert note.code == "device-not-known" and note.severity == "info"
    assert "derived from compute capability, SMs and clock" in note.message


def test_geforce_in_an_unknown_name_says_half_rate() -> None:
    device = device_of_facts(DeviceFacts("NVIDIA GeForce RTX 9999", (8, 9), 10, 1.0))
    assert device.halves_fp32_accumulation is True
    assert device_of_facts(DeviceFacts("Other", (8, 9), 10, 1.0)).halves_fp32_accumulation is None
    assert device_of_facts(DeviceFacts("NVIDIA GeForce of old", (8, 0), 10, 1.0)).halves_fp32_accumulation is None


def test_gtx_16_has_no_matrix_units() -> None:
    device = device_of_facts(DeviceFacts("NVIDIA GeForce GTX 1660 Ti", (7, 5), 24, 1.77))
    assert device.ops_per_s(FP16) is None
    assert device.ops_per_s(Arithmetic(DataType.FP16, tensor_core=False)) is not None


def test_a_compute_capability_without_rates_is_reported() -> None:
    device = device_of_facts(DeviceFacts("Next year's", (13, 0), 10, 1.0))
    assert device.ops_per_s(FP16) is None
    assert "no known rates for its compute capability" in device.notes[0].message


@pytest.mark.parametrize(
    ("sms", "clock", "name"),
    [(16, 1.3, "Jetson AGX Orin 64GB"), (14, 0.93, "Jetson AGX Orin 32GB"), (8, 0.918, "Jetson Orin NX 16GB")],
)
def test_orin_is_known_by_its_sms_and_clock(sms: int, clock: float, name: str) -> None:
    # The driver's memory clock of a Jetson gives 2 × 1.3 × 256 / 8 = 83 GB/s where the board has 204.8.
    device = device_of_facts(DeviceFacts("Orin", (8, 7), sms, clock, 1.3, 256))
    assert device.name == "Orin" and device.bandwidth_gb_per_s in (204.8, 102.4)
    assert codes(device) == ["device-shared-memory"]
    assert device.sources["bandwidth_gb_per_s"].startswith("NVIDIA Jetson Orin"), name


@pytest.mark.parametrize(
    ("sms", "clock", "memory_mib", "bandwidth"),
    [
        (8, 0.625, 7620, 68),  # Orin Nano 8GB
        (8, 1.02, 7620, 102.4),  # the same in a Super mode
        (4, 0.625, 3622, 34),  # Orin Nano 4GB
        (4, 0.765, 7755, 102.4),  # Orin NX 8GB in a power mode that switches half of its SMs off
        (8, 1.173, 7755, 102.4),  # Orin NX 8GB Super
        (8, 1.173, 15523, 102.4),  # Orin NX 16GB Super
        (14, 0.93, 30536, 204.8),
    ],
)
def test_orin_is_known_by_its_memory(sms: int, clock: float, memory_mib: float, bandwidth: float) -> None:
    device = device_of_facts(DeviceFacts("Orin", (8, 7), sms, clock, memory_mib=memory_mib))
    assert device.bandwidth_gb_per_s == bandwidth and device.sm_count == sms
    assert "device-ambiguous" not in codes(device)


def test_the_name_of_nvidia_smi_on_a_jetson_is_the_same_device() -> None:
    device = device_of_facts(DeviceFacts("Orin (nvgpu)", (8, 7), 8, 0.918, memory_mib=15523))
    assert device.bandwidth_gb_per_s == 102.4 and not codes(device)


def test_memory_leaves_only_the_modules_that_have_it() -> None:
    (note,) = device_of_facts(DeviceFacts("Orin", (8, 7), memory_mib=7755)).notes
    assert note.code == "device-ambiguous"
    assert "Orin NX 8GB" in note.message and "Orin Nano 8GB Super" in note.message
    assert "16GB" not in note.message and "4GB" not in note.message.replace("64GB", "4GB")


def test_fewer_sms_of_a_jetson_are_a_power_mode() -> None:
    device = device_of_facts(DeviceFacts("Orin", (8, 7), 4, 0.765, memory_mib=7755))
    (note,) = device.notes
    assert note.code == "device-facts-differ" and "power mode" in note.hint


def test_several_devices_of_one_name_stay_ambiguous() -> None:
    device = device_of_facts(DeviceFacts("Orin", (8, 7)))
    assert device.sm_count is None and device.bandwidth_gb_per_s is None
    assert codes(device) == ["device-ambiguous"]
    assert "Jetson AGX Orin 64GB" in device.notes[0].message


def test_a_mig_slice_has_only_figures_of_the_files() -> None:
    device = device_of_facts(DeviceFacts("NVIDIA A100-SXM4-40GB MIG 1g.5gb", (8, 0), 14, 1.41))
    assert device.name == "NVIDIA A100-SXM4-40GB MIG 1g.5gb"
    assert (device.sm_count, device.bandwidth_gb_per_s, device.l2_mib) == (14, None, None)
    assert codes(device) == ["device-is-a-slice"]
    rate = device.ops_per_s(FP16)  # 14 × 1.41 GHz × 2048
    assert rate is not None and rate.per_second == pytest.approx(40.43e12, rel=1e-3)


def test_the_bandwidth_of_the_whole_card_is_not_that_of_a_slice() -> None:
    facts = DeviceFacts("NVIDIA A100-SXM4-40GB MIG 1g.5gb", (8, 0), 14, 1.41, memory_clock_ghz=1.215)
    bandwidths = [device_of_facts(replace(facts, memory_bus_bits=bits)).bandwidth_gb_per_s for bits in (5120, 640)]
    assert bandwidths == [None, pytest.approx(194.4)]
    unknown = replace(facts, name="NVIDIA Z999 MIG 1g.5gb", memory_bus_bits=5120)
    assert device_of_facts(unknown).bandwidth_gb_per_s is None


@pytest.mark.parametrize("name", ["GRID T4-16Q", "NVIDIA A10-24Q", "GRID V100S-PCIE-32GB-32Q", "NVIDIA L40S-48C"])
def test_a_virtual_gpu_says_so(name: str) -> None:
    device = device_of_facts(DeviceFacts(name))
    assert device.name == name and "device-is-virtual" in codes(device)
    if "V100S" not in name:
        assert device.sm_count is not None
    backed = device_of_facts(DeviceFacts("GRID A100-1-5C"))
    assert backed.bandwidth_gb_per_s is None


@pytest.mark.parametrize("name", ["Tesla V100-SXM2-16GB", "NVIDIA A100-PCIE-40GB", "NVIDIA A100-SXM4-80GB"])
def test_names_with_hyphens_are_no_virtual_gpus(name: str) -> None:
    assert codes(device_of_facts(DeviceFacts(name))) == []


@pytest.mark.parametrize(
    "name", [" " * 100_000, "x" + " " * 100_000 + "MIG", "-" * 100_000, "MIG " * 30_000, "\x00\x1b"]
)
def test_names_that_no_driver_gives(name: str) -> None:
    device = device_of_facts(DeviceFacts(name, (8, 0), 10, 1.0))
    assert "device-not-known" in codes(device) and device.ops_per_s(FP16) is not None


def test_cuda_properties_contain_the_l2() -> None:
    device = device_of(
        plan_of({"Name": "NVIDIA B200", "MULTIPROCESSOR_COUNT": 148, "L2_CACHE_SIZE": 132644864, "CLOCK_RATE": 1965000})
    )
    assert device is not None and device.l2_mib == 126.5
    assert device.clock_ghz == 1.965 and device.tensor_clock_ghz == 1.86


def test_a_reported_clock_below_that_of_the_matrix_units_holds_for_both() -> None:
    device = device_of_facts(DeviceFacts("NVIDIA H100 80GB HBM3", (9, 0), 132, 1.2))
    rate = device.ops_per_s(FP16)  # 132 × 1.2 GHz × 4096
    assert rate is not None and rate.per_second == pytest.approx(648.8e12, rel=1e-3)


def test_empty_files_name_no_device() -> None:
    assert device_of(plan_of({})) is None
    assert device_of(plan_of({"Selected Device ID": "0"})) is None


def test_the_build_is_the_fallback_and_another_device_is_reported() -> None:
    built = {"Selected Device": "NVIDIA A10", "SMs": 72}
    device = device_of(plan_of({}, built))
    assert device is not None and device.name == "NVIDIA A10"
    device = device_of(plan_of({"Selected Device": "Tesla T4"}, built))
    assert device is not None and device.name == "Tesla T4"
    assert codes(device) == ["device-not-of-the-build"]
    assert "built on 'NVIDIA A10' and profiled on 'Tesla T4'" in device.notes[0].message


def telemetry(clocks: Sequence[float], busy: Sequence[float], stage: Stage | None = None) -> Telemetry:
    return Telemetry(
        time_s=[float(second) for second in range(len(clocks))],
        columns={"sm_clock_mhz": array("d", clocks), "gpu_utilization_pct": array("d", busy)},
        reasons=((),) * len(clocks),
        stages=(stage,) if stage else (),
        gpu={"index": 0, "name": "NVIDIA A10"},
    )


def test_the_clock_that_ran_is_the_median_while_the_profile_worked() -> None:
    nan = float("nan")
    #          build | profile: idle first, then at work
    clocks = [1700, 1700, 210, 1200, 1230, nan, 1260, 210]
    busy = [99, 99, 0, 98, 97, 99, 99, 0]
    device = device_of(plan_of({}, telemetry=telemetry(clocks, busy, Stage("profile", 2, 7))))
    assert device is not None and device.name == "NVIDIA A10"  # only the telemetry names it
    assert device.running_clock_ghz == pytest.approx(1.230)
    assert device.clock_ghz == 1.695
    assert "while the profile ran" in device.sources["running_clock_ghz"]


def test_telemetry_without_clocks_has_no_clock() -> None:
    device = device_of(plan_of({}, telemetry=telemetry([float("nan")] * 3, [0.0] * 3)))
    assert device is not None and device.running_clock_ghz is None
    idle = device_of(plan_of({}, telemetry=telemetry([300, 310, 320], [0.0] * 3)))
    assert idle is not None and idle.running_clock_ghz == 0.31  # no stage and nothing at work: all that there is
    build = device_of(plan_of({}, telemetry=telemetry([705, 705], [99, 99], Stage("build", 0, 2))))
    assert build is not None and build.running_clock_ghz is None


def test_the_device_of_a_synthetic_engine_says_so() -> None:
    device = device_of(synthetic_engine("resnet18-fp16"))
    assert device is not None
    assert "device-is-synthetic" in codes(device)
    assert device.sm_count == 108 and device.bandwidth_gb_per_s == pytest.approx(1555.2)


@pytest.mark.parametrize(
    "case", [case for case in CASES.values() if not case.expect.error and not case.needs], ids=lambda case: case.name
)
def test_every_case_has_a_device_or_none(case: Case, tmp_path: Path) -> None:
    device = device_of(load(case.write(tmp_path)))
    if device is not None:
        for field in ("sm_count", "clock_ghz", "bandwidth_gb_per_s", "l2_mib"):
            value = getattr(device, field)
            assert value is None or value > 0
            assert value is None or device.sources[field]


@pytest.mark.parametrize(
    ("folder", "name", "gb_per_s"),
    [
        ("trt8.4-resnet18-a100-fp16", "NVIDIA A100 80GB PCIe", 1935.36),
        ("trt8.2-resnet50-rtx3090-fp16", "NVIDIA GeForce RTX 3090", 936.096),
        ("trt8.4-mobilenetv2-qat", "NVIDIA TITAN RTX", 672.096),
        ("trt10.4-alexnet-fp16-rtx3060", "NVIDIA GeForce RTX 3060 Laptop GPU", 336.048),
    ],
)
def test_devices_of_real_engines(shared_engines: Path, folder: str, name: str, gb_per_s: float) -> None:
    device = device_of(load(shared_engines / folder))
    assert device is not None and device.name == name
    assert device.bandwidth_gb_per_s == pytest.approx(gb_per_s)
    assert codes(device) == []
    if "A100" in name:
        assert device.certainties["l2_mib"] == "reported"  # CUDA's attributes are among its files


@pytest.mark.parametrize(
    ("named", "chosen", "is_noted"),
    [
        ("NVIDIA A100-SXM4-80GB", "L4", True),
        ("NVIDIA L4", "L4", False),
        ("NVIDIA Unheard-Of 9000", "L4", False),
        ("NVIDIA A100-SXM4-80GB", "our own", False),
    ],
)
def test_a_device_that_is_not_that_of_the_files_is_said(named: str, chosen: str, is_noted: bool) -> None:
    device = Device("our A100 at 1.1 GHz") if chosen == "our own" else find_device(chosen)
    notes = Performance(plan_of({"Selected Device": named}), device).notes
    assert [note.severity for note in notes if note.code == "device-chosen-by-hand"] == ["warning"] * is_noted
