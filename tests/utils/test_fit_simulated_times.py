"""The script that fits the simulated builder's times."""

from __future__ import annotations

from pathlib import Path

import pytest

from trex.simulator.timing.constants import FILE
from utils.fit_simulated_times import main

FITTED = "trt8.4-resnet18-a100-fp16", "trt8.4-mobilenetv2-qat", "trt10.4-alexnet-fp16-rtx3060"
LEFT_OUT = {
    "trt10.1-alexnet-onnx": "left out, unknown GPU",
    "trt10.4-mobilenetv2-fp16-rtx3060": "left out, held out of the fit",
    "trt8.5-yolo-int8-names-only": "left out, can't predict times for Orin: unknown memory bandwidth",
}


def test_without_engines_the_constants_are_unchanged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = FILE.read_bytes()
    assert main(["--engines", str(tmp_path / "none")]) == 0
    assert "the constants stay as they are" in capsys.readouterr().out
    assert main(["--engines", str(tmp_path)]) == 0
    assert "has layer times and a known GPU" in capsys.readouterr().out
    assert FILE.read_bytes() == before


def test_a_dry_run_prints_scores_and_writes_nothing(
    shared_engines: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = FILE.read_bytes()
    for name in (*FITTED, *LEFT_OUT):
        (tmp_path / name).symlink_to(shared_engines / name)
    assert main(["--engines", str(tmp_path), "--dry-run"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(sum(line.startswith(f"{name} ") for line in lines) == 3 for name in FITTED)
    for name, reason in LEFT_OUT.items():
        assert any(line.startswith(f"{name}: {reason}") for line in lines), lines[-4:]
    assert FILE.read_bytes() == before
