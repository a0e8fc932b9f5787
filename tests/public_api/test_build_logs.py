"""``trex.tactics``: build logs in Python."""

from __future__ import annotations

from pathlib import Path

import pytest

import trex
from tests.build_log_text import MODERN

KEPT = MODERN.replace("Chose this engine", "Skip this engine")
ENGINE = "Layer(CaskConvolution): Conv_0 + Relu_1, Tactic: 0x00000000000000aa, x (Float[4,1:4]) -> y (Half[4])\n"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "build.log"
    header = "[01/02/2026-03:04:08] [V] [TRT] Engine Layer Information:\n"
    path.write_text(KEPT.replace("&&&& PASSED", header + ENGINE + "&&&& PASSED"), encoding="utf-8")
    return path


def test_frames_of_a_log(log: Path) -> None:
    tactics = trex.tactics(log)
    assert len(tactics.df) == 6 and len(tactics.choices) == 3 and len(tactics.ties(within=0.0)) == 0
    assert list(tactics.choices["in_engine"]) == [True, False, False]
    assert list(tactics.candidates("Conv_0 + Relu_1")["kernel"]) == ["sm80_a", "sm80_b"]
    assert list(tactics.story("Conv_0")["kind"]) == ["fused"]
    assert repr(tactics).endswith("builds=1, timed=6)")
    assert str(tactics).startswith("m.onnx   TensorRT 10.16.0\nBuilt in 1.5 s") and len(str(tactics)) < 2000
    assert "<table" in tactics._repr_html_()
    frame = tactics.df
    frame["time_ms"] = 0.0
    assert tactics.df["time_ms"].min() > 0  # frames are copies


def test_joined_with_the_engine(log: Path) -> None:
    joined = trex.tactics(log).join(trex.load(log))
    row = joined.iloc[0]
    assert (row["chosen_ms"], row["runner_up_ms"], row["tried"]) == (0.010, 0.0101, 2)
    assert row["chosen_kernel"] == "sm80_a" and row["runner_up"] == "0xffffffffffffffff"


def test_two_builds(log: Path, shared_logs: Path) -> None:
    tactics = trex.tactics(log)
    same = tactics.compare(tactics)
    assert same.is_same and "All 3 common choices" in str(same) and "same" in repr(same)
    two = trex.tactics(shared_logs / "trt8.4-sparsity-python-verbose.log")
    changed = two.compare(two, 0, 1)
    assert len(changed.changes) == 1 and changed.ties == 0 and "<table" in changed._repr_html_()


def test_what_is_no_log(tmp_path: Path) -> None:
    (tmp_path / "x.log").write_text("hello\n", encoding="utf-8")
    with pytest.raises(trex.TrexError, match="not the log of a build"):
        trex.tactics(tmp_path / "x.log")
    with pytest.raises(trex.TrexError):
        trex.tactics(tmp_path / "nothing")
