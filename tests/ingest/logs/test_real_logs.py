"""Real logs: the reader must find the facts that a person found."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from trex.core.metadata import Metadata
from trex.engine_plan import find_plans
from trex.ingest.logs.trtexec_log import LogRun, read_log
from trex.views.completeness import completeness_of

QUADRO = {"Selected Device": "NVIDIA RTX 6000 Ada Generation", "SMs": "142", "Device Global Memory": "48501 MiB"}
PASCAL = {"Selected Device": "NVIDIA GeForce GTX 1070", "SMs": "16", "Device Global Memory": "8111 MiB"}
AMPERE = {"Selected Device": "NVIDIA GeForce RTX 3090", "SMs": "82", "Device Global Memory": "24256 MiB"}
SHAPES = "x=1x1x28x28+4x1x28x28+16x1x28x28"


@dataclass(frozen=True)
class Facts:
    """Facts of one run. Missing facts are None or empty.

    build, run: some options of these sections; {} if the run has no such section.
    latency, compute: minimum, maximum, mean, median and percentiles in milliseconds. layers: rows of the builder,
    layers of the inspector, layers in the table of times. built_s: by trtexec. generated_s: by the builder, the sum
    of its strategies. warnings: codes of Notes, sorted.
    """

    release: str = ""
    passed: bool | None = None
    device: Mapping[str, str] = field(default_factory=dict)
    build: Mapping[str, str] = field(default_factory=dict)
    run: Mapping[str, str] = field(default_factory=dict)
    throughput: float | None = None
    queries: int | None = None
    latency: tuple[float | None, ...] = ()
    compute: tuple[float | None, ...] = ()
    layers: tuple[int, int, int] = (0, 0, 0)
    engine_mib: float | None = None
    loaded_mib: float | None = None
    built_s: float | None = None
    generated_s: float | None = None
    peak_mib: tuple[float, float] | None = None
    tensors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


READ = {
    "trt7.2-superbench.log": [
        Facts(
            passed=True,
            device={"Selected Device": "A100-SXM4-40GB", "SMs": "108", "Memory Bus Width": "5120 bits (ECC enabled)"},
            build={"Workspace": "1024 MiB", "Precision": "FP32+INT8", "Calibration": "Dynamic"},
            run={"Iterations": "1024", "Duration": "3s (+ 200ms warm up)"},
            queries=0,
            built_s=109.833,
            warnings=("no-calibration", "tactics-skipped-for-workspace", "tensorrt-7-log"),
        )
    ],
    "trt8.4-mnist-fp16-build-verbose.log": [
        Facts(
            "8.4.1",
            True,
            {**PASCAL, "Compute Capability": "6.1"},
            {
                "Precision": "FP32+FP16",
                "Memory Pools": "workspace: 1024 MiB, dlaSRAM: default, dlaLocalDRAM: default, dlaGlobalDRAM: default",
                "Input build shape": "tensor-0=1x1x28x28+4x1x28x28+16x1x28x28",
                "Save engine": "model-FP16.plan",
            },
            {"Input inference shape": "tensor-0=4x1x28x28", "Streams": "1", "CUDA Graph": "Disabled"},
            6106.55,
            18323,
            (0.158203, 1.80566, 0.169435, 0.161621, 0.433105),
            (0.152466, 1.80005, 0.16247, 0.154663, 0.427002),
            (12, 0, 0),
            loaded_mib=12,
            built_s=3.05461,
            generated_s=2.13524,
            peak_mib=(24, 438),
            tensors=("tensor-0", "tensor-15"),
            warnings=("tactics-skipped-for-workspace",),
        )
    ],
    "trt8.4-mnist-load-profile-verbose.log": [
        Facts(
            "8.4.1",
            True,
            PASCAL,
            run={"Input inference shape": "tensor-0=4x1x28x28", "Data transfers": "Enabled"},
            throughput=6207.5,
            queries=18625,
            latency=(0.15918, 0.523193, 0.166299, 0.161987, 0.388947),
            compute=(0.153564, 0.516113, 0.159919, 0.15564, 0.382935),
            loaded_mib=12,
            tensors=("tensor-0", "tensor-15"),
            warnings=("build-options-of-a-loaded-engine",),
        )
    ],
    "trt8.4-sparsity-python-verbose.log": [
        Facts(layers=(20, 0, 0), loaded_mib=0, generated_s=4.52573, peak_mib=(0, 4772)),
        Facts(layers=(20, 0, 0), loaded_mib=0, generated_s=1.40928, peak_mib=(0, 4772)),
    ],
    "trt8.5-superbench-profile.log": [
        Facts(
            build={
                "Precision": "FP32+FP16",
                "Memory Pools": "workspace: 8192 MiB, dlaSRAM: default, dlaLocalDRAM: default, dlaGlobalDRAM: default",
                "Input build shape": "input=32x3x224x224+32x3x224x224+32x3x224x224",
            },
            run={"Iterations": "2048", "Input inference shape": "input=32x3x224x224"},
            throughput=1000,
            latency=(1.9, 2.1, 2.0, 2.0, 2.0),
            compute=(1.4, 1.6, 1.5, 1.5, 1.5),
        )
    ],
    "trt8.6-build-verbose.log": [
        Facts(
            "8.6.0",
            True,
            {**AMPERE, "Compute Capability": "8.6"},
            {"Precision": "FP32+FP16", "BuilderOptimizationLevel": "3", "Save engine": "model-FP32.plan"},
            {"Input inference shape": "tensor-0=4x1x28x28", "Inference Streams": "1"},
            layers=(15, 0, 0),
            loaded_mib=6,
            built_s=9.55249,
            generated_s=5.7269,
            peak_mib=(30, 19),
            tensors=("tensor-0", "tensor-15"),
            warnings=("weights-narrowed", "weights-out-of-range"),
        )
    ],
    "trt8.6-load-profile-verbose.log": [
        Facts(
            "8.6.0",
            True,
            AMPERE,
            run={"Input inference shape": "tensor-0=4x1x28x28", "Iterations": "10"},
            throughput=21009.2,
            queries=63030,
            latency=(0.0490112, 0.617065, 0.0533242, 0.0517578, 0.0532227, 0.053772, 0.0630798),
            compute=(0.041748, 0.609253, 0.0451127, 0.0439453, 0.0449219, 0.045105, 0.0521851),
            loaded_mib=6,
            tensors=("tensor-0", "tensor-15"),
            warnings=("build-options-of-a-loaded-engine", "unstable-gpu-time"),
        )
    ],
    "trt10.16-trtexec-01.log": [
        Facts(
            "10.16.0",
            True,
            {**QUADRO, "Compute Capability": "8.9"},
            {"Precision": "FP32", "Profiling verbosity": "0", "BuilderOptimizationLevel": "-1", "Save engine": ""},
            {"CUDA Graph": "Disabled", "Data transfers": "Enabled", "Duration": "3s (+ 200ms warm up)"},
            20181.8,
            60547,
            (0.0341797, 0.327393, 0.0410672, 0.0390625, 0.0461426, 0.0480957, 0.0690918),
            (0.0273438, 0.294891, 0.0313028, 0.0288086, 0.0368652, 0.0388184, 0.0534668),
            engine_mib=12.5709,
            loaded_mib=12,
            built_s=2.89282,
            generated_s=2.55738,
            peak_mib=(0, 13),
            tensors=("x", "y", "z"),
            warnings=("enqueue-bound", "shape-chosen-by-trtexec", "unstable-gpu-time"),
        )
    ],
    "trt10.16-trtexec-02.log": [
        Facts(
            "10.16.0",
            True,
            QUADRO,
            {
                "Precision": "FP32+FP16",
                "BuilderOptimizationLevel": "5",
                "Input build shape (profile 0)": SHAPES,
                "timingCacheFile": "model-trained.TimingCache",
                "Save engine": "model-trained.trt",
            },
            {"Input inference shape": "x=4x1x28x28"},
            layers=(17, 0, 0),
            engine_mib=6.37421,
            loaded_mib=6,
            built_s=15.1233,
            generated_s=14.725425,  # three strategies: 8.98107, 5.52728 and 0.217075
            peak_mib=(6, 37),
            tensors=("x", "y", "z"),
            warnings=(
                "aux-streams-left-out",
                "deprecated-option",
                "tactics-skipped-for-memory",
                "tactics-skipped-for-workspace",
                "timing-cache-not-read",
                "tiny-workspace",
            ),
        )
    ],
    "trt10.16-trtexec-03.log": [
        Facts(
            "10.16.0",
            True,
            QUADRO,
            run={"Input inference shape": "x=4x1x28x28", "CUDA Graph": "Enabled", "Data transfers": "Disabled"},
            throughput=30894.3,
            queries=92685,
            latency=(0.0285645, 0.713623, 0.0310092, 0.0286865, 0.0296936, 0.0297852, 0.0532227),
            compute=(0.0285645, 0.713623, 0.0310092, 0.0286865, 0.0296936, 0.0297852, 0.0532227),
            loaded_mib=6,
            tensors=("x", "y", "z"),
            warnings=("unstable-gpu-time",),
        )
    ],
    "trt10.16-trtexec-04.log": [
        Facts(
            "10.16.0",
            True,
            QUADRO,
            {"Precision": "FP32", "Profiling verbosity": "2"},
            {"Inference Streams": "1"},
            layers=(0, 9, 0),
            engine_mib=12.5709,
            loaded_mib=12,
            built_s=2.84511,
            generated_s=2.50765,
            peak_mib=(0, 13),
            tensors=("x", "y", "z"),
            warnings=("shape-chosen-by-trtexec",),
        )
    ],
    "trt10.16-trtexec-05.log": [
        Facts(
            "10.16.0",
            True,
            QUADRO,
            run={"Iterations": "10", "Separate profiling": "Disabled"},
            layers=(0, 0, 16),
            loaded_mib=6,
            tensors=("x", "y", "z"),
            warnings=("auxiliary-streams", "no-end-to-end-timing", "profile-from-console", "shape-chosen-by-trtexec"),
        )
    ],
    "trt10.16-trtexec-08.log": [
        Facts(
            "10.16.0",
            True,
            QUADRO,
            {"Precision": "FP32"},
            {"Iterations": "10"},
            46419.7,
            139261,
            (0.00769043, 0.295166, 0.0125324, 0.0114746, 0.0151367, 0.0168457, 0.0224609),
            (0.00292969, 0.282593, 0.00578569, 0.00512695, 0.00738525, 0.00927734, 0.0122681),
            engine_mib=0.00301743,
            loaded_mib=0,
            built_s=0.28788,
            generated_s=0.000819942,
            peak_mib=(0, 0),
            tensors=("inputT0", "CustomOpModel-V-0-AddScalar-0"),
            warnings=("deprecated-option", "shape-chosen-by-trtexec", "unstable-gpu-time"),
        )
    ],
    "trt10.16-engine-inspector-python.log": [Facts(layers=(0, 28, 0), tensors=("x", "y", "z"))],
    "trtrtx-verbose.log": [
        Facts(
            layers=(1, 0, 0),
            loaded_mib=0,
            generated_s=0.0373652,
            peak_mib=(0, 0),
            warnings=("default-stream", "warning-in-log"),
        )
    ],
    "trtrtx1.7.1-bert-base-fp16-sm89-cpu-build-verbose.log": [
        Facts(
            layers=(0, 124, 0),
            loaded_mib=215,
            generated_s=9.71004,
            peak_mib=(208, 0),
            tensors=("input_ids", "attention_mask", "token_type_ids", "last_hidden_state", "pooler_output"),
        )
    ],
    "trtrtx1.7.1-resnet18-fp32-cpu-build-verbose.log": [
        Facts(
            layers=(0, 24, 0),
            loaded_mib=44,
            generated_s=0.438396,
            peak_mib=(44, 0),
            tensors=("input.1", "191"),
        )
    ],
    "trt8.2-trtexec-help.txt": [Facts("8.2.1", warnings=("help-text",))],
    "trt8.5-trtexec-help.txt": [Facts("8.5.0", warnings=("help-text",))],
}


def subset(entries: Mapping[str, str], of: Mapping[str, str]) -> dict[str, str]:
    """The entries of ``found`` with the keys in ``of``; all entries if ``of`` is empty."""
    return {key: entries[key] for key in of if key in entries} if of else dict(entries)


def statistics(run: LogRun, name: str) -> tuple[float | None, ...]:
    summary = run.metadata.latency.get(name)
    if summary is None:
        return ()
    plain = (summary.minimum_ms, summary.maximum_ms, summary.mean_ms, summary.median_ms)
    return (*plain, *summary.percentiles.values())


def facts_of(run: LogRun, expected: Facts) -> Facts:
    milestones, data = run.metadata.milestones, run.metadata
    queries = milestones.get("queries")
    generated = milestones.get("engine_generation_s")
    peak = (milestones["peak_cpu_mib"], milestones["peak_gpu_mib"]) if "peak_gpu_mib" in milestones else None
    return Facts(
        run.metadata.tensorrt_version,
        run.passed,
        subset(data.device, expected.device),
        subset(data.build_options, expected.build),
        subset(data.inference_options, expected.run),
        data.performance.get("Throughput"),
        None if queries is None else int(queries),
        statistics(run, "Latency"),
        statistics(run, "GPU Compute Time"),
        (len(run.layer_rows or ()), len(run.raw_layers or ()), len(run.layer_times.records if run.layer_times else ())),
        milestones.get("engine_size_mib"),
        milestones.get("loaded_engine_mib"),
        milestones.get("engine_built_s"),
        None if generated is None else round(generated, 9),
        peak,
        tuple(item if isinstance(item, str) else item["Name"] for item in run.bindings) if expected.tensors else (),
        tuple(sorted(note.code for note in run.all_notes)),
    )


@pytest.mark.parametrize("file", READ)
def test_the_reader_finds_the_facts(file: str, shared_logs: Path) -> None:
    path = shared_logs / file
    with path.open("rb") as log:
        runs = read_log(log, file).runs
    assert len(runs) == len(READ[file])
    for run, expected in zip(runs, READ[file], strict=True):
        assert facts_of(run, expected) == expected


def test_any_real_log_is_read(shared_logs: Path) -> None:
    """Every real log, also one that is not in the table."""
    for path in sorted(shared_logs.glob("*.log")):
        with path.open("rb") as log:
            runs = read_log(log, path.name).runs
        assert runs, path.name
        for run in runs:
            assert run.metadata != Metadata() or run.raw_layers or run.layer_rows, path.name


@pytest.mark.parametrize(
    ("file", "code", "words"),
    [
        ("trt10.16-trtexec-01.log", "unstable-gpu-time", "coefficient of variance = 28.085%"),
        ("trt10.16-trtexec-02.log", "tactics-skipped-for-workspace", "12 tactics were skipped"),
        ("trt8.4-mnist-fp16-build-verbose.log", "tactics-skipped-for-workspace", "2 tactics were skipped"),
        ("trt8.6-build-verbose.log", "weights-out-of-range", "subnormal FP16"),
        ("trt8.6-build-verbose.log", "weights-narrowed", "INT64"),
        ("trt10.16-trtexec-05.log", "auxiliary-streams", "2 auxiliary streams"),
        ("trt10.16-trtexec-05.log", "shape-chosen-by-trtexec", "1x1x28x28"),
        ("trt10.16-trtexec-08.log", "deprecated-option", "--staticPlugins"),
    ],
)
def test_the_doctor_shows_the_warnings(file: str, code: str, words: str, shared_logs: Path) -> None:
    (files,) = find_plans(shared_logs / file)
    notes = [note for note in completeness_of(files).notes if note.code == code]
    assert len(notes) == 1
    assert words in notes[0].message
    assert notes[0].hint
    assert notes[0].where.startswith(f"{shared_logs / file}:")


@pytest.mark.parametrize("name", READ)
def test_a_log_without_clocks_is_the_same_run(shared_logs: Path, name: str) -> None:
    """As a program forwards it that adds clocks of its own."""
    data = (shared_logs / name).read_bytes()
    bare = re.sub(rb"(?m)^\[\d\d/\d\d/\d{4}-\d\d:\d\d:\d\d\] ", b"", data)
    assert read_log(bare, name).runs == tuple(replace(run, day=None) for run in read_log(data, name).runs)


@pytest.mark.parametrize("name", READ)
def test_a_log_whose_lines_are_doubled_is_the_same_run(shared_logs: Path, name: str) -> None:
    """As two handlers of a Python logger write it."""

    def facts(data: bytes) -> list[object]:
        runs = read_log(data, name).runs
        # Notes and the first line have other line numbers.
        return [
            (replace(run.metadata, notes=()), run.passed, run.raw_layers, run.layer_rows, run.bindings, run.io_tensors)
            for run in runs
        ]

    data = (shared_logs / name).read_bytes()
    doubled = b"".join(2 * line for line in data.splitlines(keepends=True))
    assert facts(doubled) == facts(data)
    if data.count(b"[TRT]") > 50:
        assert [note.code for note in read_log(doubled, name).notes][:1] == ["doubled-lines"]
    assert "doubled-lines" not in [note.code for note in read_log(data, name).notes]
