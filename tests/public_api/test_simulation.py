"""``trex.simulate``, ``trex.process``, ``trex.what_if``: engines predicted from an ONNX model."""

from __future__ import annotations

from pathlib import Path

import pytest

import trex
from trex.core.provenance import Provenance

pytest.importorskip("onnx")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trex.write_network("resnet18-qat", tmp_path_factory.mktemp("model") / "qat.onnx", 8)


@pytest.fixture(scope="module")
def plan(model: Path) -> trex.EnginePlan:
    return trex.simulate(model, "int8", "fp16", device="A100")


def test_a_simulated_engine_is_a_plan_that_says_so(plan: trex.EnginePlan) -> None:
    assert plan.provenance is Provenance.SIMULATED and plan.name == "qat"
    assert plan.is_profiled and plan.total_runtime > 0
    assert plan.model is not None and len(plan.df) == len(plan.layers)


def test_error_bars_are_of_predictions_only(plan: trex.EnginePlan) -> None:
    low, high = trex.expected_ms(plan) or (0.0, 0.0)
    median_ms = plan.metadata.latency["GPU Compute Time"].median_ms
    assert median_ms is not None and 0 < low < median_ms < high
    measured = trex.EnginePlan([{"Name": "a", "LayerType": "Shuffle", "Inputs": [], "Outputs": []}])
    assert trex.expected_ms(measured) is None


def test_process_leaves_its_files_and_predicts_the_same(
    model: Path, plan: trex.EnginePlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trex.simulation, "available_backend", lambda: "simulated")
    again = trex.process(model, tmp_path, "int8", "fp16", device="A100")
    assert again.provenance is Provenance.SIMULATED
    assert [layer.name for layer in again.layers] == [layer.name for layer in plan.layers]
    assert again.total_runtime == pytest.approx(plan.total_runtime)
    assert trex.load(tmp_path).provenance is Provenance.SIMULATED


def test_without_tensorrt_a_gpu_must_be_named(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    if trex.available_backend() != "simulated":
        pytest.skip("this machine has TensorRT")
    with pytest.raises(trex.TrexError, match="trtexec"):
        trex.process(model, tmp_path)


def test_a_named_gpu_is_not_taken_for_the_real_one(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = []

    def stopped(options):
        taken.append(options)
        raise trex.TrexError("no GPU here")

    monkeypatch.setattr(trex.simulation, "available_backend", lambda: "trtexec")
    monkeypatch.setattr("trex.capture.process.process", stopped)
    with pytest.raises(trex.TrexError, match="no GPU here"):
        trex.process(model, tmp_path, "fp16", device="A100")
    assert taken[0].backend == "trtexec" and taken[0].device == "" and taken[0].trtexec_args == ("fp16",)


def test_what_if_tells_what_the_change_is_worth(model: Path, plan: trex.EnginePlan) -> None:
    found = trex.what_if(model, "int8", "fp16", device="A100", batch=[8, 16], change="quantize-residuals")
    assert list(found.df["batch"]) == [8, 8, 16, 16]
    assert found.df["speedup"].notna().tolist() == [False, True, False, True]
    assert (found.df["from_ms"] < found.df["compute_ms"]).all() and (found.df["compute_ms"] < found.df["to_ms"]).all()
    assert found.df["layers"][0] == len(plan.layers)
    for shown in (str(found), found._repr_html_()):
        assert "residuals quantized" in shown and "predicted by trex" in shown


def test_what_if_takes_several_gpus(model: Path) -> None:
    found = trex.what_if(model, "int8", "fp16", device=["A100", "L4"])
    assert [each.device.name for each in found.outcomes] == ["NVIDIA A100-SXM4-80GB", "NVIDIA L4"]
    assert "changes" not in str(found)


def test_wishes_that_cannot_be_met(model: Path) -> None:
    with pytest.raises(trex.TrexError, match="no change called 'quantize-residual'"):
        trex.what_if(model, device="A100", change="quantize-residual")
    with pytest.raises(trex.TrexError, match="needs a GPU"):
        trex.what_if(model, device=[])
    with pytest.raises(trex.TrexError):
        trex.simulate(model, device="A1000000")
    with pytest.raises(TypeError):
        trex.process(model, "out", devise="A100")
