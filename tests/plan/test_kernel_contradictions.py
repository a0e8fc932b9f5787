"""Kernels that the build did not allow, or that the run's GPU cannot load."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from tests.fuzz.monsters import document, layer, tensor
from trex.core.note import Note
from trex.engine_plan import load
from trex.ingest.differing_facts import OTHER_FACT
from trex.perf.performance import Performance


def plan(tmp_path: Path, kinds: list[str], tactic: str = "", **facts: object) -> Performance:
    """Layers of these data types with one kernel, a build and a run with these facts."""
    layers = [
        layer(name, Inputs=[tensor(name, kind=kind)], Outputs=[tensor(after, kind=kind)], TacticName=tactic)
        for name, after, kind in zip("abcd", "bcde", kinds)
    ]
    (tmp_path / "m.graph.json").write_bytes(document(layers, ["a", "bcde"[len(kinds) - 1]]))
    build = {"build_options": {"Precision": facts.get("precision", ""), "Targets": facts.get("targets", "")}}
    (tmp_path / "m.build.metadata.json").write_text(json.dumps(build), encoding="utf-8")
    device = {"Selected Device": "GPU", "Compute Capability": facts.get("capability", "")}
    run = {"device_information": device, "inference_options": {"Streams": "1"}}
    if "mark" in facts:
        run[str(facts["mark"])] = {"statement": "made up"}
    (tmp_path / "m.profile.metadata.json").write_text(json.dumps(run), encoding="utf-8")
    return Performance(load(str(tmp_path)))


def facts_of(performance: Performance) -> list[Note]:
    return [note for note in performance.plan.notes if note.code == OTHER_FACT]


@pytest.mark.parametrize(
    ("kinds", "precision", "is_noted"),
    [
        (["Half", "Half"], "FP32", True),
        (["Half", "Half"], "FP32+INT8 (obey precision constraints)", True),
        (["Int8", "Int8"], "FP32+FP16", True),
        (["Half", "Half"], "FP32+FP16", False),
        (["Float", "Float"], "FP32+FP16+INT8", False),  # what is allowed need not be chosen
        (["Half", "Float"], "FP32", False),
        (["Half", "Half"], "Strongly Typed", False),
        (["Float", "Float"], "FP32+INT8", False),
        (["Half", "Half"], "", False),
    ],
)
def test_precisions_that_the_build_did_not_allow(
    tmp_path: Path, kinds: list[str], precision: str, is_noted: bool
) -> None:
    performance = plan(tmp_path, kinds, precision=precision)
    notes = facts_of(performance)
    assert [note.severity for note in notes] == ["warning"] * is_noted
    assert all("2 of 2 layers compute in" in note.message and "build.metadata" in note.where for note in notes)
    assert not performance.contradicted


def test_tensors_inside_the_engine_in_a_precision_that_the_build_did_not_allow(tmp_path: Path) -> None:
    """INT8 layers that write FP16 are an eighth of the engine; its inputs and outputs are FP32."""
    kinds = ["Float", "Float", "Half", *["Float"] * 5]
    layers = [
        layer(f"l{at}", Inputs=[tensor(f"t{at}", kind=kind)], Outputs=[tensor(f"t{at + 1}", kind=after)])
        for at, (kind, after) in enumerate(pairwise([*kinds, "Float"]))
    ]
    (tmp_path / "m.graph.json").write_bytes(document(layers, ["t0", "t8"]))
    path = tmp_path / "m.build.metadata.json"
    for precision, is_noted in (("FP32+INT8", True), ("FP32+FP16+INT8", False)):
        path.write_text(json.dumps({"build_options": {"Precision": precision}}), encoding="utf-8")
        notes = facts_of(Performance(load(str(tmp_path))))
        assert ["1 of 8 layers" in note.message for note in notes] == [True] * is_noted


@pytest.mark.parametrize(
    ("tactic", "capability", "is_noted"),
    [
        ("sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize64x64x64", 8.6, True),
        ("sm86_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize64x64x64", "8.0", True),
        ("sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize64x64x64", 8.6, False),
        ("sm50_xmma_pooling_max_nhwc", 12.0, False),
        ("sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize64x64x64", "", False),
    ],
)
def test_kernels_that_the_gpu_of_the_run_cannot_load(
    tmp_path: Path, tactic: str, capability: object, is_noted: bool
) -> None:
    performance = plan(tmp_path, ["Half", "Half"], tactic, capability=capability)
    assert [note.severity for note in facts_of(performance)] == ["problem"] * is_noted
    assert bool(performance.contradicted) is is_noted


def test_invented_kernels_ran_nowhere(tmp_path: Path) -> None:
    tactic = "sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize64x64x64"
    performance = plan(tmp_path, ["Half"], tactic, capability=8.6, mark="simulated")
    assert performance.plan.is_synthetic and not facts_of(performance)


@pytest.mark.parametrize(
    ("targets", "capability", "severity"),
    [
        ("sm120", "8.9", "problem"),
        ("sm89", "8.6", "problem"),
        ("sm75, sm120", "8.9", "problem"),
        ("sm120", "12.0", ""),
        ("sm89, sm120", "8.9", ""),
        ("sm75,sm80,sm86,sm89,sm120,sm121", 12.1, ""),
        ("sm86", "8.9", "warning"),  # CUDA could load its kernels
        ("sm120", "12.1", "warning"),
        ("portable", "8.6", ""),
        ("portable", "8.0", ""),
        ("portable", "9.0", ""),
        ("portable", "13.0", ""),
        ("portable", "7.5", "problem"),
        ("current", "7.5", ""),
        ("sm89, next", "12.0", ""),
        ("", "8.9", ""),
        ("sm120", "", ""),
    ],
)
def test_gpus_that_the_engine_was_not_built_for(
    tmp_path: Path, targets: str, capability: object, severity: str
) -> None:
    performance = plan(tmp_path, ["Half"], targets=targets, capability=capability)
    notes = facts_of(performance)
    assert [note.severity for note in notes] == [severity] * bool(severity)
    assert all(f"the run's GPU has {capability}" in note.message for note in notes)
    assert bool(performance.contradicted) is (severity == "problem")


@pytest.mark.parametrize("mark", ["simulated", "built_on_cpu"])
def test_times_may_be_predicted_for_any_gpu(tmp_path: Path, mark: str) -> None:
    assert not facts_of(plan(tmp_path, ["Half"], targets="sm120", capability="8.9", mark=mark))


def test_no_real_engine_is_doubted(shared_engines: Path) -> None:
    for folder in sorted(path for path in shared_engines.iterdir() if path.is_dir()):
        assert not [note for note in load(str(folder)).notes if note.code == OTHER_FACT], folder
