"""The benchmark runs from end to end at a tiny size; how fast anything is, is not tested here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.benchmarks.bench_load import Line, exponent, main, row_text


@pytest.mark.slow
def test_it_runs_and_writes_its_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written = tmp_path / "figures.json"
    assert main(["--quick", "--style", "cnn", "--sizes", "20", "--json", str(written)]) == 0
    document = json.loads(written.read_text(encoding="utf-8"))
    named = {line["what"] for line in document["lines"]}
    assert {"import trex", "load cnn 20 layers", "read 2 000 timing records"} <= named
    assert [line["what"] for line in document["lines"] if line["value"] is None] == ["growth cnn, exponent"]
    assert "could not be measured" not in capsys.readouterr().out


def test_the_exponent_of_known_growth() -> None:
    assert exponent([10, 100, 1000], [0.1, 1.0, 10.0]) == pytest.approx(1)
    assert exponent([10, 100], [1.0, 100.0]) == pytest.approx(2)
    assert exponent([10], [1.0]) is None


def test_a_missed_target_is_said() -> None:
    assert "MISSED" in row_text(Line("load", 0.5, "s", 0.3))
    assert "met" in row_text(Line("load", 0.2, "s", 0.3))
    assert Line("load", 0.2, "s").verdict == ""
