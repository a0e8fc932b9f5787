"""Every state has an engine that is in it and one that just is not; the diagnosis of any engine holds its promises."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from tests.engines import READABLE
from tests.perf.round_device import round_device
from tests.raw_records import chain
from tests.rules.cases import SINGLE, analyzed, conv, copy, half, int8, monitored, plan_of, single, work
from tests.simulated_examples import load_simulated
from tests.synthetic import Case
from trex.core.configuration import LintSettings
from trex.core.metadata import Metadata
from trex.core.note import Note
from trex.core.tensor import Tensor
from trex.engine_plan import load
from trex.perf.achievable import Bound
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.plan.loading import load_plan
from trex.plan.time_notes import SHARES_CONTRADICT
from trex.plan.unknown_work import UnknownWork, unknown_work_record
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.diagnosis_facts import DISTURBED, FIX_PCT, DiagnosisFacts
from trex.rules.lint import lint
from trex.rules.lint_result import Diagnosis, RankedFinding
from trex.rules.similar import fold_similar
from trex.rules.state import STATES
from trex.views.lint import lint_document
from trex.views.summary import summary_document

WIDE = (1, 256, 56, 56)


def diagnosis(engine: AnalyzedEngine | EnginePlan) -> Diagnosis:
    performance = Performance(engine) if isinstance(engine, EnginePlan) else engine.performance
    result = lint(performance)
    assert result.failed == () and result.diagnosis is not None
    return result.diagnosis


# ---- One engine in each state, and one that just is not


def halves(count: int = 14, ms: float = 0.1, name: str = "Round") -> AnalyzedEngine:
    """FP16 convolutions that take as long as they must."""
    layers = [conv(f"Conv_{i}", [half(f"x{i}", WIDE)], half(f"x{i + 1}", WIDE)) for i in range(count)]
    return analyzed(*layers, ms=[ms] * count, inputs=["x0"], outputs=[f"x{count}"])


def run(compute: float, enqueue: float = 0.01, h2d: float = 0.0, trace: Sequence[float] | None = None) -> EnginePlan:
    """Twenty convolutions of 1 ms and the run that they were measured in."""
    names = [f"Conv_{index}" for index in range(20)]
    records = [
        {
            "Name": name,
            "LayerType": "Convolution",
            "Inputs": [{"Name": f"x{index}", "Dimensions": list(WIDE), "Format/Datatype": "Half"}],
            "Outputs": [{"Name": f"x{index + 1}", "Dimensions": list(WIDE), "Format/Datatype": "Half"}],
        }
        for index, name in enumerate(names)
    ]
    times = [compute] * 200 if trace is None else trace
    count = len(times)
    columns = {
        "computeMs": times,
        "enqueueMs": [enqueue] * count,
        "h2dMs": [h2d] * count,
        "d2hMs": [h2d] * count,
        "latencyMs": [time + 2 * h2d for time in times],
    }
    return plan_of(records, dict.fromkeys(names, compute / 20), trace=columns, run={"Data transfers": "Enabled"})


def contradicted(compute: float) -> EnginePlan:
    """Twenty convolutions of 0.1 ms and per-query times that are unsteady, too."""
    plan = run(2.0, trace=[compute, 3.0 * compute] * 100)
    return EnginePlan(plan.engine, run(2.0).layer_times, plan.query_times, plan.metadata)


def unshaped(shape: str) -> EnginePlan:
    """A build whose log says which shape was chosen, as none was given."""
    words = "Dynamic dimensions required for input: x, but no shapes were provided. Automatically overriding shape to: "
    plan = run(2.0)
    note = Note("shape-chosen-by-trtexec", words + shape)
    return EnginePlan(plan.engine, plan.layer_times, plan.query_times, plan.metadata, notes=(note,))


def mixed(float_ms: float) -> AnalyzedEngine:
    """An INT8 network whose pooling in the middle runs in floats."""
    return analyzed(
        conv("Conv_1", [int8("x", WIDE)], single("a", WIDE)),
        work("MaxPool_1", "Pooling", [single("a", WIDE)], single("b", WIDE)),
        copy("Quantize_1", single("b", WIDE), int8("c", WIDE), "QDQ"),
        *(conv(f"Conv_{i}", [int8("c" if i == 2 else f"d{i}", WIDE)], int8(f"d{i + 1}", WIDE)) for i in range(2, 16)),
        conv("Conv_16", [int8("d16", WIDE)], int8("y", WIDE)),
        ms=[float_ms, float_ms, float_ms, *[0.5] * 14, 0.5],
    )


def floats(ms: float, **options: str) -> AnalyzedEngine:
    layers = [conv(f"Conv_{i}", [single(f"x{i}", WIDE)], single(f"x{i + 1}", WIDE), tactic=SINGLE) for i in range(14)]
    return analyzed(*layers, ms=[ms] * 14, inputs=["x0"], outputs=["x14"], **options)


def detour(ms: float) -> AnalyzedEngine:
    """An FP16 network whose plugin forces another layout."""
    layers = [conv(f"Conv_{i}", [last(f"x{i}")], last(f"x{i + 1}")) for i in range(14)]
    around = (
        copy("R1", last("x14"), half("b", WIDE, "NCHW")),
        work("Norm_2", "PluginV2", [half("b", WIDE, "NCHW")], half("c", WIDE, "NCHW")),
        copy("R2", half("c", WIDE, "NCHW"), last("d")),
        conv("Conv_15", [last("d")], last("y")),
    )
    return analyzed(*layers, *around, ms=[1.0] * 14 + [ms, 0.01, ms, 1.0], inputs=["x0"])


def last(name: str) -> Tensor:
    return half(name, WIDE, "NHWC8")


def regions(ms: float | None, kind: str = "Myelin") -> AnalyzedEngine:
    layers = [conv(f"Conv_{i}", [half(f"x{i}", WIDE)], half(f"x{i + 1}", WIDE)) for i in range(14)]
    region = work("{ForeignNode[A...B]}", kind, [half("x14", WIDE)], half("y", WIDE))
    return analyzed(*layers, region, ms=[0.1] * 14 + [ms], inputs=["x0"])


def bounded(size: Sequence[int], ms: float, **changes: float) -> AnalyzedEngine:
    """Poolings on a device whose figures are known."""
    layers = [work(f"MaxPool_{i}", "Pooling", [half(f"x{i}", size)], half(f"x{i + 1}", size)) for i in range(14)]
    return analyzed(*layers, ms=[ms] * 14, device=round_device(**changes), inputs=["x0"], outputs=["x14"])


def part(reformat_ms: float) -> AnalyzedEngine:
    return analyzed(
        copy("to", single("x", WIDE), half("a", WIDE)),
        conv("Conv_1", [half("a", WIDE)], half("b", WIDE)),
        copy("back", half("b", WIDE), single("y", WIDE)),
        ms=[reformat_ms, 1.0, reformat_ms],
    )


def names_only(is_detailed: bool) -> EnginePlan:
    records = [{"Name": f"Conv_{index}"} for index in range(20)]
    if is_detailed:
        return run(2.0)
    return plan_of(records, {f"Conv_{index}": 0.1 for index in range(20)})


def streaming(budget: str) -> EnginePlan:
    """FP16 convolutions of stored weights, of which so much stays on the GPU."""
    plan = halves().plan
    return EnginePlan(
        plan.engine, plan.layer_times, metadata=Metadata(inference_options={"Weight Streaming Budget": budget})
    )


def guessed(share: float) -> EnginePlan:
    """A prediction with this share of its time in layers of unknown work."""
    section = {"unknown_work": unknown_work_record(UnknownWork(3, share))}
    metadata = Metadata(simulated=True, extra={"simulated": section})
    return EnginePlan(halves().plan.engine, halves().plan.layer_times, metadata=metadata)


Make = Callable[[], "AnalyzedEngine | EnginePlan"]

CASES: dict[str, tuple[Make, Make]] = {
    "contradictory-times": (lambda: contradicted(0.002), lambda: contradicted(1.5)),
    "several-runs": (
        lambda: run(2.0, trace=[1.0] * 300 + [2.0] * 300),
        lambda: run(2.0, trace=[1.9] * 300 + [2.0] * 300),
    ),
    "shapes-not-given": (lambda: unshaped("1x3x1x1"), lambda: unshaped("1x3x28x28")),
    "unmeasured": (lambda: analyzed(conv("Conv_1", [half("x", WIDE)], half("y", WIDE))), halves),
    "transfer-bound": (lambda: run(2.0, h2d=1.5), lambda: run(2.0, h2d=0.5)),
    "enqueue-bound": (lambda: run(2.0, enqueue=2.5), lambda: run(2.0, enqueue=1.5)),
    "unknown-work": (lambda: guessed(0.2), lambda: guessed(0.19)),
    "benchmark-of-a-part": (lambda: part(0.2), lambda: part(0.01)),
    "toy": (lambda: halves(3, 0.01), lambda: halves(3, 0.1)),
    "streaming-weights": (lambda: streaming("10%"), lambda: streaming("100%")),
    "wrong-build-flags": (lambda: floats(1.0, Precision="FP32"), lambda: floats(1.0, Precision="FP32+FP16")),
    "other-precision": (lambda: floats(1.0, Precision="FP32+FP16"), lambda: floats(1.0, Precision="FP32")),
    "floats-between-blocks": (lambda: mixed(1.5), lambda: mixed(0.001)),
    "opaque": (lambda: regions(2.0), lambda: regions(0.05)),
    "converting": (lambda: load("example:resnet18-int8-residual"), lambda: load("example:resnet18-int8")),
    "launch-bound": (lambda: bounded((1, 8, 8, 8), 0.009), lambda: bounded((8, 256, 112, 112), 0.21)),
    "holes": (lambda: detour(2.0), lambda: detour(0.01)),
    "memory-bound": (lambda: bounded((8, 256, 112, 112), 0.21), lambda: bounded((1, 8, 8, 8), 0.009)),
    "healthy": (halves, lambda: floats(1.0, Precision="FP32")),
}


def test_every_state_has_its_cases() -> None:
    assert STATES.broken == ()
    assert set(CASES) == set(STATES.names)


@pytest.mark.parametrize("name", CASES)
def test_an_engine_in_this_state(name: str) -> None:
    assert diagnosis(CASES[name][0]()).state == name


@pytest.mark.parametrize("name", CASES)
def test_an_engine_that_just_is_not(name: str) -> None:
    assert diagnosis(CASES[name][1]()).state != name


@pytest.mark.parametrize("kind", ["DLA", "Loop"])
def test_an_engine_of_the_dla_or_of_loops_is_not_called_healthy(kind: str) -> None:
    result = diagnosis(regions(20.0, kind))
    assert result.state == "opaque" and "1 region without listed kernels takes 93 % of the time" in result.text
    assert ("without --useDLACore" in result.text) is (kind == "DLA")


def test_a_profile_mostly_of_other_layers_is_not_called_healthy() -> None:
    """As of a loop: TensorRT lists its body once, and the profile has a record of each pass."""
    plan = plan_of(chain("body", "end"), {"body": 1.0, "end": 0.5, "test": 4.5})
    result = diagnosis(plan)
    assert result.state == "opaque" and "75 % of the profile's time is of no listed layer" in result.text


def test_layers_without_a_time_are_not_called_healthy() -> None:
    untimed = diagnosis(regions(None))
    assert untimed.state == "opaque" and "1 region without listed kernels and without a time" in untimed.text
    layers = [conv(f"Conv_{i}", [half(f"x{i}", WIDE)], half(f"x{i + 1}", WIDE)) for i in range(14)]
    partial = diagnosis(analyzed(*layers, ms=[1.0] * 12 + [None] * 2, inputs=["x0"], outputs=["x14"]))
    assert partial.text.startswith("2 of 14 layers have no time: shares are of the others. ")


def test_short_kernels_that_move_much_are_not_launch_bound() -> None:
    """As on a GPU whose L2 holds 12 MB: they are short because the L2 is fast, and larger batches would not help."""
    fast = {"l2_gb_per_s": 100_000.0, "l2_mib": 1024.0}
    large, small = (bounded(size, 0.009, **fast) for size in ((8, 32, 56, 56), (1, 8, 8, 8)))
    assert large.performance.roofline.bounds[1:] == small.performance.roofline.bounds[1:] == [Bound.LAUNCH] * 13
    assert DiagnosisFacts(large, ()).launch_share == 0.0
    assert DiagnosisFacts(small, ()).launch_share == pytest.approx(100.0)


def test_the_fix_is_said_without_its_conditions() -> None:
    facts = DiagnosisFacts(halves(), ())
    for fix, words in {
        "put Q/DQ before X, so that no data leave INT8": "put Q/DQ before X",
        "build with --inputIOFormats=fp16:hwc8 (TensorRT 11: hwc8), one entry": "build with --inputIOFormats=fp16:hwc8",
        "let the pooling pad; before others, not": "let the pooling pad",
        "pad in the graph": "pad in the graph",
    }.items():
        assert facts.fix_of(cast(RankedFinding, SimpleNamespace(fix=(fix,)))) == words
    assert facts.fix_of(cast(RankedFinding, SimpleNamespace(fix=()))) == ""


# ---- What holds of any engine


def check(plan: EnginePlan) -> None:
    result = lint(Performance(plan))
    if not plan.working_layers and not Performance(plan).reconciliation.measures.compute.ms:
        assert result.diagnosis is None
        return
    assert result.diagnosis is not None
    text = result.diagnosis.text
    assert text.endswith(".") and "\n" not in text and "  " not in text and len(text) < 600, text
    assert not re.search(r"\b(nan|None|inf|Unknown)\b", text), text
    large = [
        finding
        for finding in fold_similar(result.findings)
        if result.total_ms and 100.0 * (finding.likely_savings_ms or 0.0) / result.total_ms >= FIX_PCT
    ]
    if "no fix of a layer" in text.lower():
        assert not large, text
    short = result.diagnosis.without_fix
    assert short and text == " ".join(filter(None, (short, result.diagnosis.first)))
    for words, document in ((text, summary_document(plan, lint=result)), (short, lint_document(result))):
        assert words in [line for section in document.sections for line in section.statements]


@pytest.mark.parametrize("case", READABLE, ids=lambda case: case.name)
def test_every_generated_engine(case: Case, tmp_path: Path) -> None:
    check(load_plan(EnginePlan, case.write(tmp_path)))


@pytest.mark.parametrize("name", ["resnet18-fp16", "resnet18-int8", "resnet18-int8-residual", "transformer-fp16"])
def test_every_simulated_engine(name: str) -> None:
    check(load_simulated(name))


def test_every_real_engine(shared_engines: Path) -> None:
    for path in sorted(shared_engines.iterdir()):
        if path.is_dir():
            check(load_plan(EnginePlan, path))


REAL = {
    "trt10.1-resnet18-torchtrt": "unmeasured",
    "trt10.4-alexnet-fp16-rtx3060": "memory-bound",
    "trt10.4-mobilenetv2-fp16-rtx3060": "launch-bound",
    "trt8.2-resnet50-rtx3090-fp16": "healthy",
    "trt8.2-resnet50-rtx3090-fp32": "wrong-build-flags",
    "trt8.4-resnet18-a100-fp32": "wrong-build-flags",
    "trt8.4-resnet18-a100-qat": "floats-between-blocks",
    "trt8.4-mobilenetv2-qat": "floats-between-blocks",
    "trt8.5-yolo-int8-names-only": "wrong-build-flags",
    "trt8.6-controlnet-a10": "wrong-build-flags",
    "trt8.6-controlnet-slow-run": "opaque",
}


def test_the_states_of_real_engines(shared_engines: Path) -> None:
    """As an engineer judged them by hand."""
    states = {name: diagnosis(load_plan(EnginePlan, shared_engines / name)).state for name in REAL}
    assert states == REAL


def test_a_run_in_a_cuda_graph_is_not_advised_to_use_one(shared_engines: Path) -> None:
    text = diagnosis(load_plan(EnginePlan, shared_engines / "trt10.4-mobilenetv2-fp16-rtx3060")).text
    assert "larger batches" in text and "CUDA graph" not in text


def test_a_disturbed_run_is_named(shared_engines: Path) -> None:
    slow = diagnosis(load_plan(EnginePlan, shared_engines / "trt8.6-controlnet-slow-run"))
    assert slow.text.startswith("The run was disturbed (layers take 1.18× their medians on average)")
    assert DISTURBED < 1.18


# ---- Doubts


def test_that_no_time_can_be_trusted_comes_first() -> None:
    text = diagnosis(contradicted(0.002)).text
    assert text.startswith("These times cannot be trusted: the layers add up to 2 ms, GPU compute by")
    assert text.endswith("Export all files again from one run of trtexec, which writes milliseconds.")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("truncated", "Layers or their times are missing (truncated): what follows is of the others. "),
        (SHARES_CONTRADICT, f"The layer times can't be trusted ({SHARES_CONTRADICT}). "),
    ],
)
def test_an_engine_of_which_a_part_is_lost_or_wrong_is_not_healthy(code: str, words: str) -> None:
    plan = halves().plan
    sound = diagnosis(plan)
    assert sound.is_healthy
    problem = Note(code, "x", severity="problem")
    doubted = diagnosis(EnginePlan(plan.engine, plan.layer_times, build_metadata=plan.build_metadata, notes=(problem,)))
    assert (doubted.text, doubted.is_healthy) == (words + sound.text, False)


def test_a_slowed_gpu_is_named() -> None:
    plan = run(2.0)
    telemetry = monitored([1000.0] * 20, [("hardware-thermal-slowdown",)] * 20)
    text = diagnosis(EnginePlan(plan.engine, plan.layer_times, plan.query_times, plan.metadata, telemetry=telemetry))
    assert text.text.startswith("The GPU was slowed during the run")


def test_a_tail_is_named_where_the_median_is_certain() -> None:
    text = diagnosis(run(2.0, trace=([2.0] * 24 + [5.0]) * 20)).text
    assert text.startswith("The median is certain, the tail is not (p99 2.5× the median).")


def test_without_some_rules_there_is_no_diagnosis() -> None:
    """The absence of a finding means nothing where its rule did not run."""
    assert lint(halves().performance, LintSettings(ignore=("CONV001",))).diagnosis is None


def test_small_batches_on_large_gpus_are_named() -> None:
    kernel = "sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x32_stage4_tensor16x8x16"
    small = (1, 512, 28, 28)
    layers = [conv(f"Conv_{i}", [half(f"x{i}", small)], half(f"x{i + 1}", small), tactic=kernel) for i in range(14)]
    times = {"ms": [0.05] * 14, "inputs": ["x0"], "outputs": ["x14"]}
    words = "at batch 1 most GEMMs fill less than one wave of"
    assert f"{words} 108 SMs" in diagnosis(analyzed(*layers, device=round_device(sm_count=108), **times)).text
    assert words not in diagnosis(analyzed(*layers, device=round_device(sm_count=20), **times)).text
