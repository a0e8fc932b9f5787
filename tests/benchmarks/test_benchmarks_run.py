"""The benchmark runs from end to end at a tiny size; how fast anything is, is not tested here."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.bench_growth import exponent as growth_exponent
from tests.benchmarks.child_simulated import measure_simulated
from tests.benchmarks.grown_networks import SHAPES, write_grown
from tests.benchmarks.run import main
from tests.benchmarks.table import Line, exponent, measure, row_text, summary


def figures(path: Path, *arguments: str) -> dict[str, dict[str, Any]]:
    """The lines by name: the last of each."""
    assert main(["--quick", "--json", str(path), *arguments]) == 0
    return {line["what"]: line for line in json.loads(path.read_text(encoding="utf-8"))["lines"]}


@pytest.mark.slow
def test_loading_runs_and_writes_its_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = figures(tmp_path / "figures.json", "--only", "load", "--style", "cnn", "--sizes", "20")
    assert {"import trex", "load cnn 20 layers", "read 2 000 timing records"} <= set(lines)
    assert [what for what, line in lines.items() if line["value"] is None] == ["growth cnn, exponent"]
    assert "could not be measured" not in capsys.readouterr().out


@pytest.mark.slow
def test_drawing_runs_and_writes_its_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = figures(tmp_path / "figures.json", "--only", "draw", "--style", "unet", "--sizes", "20,40")
    assert {"to_dot unet 20 layers", "  layout, flat", "  layout, folded", "  SVG a layer"} <= set(lines)
    assert lines["growth to_dot unet, exponent"]["value"] is not None
    assert lines["  page"]["verdict"] == "met"
    assert "could not be measured" not in capsys.readouterr().out


@pytest.mark.slow
def test_pictures_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = figures(tmp_path / "figures.json", "--only", "picture", "--style", "myelin", "--sizes", "30")
    assert lines["myelin 30 layers"]["value"] > 0
    assert lines["  boxes run over"]["value"] == 0
    assert "could not be measured" not in capsys.readouterr().out


@pytest.mark.slow
def test_logs_are_read_and_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = figures(tmp_path / "figures.json", "--only", "logs")
    assert {"log of 1 MB", "log of 1 MB, gzip", "log of 1 MB, prefixed"} <= set(lines)
    assert all(line["aside"].endswith("200 layers") for what, line in lines.items() if what.startswith("log"))
    assert "could not be measured" not in capsys.readouterr().out


def test_answers_for_agents_are_timed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = figures(tmp_path / "figures.json", "--only", "agents")
    assert {f"answer of 100 layers: {what}" for what in ("layers, first", "inspect", "findings", "compare")} <= set(
        lines
    )
    assert "could not be measured" not in capsys.readouterr().out


def test_judged_findings_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = figures(tmp_path / "figures.json", "--only", "judged")
    assert {"useful", "wrong", "recall", "first right", "diagnosis right", "example/resnet18-int8-residual"} <= set(
        lines
    )
    assert 0 <= lines["recall"]["value"] <= 100
    assert "could not be measured" not in capsys.readouterr().out


@pytest.mark.slow
def test_what_the_numbers_mean_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = figures(tmp_path / "figures.json", "--only", "perf", "--style", "cnn", "--sizes", "20")
    assert {"work and roofline cnn 20 layers", "  memory", "statistics of 2 000 samples"} <= set(lines)
    if lines.get("tactics") is None:  # the real engines are at hand
        assert "could not be measured" not in capsys.readouterr().out


@pytest.mark.slow
def test_reports_are_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = figures(tmp_path / "figures.json", "--only", "report", "--style", "cnn", "--sizes", "20", "--repeats", "1")
    assert {"report cnn 20 layers, HTML", "  page", "  workbook", "  slowest chart"} <= set(lines)
    assert all(line["value"] for what, line in lines.items() if what != "  page in Chromium")
    assert "could not be measured" not in capsys.readouterr().out


@pytest.mark.slow
def test_many_loads_are_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = figures(tmp_path / "figures.json", "--only", "loads")
    assert {"load_all of 4 folders", "  over loading each", "memory after 10 loads"} == set(lines)
    assert "could not be measured" not in capsys.readouterr().out


@pytest.mark.slow
def test_rules_are_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = figures(tmp_path / "figures.json", "--only", "rules", "--style", "cnn", "--sizes", "20,40")
    assert {"rules cnn 20 layers", "rules cnn 40 layers", "growth rules cnn, exponent"} <= set(lines)
    shares = [line["value"] for what, line in lines.items() if line["unit"] == "%"]
    assert shares and all(0 <= share <= 100 for share in shares)
    assert "could not be measured" not in capsys.readouterr().out


@pytest.mark.slow
def test_a_run_is_measured_without_its_children(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = figures(tmp_path / "figures.json", "--only", "process")
    assert {"process", "process --monitor", "  first output", "  peak memory"} == set(lines)
    assert all(line["value"] for line in lines.values()) and lines["process"]["aside"] == "in addition to trtexec"
    assert "could not be measured" not in capsys.readouterr().out


@pytest.mark.slow
def test_real_builds_are_measured_or_said_to_be_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = figures(tmp_path / "figures.json", "--only", "rtx")
    if lines.keys() == {"rtx"}:
        assert "not installed" in lines["rtx"]["aside"]
    else:
        assert {"rtx resnet18-qat", "  first sign", "  peak memory", "  log of resnet18-qat"} == set(lines)
        assert all(line["value"] for line in lines.values())
    assert "could not be measured" not in capsys.readouterr().out


@pytest.mark.slow
def test_growth_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = figures(tmp_path / "figures.json", "--only", "growth")
    assert {"graphs, exponent", "layouts, exponent", "layers, exponent", "monsters: log, exponent"} <= set(lines)
    assert all(line["aside"] for what, line in lines.items() if what.endswith("exponent"))
    assert "could not be measured" not in capsys.readouterr().out


def test_the_exponent_of_work_that_is_quadratic() -> None:
    def squared(size: int) -> Callable[[], object]:
        return lambda: sum(i * j & 1 for i in range(size) for j in range(size))

    assert growth_exponent(lambda size: lambda: None, 100) == 0
    assert 1 < growth_exponent(squared, 400) < 3


def test_a_part_that_fails_is_a_line_that_says_so() -> None:
    def failing() -> Iterator[Line]:
        yield Line("fine", 1.0, "s", 2.0)
        raise RuntimeError("no such file")

    shown: list[Line] = []
    lines = measure([("broken", failing), ("next", lambda: iter([Line("next", 3.0, "s", 2.0)]))], shown.append)
    assert lines == shown
    assert [line.what for line in lines] == ["fine", "broken", "next"]
    assert "no such file" in lines[1].aside and lines[1].value is None
    assert summary(lines) == "1 targets met, 1 missed"


def test_the_exponent_of_known_growth() -> None:
    assert exponent([10, 100, 1000], [0.1, 1.0, 10.0]) == pytest.approx(1)
    assert exponent([10, 100], [1.0, 100.0]) == pytest.approx(2)
    assert exponent([10], [1.0]) is None


def test_a_missed_target_is_said() -> None:
    assert "MISSED" in row_text(Line("load", 0.5, "s", 0.3))
    assert "met" in row_text(Line("load", 0.2, "s", 0.3))
    assert Line("load", 0.2, "s").verdict == ""
    assert Line("frames", 20.0, "/s", 30.0, is_least=True).verdict == "MISSED"
    assert "≥ 30 /s" in row_text(Line("frames", 60.0, "/s", 30.0, is_least=True))


@pytest.mark.slow
def test_accuracy_is_measured(tmp_path: Path) -> None:
    lines = figures(tmp_path / "figures.json", "--only", "accuracy")
    assert lines["MEAS001 unsteady-times"]["value"] == 1.0
    assert all(line["target"] == 0.95 for line in lines.values())


@pytest.mark.slow
def test_the_simulated_builder_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("onnx")
    lines = figures(tmp_path / "figures.json", "--only", "simulated", "--sizes", "60,120", "--repeats", "1")
    assert {"simulated resnet18", "simulated quantized 60", "simulated quantized 120"} <= set(lines)
    assert "layers" in lines["simulated quantized 120"]["aside"]
    assert "could not be measured" not in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_networks_of_every_shape_are_simulated(shape: str, tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    assert measure_simulated(str(write_grown(shape, 30, tmp_path)), "FP16+INT8")["layers"] > 0


@pytest.mark.slow
def test_a_store_is_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = figures(tmp_path / "figures.json", "--only", "store")
    assert {"add a run", "open, 200 runs", "  list", "  history of a model"} <= set(lines)
    assert "could not be measured" not in capsys.readouterr().out
