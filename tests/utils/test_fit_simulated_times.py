"""The script that fits the simulated builder's times."""

from __future__ import annotations

from pathlib import Path

from trex.simulator.timing.constants import FILE
from utils.fit_simulated_times import main


def test_without_engines_it_says_so_and_changes_nothing(tmp_path: Path, capsys) -> None:
    before = FILE.read_bytes()
    assert main(["--engines", str(tmp_path / "none")]) == 0
    assert "there are no real engines" in capsys.readouterr().out
    assert main(["--engines", str(tmp_path)]) == 0
    assert "no engine there tells" in capsys.readouterr().out
    assert FILE.read_bytes() == before


def test_judging_prints_and_writes_nothing(shared_engines: Path, capsys) -> None:
    before = FILE.read_bytes()
    assert main(["--engines", str(shared_engines), "--judge"]) == 0
    printed = capsys.readouterr().out
    assert "trt8.4-resnet18-a100-qat-residual-qgap" in printed and "architecture" in printed
    assert "left out, no profile" in printed
    assert "left out, can't predict times for Orin: unknown memory bandwidth" in printed
    assert "left out, held out of the fit" in printed
    assert FILE.read_bytes() == before
