"""read_metadata and device_facts: sections in any spelling, latency statistics, values that were cut."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.core.device_facts import DeviceFacts
from trex.core.errors import TrexError
from trex.core.metadata import Metadata
from trex.ingest.metadata_json import device_of, read_metadata, warm_up_ms
from trex.ingest.spelling.device_facts import device_facts, trtexec_device_section

A100 = {
    "Name": "NVIDIA A100 80GB PCIe",
    "ComputeCapability": [8, 0],
    "TotalMemory": 84929216512,
    "CLOCK_RATE": 1410000,
    "MEMORY_CLOCK_RATE": 1512000,
    "GLOBAL_MEMORY_BUS_WIDTH": 5120,
    "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR": 167936,
    "MULTIPROCESSOR_COUNT": 108,
}


def read(document: Any, where: str = "") -> Metadata:
    return read_metadata(json.dumps(document).encode(), where)


def codes(metadata: Metadata) -> list[str]:
    return [note.code for note in metadata.notes]


def test_sections_of_process_engine_stay_verbatim() -> None:
    build = {"Precision": "FP32+FP16", "avgTiming": "8"}
    device = {"Selected Device": "GPU", "SMs": 82.0}
    metadata = read(
        {
            "model_options": {"Format": "ONNX"},
            "build_options": build,
            "device_information": device,
            "clocks": {"gpu": 1},
        },
        "x.json",
    )
    assert metadata.model_options == {"Format": "ONNX"}
    assert metadata.build_options == build
    assert metadata.device == device
    assert metadata.extra == {"clocks": {"gpu": 1}}
    assert (metadata.sources, metadata.notes) == (("x.json",), ())


def test_other_spellings_and_facts_at_the_top() -> None:
    metadata = read(
        {
            "Inference Options": {"Streams": "1"},
            "System Options": {"Device": "0"},
            "tensorrt_version": "10.4.0",
            "command_line": "trtexec --onnx=x",
            "synthetic": True,
        }
    )
    assert metadata.inference_options == {"Streams": "1"}
    assert metadata.system_options == {"Device": "0"}
    assert (metadata.tensorrt_version, metadata.command_line, metadata.synthetic) == (
        "10.4.0",
        "trtexec --onnx=x",
        True,
    )


def test_lists_of_five_and_of_seven() -> None:
    metadata = read({"performance_summary": {"Throughput": 2.5, "Latency": [1, 5, 2, 3, 4.5]}})
    latency = metadata.latency["Latency"]
    assert (latency.minimum_ms, latency.maximum_ms, latency.mean_ms, latency.median_ms) == (1, 5, 2, 3)
    assert latency.percentiles == {99.0: 4.5}
    assert metadata.performance == {"Throughput": 2.5, "Latency": [1, 5, 2, 3, 4.5]}
    assert codes(metadata) == ["percentile-assumed"]
    seven = read({"performance_summary": {"GPU Compute Time": [1, 5, 2, 3, 4, "4.5", "4.8 ms"]}})
    assert seven.latency["GPU Compute Time"].percentiles == {90.0: 4.0, 95.0: 4.5, 99.0: 4.8}
    assert codes(seven) == ["percentile-assumed"]


def test_percentiles_the_run_asked_for_label_any_list() -> None:
    for key, value, labels in (("Percentiles", "50,75", (50.0, 75.0)), ("Percentile", 90, (90.0,))):
        numbers = [1, 5, 2, 3, *range(4, 4 + len(labels))]
        metadata = read({"reporting_options": {key: value}, "performance_summary": {"Latency": numbers}})
        assert tuple(metadata.latency["Latency"].percentiles) == labels
        assert metadata.notes == ()


@pytest.mark.parametrize("numbers", [[1, 2], [1, 5, 2, 3, 4, 4.5], list(range(12))])
def test_other_lengths_are_noted(numbers: list[float]) -> None:
    metadata = read({"performance_summary": {"Latency": numbers}})
    assert codes(metadata) == ["percentiles-unlabeled"]
    assert [s.percentiles for s in metadata.latency.values()] == ([{}] if len(numbers) >= 4 else [])


@pytest.mark.parametrize("numbers", [[1, 5, 2, 3.0, 4.0], [1, 5, 2, 3, 4, 4.5, 4.8, 4.9]])
def test_a_line_with_other_numbers_than_the_others_is_left_out(numbers: list[float]) -> None:
    lines = {name: [1, 5, 2, 3, 4, 4.5, 4.8] for name in ("Latency", "Enqueue Time")}
    metadata = read({"performance_summary": {**lines, "GPU Compute Time": numbers, "H2D Latency": []}})
    assert sorted(metadata.latency) == ["Enqueue Time", "Latency"]
    assert codes(metadata) == ["other-count-of-numbers", "percentile-assumed"]


@pytest.mark.parametrize(
    ("lines", "labels", "kept"),
    [
        ({"Latency": 7, "H2D Latency": 0, "D2H Latency": 0}, "", ["Latency"]),
        ({"Latency": 7, "samples": 1, "steps": 1}, "", ["Latency"]),
        ({"Latency": 7, "GPU Compute Time": 5}, "", ["GPU Compute Time", "Latency"]),
        ({"Latency": 7, "GPU Compute Time": 5}, "99", ["GPU Compute Time"]),
        ({"Latency": 7, "GPU Compute Time": 5}, "90,95,99", ["Latency"]),
    ],
)
def test_how_many_numbers_a_line_has(lines: dict[str, int], labels: str, kept: list[str]) -> None:
    values = {name: [1, 5, 2, 3, 4, 4.5, 4.8][:count] for name, count in lines.items()}
    metadata = read({"reporting_options": {"Percentiles": labels}, "performance_summary": values})
    assert sorted(metadata.latency) == kept


def test_a_list_of_devices_gets_the_words_of_trtexec() -> None:
    metadata = read([A100])
    assert metadata.device == {
        **A100,
        "Selected Device": "NVIDIA A100 80GB PCIe",
        "Compute Capability": "8.0",
        "SMs": "108",
        "Compute Clock Rate": "1.41 GHz",
        "Device Global Memory": "80994 MiB",
        "Shared Memory per SM": "164 KiB",
        "Memory Bus Width": "5120 bits",
        "Memory Clock Rate": "1.512 GHz",
    }
    assert metadata.notes == ()
    assert read(A100).device == metadata.device


def test_of_several_devices_one_counts_if_all_are_equal() -> None:
    assert read([A100, A100]).device["Selected Device"] == "NVIDIA A100 80GB PCIe"
    metadata = read([A100, {**A100, "Name": "other"}])
    assert (metadata.device, len(metadata.extra["devices"])) == ({}, 2)
    assert codes(metadata) == ["several-devices"]


@pytest.mark.parametrize(
    ("name", "number", "multiprocessors"),
    [("Tesla T4", "0", 40), ("T4", "", 40), ("NVIDIA L4", "1", None), ("", "1", None), ("NVIDIA A100", "2", 98)],
)
def test_the_device_of_a_run_is_the_one_it_names(name: str, number: str, multiprocessors: int | None) -> None:
    counts = (("NVIDIA A100 80GB PCIe", 108), ("Tesla T4", 40), ("NVIDIA A100 80GB PCIe", 98))
    listed = [{**A100, "Name": one, "MULTIPROCESSOR_COUNT": count} for one, count in counts]
    run = Metadata(device={"Selected Device": name, "Selected Device ID": number})
    assert device_facts(device_of(listed, run)).sm_count == multiprocessors


@pytest.mark.parametrize(
    "device",
    [
        {
            "Selected Device": "GPU X",
            "Compute Capability": 8.6,
            "SMs": 30.0,
            "Compute Clock Rate": 1.425,
            "Memory Clock Rate": 7.001,
            "Memory Bus Width": 192.0,
            "Device Global Memory": "5937 MiB",
            "Shared Memory per SM": "100 KiB",
        },
        {
            "Selected Device": '"GPU X"',
            "Compute Capability": "8.6",
            "SMs": "30",
            "Application Compute Clock Rate": "1.425 GHz",
            "Application Memory Clock Rate": "7001 MHz",
            "Memory Bus Width": "192 bits (ECC disabled)",
            "Device Global Memory": 5937,
            "Shared Memory per SM": 100,
        },
    ],
)
def test_device_facts_in_two_spellings(device: dict[str, Any]) -> None:
    assert device_facts(device) == DeviceFacts("GPU X", (8, 6), 30, 1.425, 7.001, 192, 5937.0, 100.0)


@pytest.mark.parametrize(
    ("written", "ghz"),
    [("1,425 GHz", 1.425), ("2,5 ghz", 2.5), ("1.425 GHz", 1.425), ("1425 MHz", 1.425)]
    + [(text, None) for text in ("1,425 MHz", "1,425,000 GHz", "1,4250 GHz", "1,425")],
)
def test_a_decimal_comma_of_a_clock(written: str, ghz: float | None) -> None:
    assert device_facts({"Application Compute Clock Rate": written}).compute_clock_ghz == ghz


def test_a_comma_elsewhere_leaves_a_size_unknown() -> None:
    assert device_facts({"Device Global Memory": "81,920 MiB"}).memory_mib is None


def test_unknown_device_facts_are_none() -> None:
    assert device_facts({}).is_empty
    assert device_facts(
        {"Selected Device": "", "SMs": "many", "Compute Capability": 86, "Compute Clock Rate": 0}
    ).is_empty
    assert device_facts({"Compute Clock Rate": "1425000 MHz", "Memory Clock Rate": "7001 GHz"}).is_empty
    assert device_facts({"Compute Clock Rate": 1e-320, "Memory Clock Rate": "1.5 kHz"}).is_empty
    assert device_facts({"Compute Clock Rate": "3 parsec", "Compute Capability": [8], "SMs": 10.5}).is_empty


def test_device_name_of_a_single_listed_device() -> None:
    assert device_facts({"Device 0": '"GPU X" UUID: GPU-1'}).name == "GPU X"
    assert device_facts({"Device 0": '"GPU X" UUID', "Device 1": '"GPU Y" UUID'}).name is None


def test_device_section_and_facts_are_inverse() -> None:
    facts = DeviceFacts("GPU X", (8, 6), 30, 1.425, 7.001, 192, 5937.0, 100.0)
    assert device_facts(trtexec_device_section(facts)) == facts
    assert trtexec_device_section(DeviceFacts()) == {}


@pytest.mark.parametrize(
    ("duration", "expected"),
    [("3s (+ 200ms warm up)", 200.0), ("10s (+ 1.5ms warm up)", 1.5), ("3s", None), (3, None), (None, None)],
)
def test_warm_up_ms(duration: object, expected: float | None) -> None:
    assert warm_up_ms(Metadata(inference_options={"Duration": duration})) == expected
    assert warm_up_ms(Metadata()) is None


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({"Layers": [], "Bindings": []}, "layer information"),
        ([{"latencyMs": 1.0}], "query times"),
        ([{"count": 1}, {"name": "a"}], "layer times"),
        ([1, 2], "this is .*not metadata"),
        ([], "this is .*not metadata"),
        ({"a": 1}, "this is .*not metadata"),
        ({"name": "a"}, "this is .*not metadata"),
        ("text", "this is .*not metadata"),
    ],
)
def test_other_files_are_refused_by_name(document: Any, words: str) -> None:
    with pytest.raises(TrexError, match=words) as error:
        read(document, "x.json")
    assert error.value.where == "x.json"


JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=7) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_any_values_give_metadata_or_a_trex_error(value: Any) -> None:
    for document in (
        value,
        {
            "device_information": {
                "SMs": value,
                "Compute Capability": value,
                "Selected Device": value,
                "Device 0": value,
            }
        },
        {"performance_summary": {"Latency": value}, "reporting_options": {"Percentiles": value}},
        {"build_options": value, "device": value, "tensorrt_version": value},
    ):
        try:
            metadata = read(document)
        except TrexError:
            continue
        device_facts(metadata.device)


def test_real_metadata(shared_engines: Path) -> None:
    files = sorted(shared_engines.glob("*/*metadata.json"))
    assert len(files) >= 24
    for file in files:
        metadata = read_metadata(file.read_bytes(), file.name)
        facts = device_facts(metadata.device)
        if "performance_summary" in file.read_text():
            assert len(metadata.latency) == 5
            figures = [v for v in json.loads(file.read_bytes())["performance_summary"].values() if isinstance(v, list)]
            # minimum, maximum, mean, median, then percentiles
            counts = [len(summary.percentiles) + 4 for summary in metadata.latency.values()]
            assert counts == [len(values) for values in figures], file
        if metadata.device:
            assert None not in (facts.name, facts.compute_capability, facts.sm_count, facts.compute_clock_ghz)
            assert None not in (facts.memory_clock_ghz, facts.memory_bus_bits, facts.memory_mib)
            assert facts.shared_memory_per_sm_kib is not None


def test_real_dump_and_real_log_of_one_device_agree(shared_engines: Path) -> None:
    folder = shared_engines / "trt8.4-resnet18-a100-fp16"
    dump = read_metadata((folder / "resnet.onnx.engine.metadata.json").read_bytes())
    log = read_metadata((folder / "resnet.onnx.engine.profile.metadata.json").read_bytes())
    facts = device_facts(dump.device)
    assert facts.l2_mib == 40  # which trtexec does not print
    assert replace(facts, l2_mib=None) == device_facts(log.device)
