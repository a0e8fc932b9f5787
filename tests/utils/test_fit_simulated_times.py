"""The script that fits the simulated builder's times."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.simulator.timing.test_cross_validation import ENGINES
from trex.simulator import published
from trex.simulator.timing.constants import FILE, Constants
from trex.simulator.timing.cross_validation import fit_all
from trex.simulator.timing.prediction import inference_of, predict
from utils.fit_simulated_times import document_text, fitted_document, main, scores_text

FITTED = "trt8.4-resnet18-a100-fp16", "trt8.4-mobilenetv2-qat", "trt10.4-alexnet-fp16-rtx3060"
LEFT_OUT = {
    "trt10.1-alexnet-onnx": "left out, unknown GPU",
    "trt10.4-mobilenetv2-fp16-rtx3060": "left out, held out of the fit",
    "trt8.5-yolo-int8-names-only": "left out, held out of the fit",
}


def test_without_engines_the_constants_are_unchanged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = FILE.read_bytes()
    assert main(["--engines", str(tmp_path / "none")]) == 0
    assert "the constants stay as they are" in capsys.readouterr().out
    assert main(["--engines", str(tmp_path)]) == 0
    assert "has layer times and a known GPU" in capsys.readouterr().out
    assert FILE.read_bytes() == before


def test_a_dry_run_prints_scores_and_writes_nothing(
    shared_engines: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before, pairs = FILE.read_bytes(), published.published_pairs()[::20]
    monkeypatch.setattr(published, "published_pairs", lambda: pairs)  # all of them take a quarter of a minute
    for name in (*FITTED, *LEFT_OUT):
        (tmp_path / name).symlink_to(shared_engines / name)
    assert main(["--engines", str(tmp_path), "--dry-run"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(sum(line.startswith(f"{name} ") for line in lines) == 3 for name in FITTED)
    for name, reason in LEFT_OUT.items():
        assert any(line.startswith(f"{name}: {reason}") for line in lines), lines[-4:]
    assert FILE.read_bytes() == before


def test_the_document_is_read_back() -> None:
    document, scores = fitted_document(ENGINES, "2026-01-31")
    text = document_text(document)
    assert json.loads(text) == document
    assert document["fitted"] == "2026-01-31"
    assert [item["engine"] for item in document["engines"]] == ["one", "two", "three", "four"]
    assert len(scores) == 12
    values = {name: entry["value"] for name, entry in document["constants"].items()}
    assert set(values) == set(fit_all(ENGINES).values)
    result = inference_of(predict(ENGINES[0].layers, ENGINES[0].device, ENGINES[0].works, Constants(values, document)))
    assert result.low_ms < result.compute_ms < result.high_ms


def test_layers_that_depend_on_a_constant_are_counted() -> None:
    constants = fitted_document(ENGINES, "2026-01-31")[0]["constants"]
    assert constants["launch"]["layers"] == 64
    assert constants["compute share: convolution"]["layers"] == constants["start"]["layers"] == 32
    assert constants["wait before 8.0"]["layers"] == 8
    assert constants["memory share: attention"]["layers"] == constants["launch"]["figures"] == 0


def test_the_table_has_a_line_for_each_score() -> None:
    lines = scores_text(fitted_document(ENGINES, "2026-01-31")[1]).splitlines()
    assert len(lines) == 13
    assert "Spearman" in lines[0] and lines[1].startswith("one ")
