"""For every rule a real engine in which it finds something; rules without one are experimental.

A case is a shared engine or log, an engine that TensorRT for RTX builds here, or a log rebuilt from a public one.
Engines that trex generates or simulates are none.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.plan.one_run import scaled
from tests.real_builds import RULE_BUILDS
from trex.core.configuration import LintSettings
from trex.engine_plan import load
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.rules.lint import lint
from trex.rules.rule import RULES

QAT, MOBILENET = "trt8.4-resnet18-a100-qat", "trt8.4-mobilenetv2-qat"
CONTROLNET, YOLO = "trt8.6-controlnet-a10", "trt8.5-yolo-int8-names-only"
IN_ENGINES = {
    "CONV001": (MOBILENET, "trt8.4-resnet18-a100-fp32", "trt8.2-resnet50-rtx3090-fp32", CONTROLNET),
    "FUSE001": (YOLO, CONTROLNET),
    "FUSE002": (YOLO,),
    "LAUN004": (MOBILENET,),
    "MEAS001": ("trt8.4-resnet18-a100-fp32", "trt10.4-mobilenetv2-fp16-rtx3060"),
    "MOVE001": (CONTROLNET, YOLO, "trt8.6-controlnet-slow-run"),
    "OPAQ001": (CONTROLNET, "trt8.6-controlnet-slow-run"),
    "PLUG001": (CONTROLNET, "trt8.6-controlnet-slow-run"),
    "PREC001": (YOLO,),
    "PREC002": (QAT, "trt10.1-alexnet-onnx"),
    "PREC004": ("trt8.4-resnet18-a100-fp32", "trt8.2-resnet50-rtx3090-fp32", CONTROLNET),
    "QDQ001": (QAT, MOBILENET, "trt8.2-resnet50-rtx3090-qat", YOLO),
    "QDQ002": (QAT, MOBILENET, YOLO),
    "QDQ006": (MOBILENET, "trt8.4-mobilenetv2-qat-residuals"),
    "QDQ008": (QAT, MOBILENET, YOLO),
    "QDQ009": (QAT, MOBILENET, YOLO),
    "REF001": (CONTROLNET, "trt8.6-controlnet-slow-run"),
    "REF003": (QAT, "trt8.4-resnet18-a100-fp16"),
    "REF005": (QAT, MOBILENET, CONTROLNET, YOLO),
    "ROOF001": ("trt8.4-resnet18-a100-qat-residual",),
    "SHAPE003": (YOLO,),
    "SHAPE004": (YOLO,),
}
"""Rule → the shared engines, at least one of which has it. (A rule that improves may find less.)"""
IN_LOGS = {
    "BUILD001": "trt8.4-mnist-fp16-build-verbose.log",
    "BUILD002": "trt10.16-trtexec-02.log",
    "BUILD006": "trt7.2-superbench.log",
    "INFO001": "trt10.16-trtexec-05.log",
    "LAUN001": "trt10.16-trtexec-01.log",
    "LAUN002": "trt10.16-trtexec-08.log",
    "MEAS003": "trt8.4-mnist-load-profile-verbose.log",
    "SPARSE001": "trt8.4-sparsity-python-verbose.log",
}
IN_BUILDS = {
    "ATTN001": "rtx-single-attention",
    "CONST001": "rtx-fake-quantized-weights",
    "CONV003": "rtx-one-channel-too-many",
    "FUSE002": "rtx-fake-quantized-weights",
    "MEM001": "rtx-large-batches",
    "NORM001": "rtx-written-out-normalization",
    "QDQ004": "rtx-cnn-with-qdq",
    "QDQ007": "rtx-fp8-convolutions",
}
# Messages as in NVIDIA-AI-IOT/jetson_dla_tutorial issue 3 and NVIDIA/TensorRT issue 2318, with other names.
PUBLIC_LOGS = {
    "BUILD005": """\
&&&& RUNNING TensorRT.trtexec [TensorRT v8502] # trtexec --onnx=net.onnx --fp16 --useDLACore=0 --allowGPUFallback
[05/14/2024-10:00:01] [W] [TRT] Layer 'slice' (SLICE): Unsupported on DLA. Switching this layer's device type to GPU.
[05/14/2024-10:00:01] [W] [TRT] Default DLA is enabled but layer Gather_2 is not supported on DLA, falling back to GPU.
""",
}  # fmt: skip


IN_SCALED = {"MEAS004": "trt8.4-resnet18-a100-qat"}
"""Rule → the engine that has it once its layer profile is in µs: no real export contradicts itself."""


def found_in(paths: Iterable[Path], alone: str = "") -> set[str]:
    """Codes of the findings. alone: the only rule to run; among all, its findings may yield to more specific ones."""
    settings = LintSettings(select=(alone,)) if alone else None
    return {finding.code for path in paths for finding in lint(Performance(load(path)), settings).findings}


def test_every_rule_has_a_case_or_is_experimental() -> None:
    cases = {*IN_ENGINES, *IN_LOGS, *IN_BUILDS, *PUBLIC_LOGS, *IN_SCALED}
    rules = [plug.value for plug in RULES.values()]
    assert cases == {rule.code for rule in rules if not rule.is_experimental}
    assert {rule.code for rule in rules if rule.is_experimental} == {"LAUN003", "MEAS002", "SHAPE001"}


@pytest.mark.parametrize("code", IN_ENGINES)
def test_in_shared_engines(shared_engines: Path, code: str) -> None:
    assert code in found_in((shared_engines / name for name in IN_ENGINES[code]), code)


def test_in_shared_logs(shared_logs: Path) -> None:
    assert {code for code, name in IN_LOGS.items() if code not in found_in([shared_logs / name])} == set()


@pytest.mark.slow
@pytest.mark.parametrize("name", RULE_BUILDS)
def test_in_engines_built_here(name: str, tmp_path: Path) -> None:
    case = RULE_BUILDS[name]
    found = found_in([case.write(tmp_path)])  # skipped without TensorRT for RTX
    assert {code for code, build in IN_BUILDS.items() if build == name} <= found


@pytest.mark.parametrize("code", PUBLIC_LOGS)
def test_in_logs_rebuilt_from_public_ones(code: str, tmp_path: Path) -> None:
    (tmp_path / "build.log").write_text(PUBLIC_LOGS[code], "utf-8")
    assert code in found_in([tmp_path / "build.log"])


@pytest.mark.parametrize("code", IN_SCALED)
def test_a_scaled_profile_has_it(code: str, shared_engines: Path) -> None:
    plan = load(shared_engines / IN_SCALED[code])
    assert plan.layer_times is not None
    slow = EnginePlan(plan.engine, scaled(plan.layer_times, 1000.0), plan.query_times, plan.metadata)
    assert code in {finding.code for finding in lint(Performance(slow)).findings}
    assert code not in {finding.code for finding in lint(Performance(plan)).findings}
