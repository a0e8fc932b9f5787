"""What is read and said of engines that TensorRT for RTX builds here, against the models they were built from."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.real_builds import REAL_BUILDS, RULE_BUILDS
from tests.synthetic import Case
from trex.core.layer import Role
from trex.core.provenance import Provenance
from trex.engine_plan import load
from trex.perf.performance import Performance
from trex.perf.work.plan_works import own_works_of
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.lint import lint
from trex.rules.qdq_report import FUSED, KERNEL, qdq_report

pytestmark = pytest.mark.slow

CNN, TRANSFORMER, UNET, CONDITION, DYNAMIC = REAL_BUILDS
# By hand. Convolutions: output values · input channels · 9 (of the 1×1: 1); the CNN's first has 4 with padding.
MACS = {
    CNN.name: 2
    * (32 * 32**2 * 4 * 9 + 2 * 32 * 16**2 * 32 * 9 + 64 * 8**2 * 32 * 9 + 64 * 8**2 * 64 * 9 + 64 * 8**2 * 32 + 640),
    # Q, K, V and the output, up and down, scores and context of 2 heads.
    TRANSFORMER.name: 64 * (4 * 128 * 128 + 2 * 128 * 256) + 2 * (2 * 2 * 32 * 32 * 64),
    UNET.name: 2 * 9 * (32 * 32**2 * 4 + 64 * 16**2 * 32 + 4 * 32**2 * 96),
}
OPTIONS_OF_OTHERS = re.compile(
    r"trtexec|--(fp16|int8|inputIOFormats|tacticSources|precisionConstraints|maxAuxStreams|builderOptimizationLevel)"
)


def of_each(*cases: Case) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases, ids=lambda case: case.name)


@of_each(*REAL_BUILDS)
def test_all_of_it_is_understood(case: Case, tmp_path: Path) -> None:
    plan = load(case.write(tmp_path))
    is_dynamic = case is DYNAMIC
    assert {note.code for note in plan.notes} == ({"dynamic-dimensions"} if is_dynamic else set())
    assert plan.provenance is Provenance.BUILT_ON_CPU and plan.is_for_rtx
    assert all(layer.precision != "Unknown" for layer in plan.working_layers if layer.role is Role.KERNEL)
    assert plan.unknown_sizes["weights"] == 0 and (is_dynamic or plan.unknown_sizes["activations"] == 0)
    assert plan.total_weights_size == pytest.approx(plan.build_metadata.memory["weights_bytes"], abs=1024)


@of_each(*REAL_BUILDS, *(case for case in RULE_BUILDS.values() if case not in REAL_BUILDS))
def test_lint_names_no_option_of_another_builder(case: Case, tmp_path: Path) -> None:
    result = lint(Performance(load(case.write(tmp_path))))
    hints = [(answer.code, answer.hint) for answer in result.unchecked]
    fixes = [(finding.code, text) for finding in result.findings for text in finding.fix]
    assert not [text for text in (*hints, *fixes) if OPTIONS_OF_OTHERS.search(text[1]) and text[0] != "LAUN004"]


@of_each(CNN, TRANSFORMER, UNET)
def test_the_macs_are_those_of_the_model(case: Case, tmp_path: Path) -> None:
    works = own_works_of(load(case.write(tmp_path)))
    assert [work.reason for work in works if work.macs is None] == []
    assert sum(work.macs or 0 for work in works) == MACS[case.name]


def test_what_the_builder_does_to_every_int8_convolution_is_no_finding(tmp_path: Path) -> None:
    plan = load(CNN.write(tmp_path))
    report = qdq_report(AnalyzedEngine(Performance(plan)))
    assert {operation.status for operation in report.operations} == {FUSED, KERNEL}
    assert len(report.junctions) == 2
    messages = {finding.code: finding.message for finding in lint(Performance(plan)).findings}
    assert messages["QDQ001"] == "1 quantized layer writes FP32 for a pooling that runs in floats: /MaxPool_6"
    assert "QDQ002" not in messages and "/QuantizeLinear_36" in messages["QDQ004"]


def test_streams_are_those_of_the_signals(tmp_path: Path) -> None:
    plan = load(CNN.write(tmp_path))
    assert any(layer.role is Role.SYNC for layer in plan.engine.layers)
    assert {layer.stream for layer in plan.working_layers} == {0, 1}


def test_attention_is_one_kernel(tmp_path: Path) -> None:
    kinds = [work.kind for work in own_works_of(load(TRANSFORMER.write(tmp_path)))]
    assert kinds.count("attention") == 1


def test_jumps_are_no_kernels(tmp_path: Path) -> None:
    plan = load(CONDITION.write(tmp_path))
    assert [layer.role for layer in plan.engine.layers if layer.type in ("jmp", "cjmp")] == [Role.SHAPE] * 3
    assert all(layer.type in ("gemm", "kgen", "copy") for layer in plan.working_layers)
    assert "LAUN003" not in {finding.code for finding in lint(Performance(plan)).findings}


def test_logs_of_builds_elsewhere_leave_no_note(shared_logs: Path) -> None:
    logs = sorted(shared_logs.glob("trtrtx1.7.1-*-verbose.log"))
    assert logs
    for path in logs:
        plan = load(path)
        assert plan.notes == () and plan.is_for_rtx and len(plan.binding_tensors()[0]) in (1, 3)
        assert all(work.macs is not None for work in own_works_of(plan))
        assert plan.total_weights_size == pytest.approx(plan.build_metadata.memory["weights_bytes"], abs=1024)
        assert not [answer for answer in lint(Performance(plan)).unchecked if "trtexec" in answer.hint]
