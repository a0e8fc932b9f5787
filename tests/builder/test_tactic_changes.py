"""Two builds are compared choice by choice; a change between two equally fast tactics is a tie."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

import trex
from tests.build_log_text import EARLY, MODERN
from trex.builder.tactic_changes import TacticChanges, option_differences
from trex.builder.tactics import Tactics
from trex.builder.ties import change_words
from trex.compare.causes import Cause
from trex.compare.plan_diff import PlanDiff
from trex.core.build_log import LAYER, BuildLog
from trex.ingest.build_log.build_log import parse_build_log, read_build_log
from trex.views.tactic_changes import tactic_changes_document

KEPT = MODERN.replace("Chose this engine", "Skip this engine")
FLIPPED = KEPT.replace("00000000000000aa", "@").replace("f" * 16, "00000000000000aa").replace("@", "f" * 16)


def tactics(text: str) -> Tactics:
    return Tactics(parse_build_log(text.encode(), "x.log"))


def flipped_ties(log: Path, count: int) -> tuple[str, list[str]]:
    """The log of a build that took the runner-up of some ties, made of a real one: where two tactics of one runner were
    a tie, their ids are swapped in all lines of that choice, and in the engine's layers. Returns it with the layers.
    """
    lines = log.read_text(encoding="utf-8", errors="surrogateescape").split("\n")
    ties = Tactics(read_build_log(log)).ties()
    ties = ties[(ties["kind"] == LAYER) & ties["in_engine"]].head(count)
    for tie in ties.itertuples():
        swap = {str(tie.tactic): str(tie.runner_up), str(tie.runner_up): str(tie.tactic)}
        pattern = re.compile(f"({'|'.join(swap)})")
        start = end = tie.line - 1
        while "Autotuning format combination" not in lines[start]:
            start -= 1
        while "Chose Runner Type" not in lines[end]:
            end += 1
        rows = [index for index, line in enumerate(lines) if line.startswith("Layer(") and f": {tie.layer}," in line]
        for index in (*range(start, end + 1), *rows):
            lines[index] = "".join(swap.get(part, part) for part in pattern.split(lines[index]))
    return "\n".join(lines), list(ties["layer"])


def test_the_same_build_has_no_changes() -> None:
    changes = TacticChanges(tactics(KEPT), tactics(KEPT))
    assert changes.is_same and changes.words == "All 3 common choices are the same." and not changes.input_differences


def test_a_flipped_tie() -> None:
    changes = TacticChanges(tactics(KEPT), tactics(FLIPPED))
    (change,) = changes.changes.to_dict("records")
    assert (change["layer"], change["base_kernel"], change["is_tie"]) == ("Conv_0 + Relu_1", "sm80_a", True)
    assert change["words"] == "a tie of 1 %" and not changes.input_differences and not changes.is_same


@pytest.mark.parametrize("name", ["trt10.16-trtexec-02.log", "trt8.6-build-verbose.log"])
def test_flipped_ties_of_real_logs(shared_logs, name) -> None:
    """The second log is made by us of the first."""
    text, layers = flipped_ties(shared_logs / name, 3)
    base = Tactics(read_build_log(shared_logs / name))
    changes = TacticChanges(base, Tactics(parse_build_log(text.encode("utf-8", "surrogateescape"), "new.log")))
    frame = changes.changes
    assert sorted(frame["layer"]) == sorted(layers) and len(layers) >= 1
    assert frame["is_tie"].all() and frame["in_engine"].all() and not changes.input_differences
    assert frame["words"].str.startswith("a tie of ").all()


def test_no_tie_and_not_timed() -> None:
    slow = FLIPPED.replace("Time: 0.0101", "Time: 0.0151")
    (change,) = TacticChanges(tactics(KEPT), tactics(slow)).changes.to_dict("records")
    assert change["words"] == "1 % in base, 51 % in new" and not change["is_tie"]
    alone = FLIPPED.replace(
        "[01/02/2026-03:04:05] [V] [TRT] Tactic Name: sm80_b Tactic: 0x00000000000000aa Time: 0.0101\n", ""
    )
    (change,) = TacticChanges(tactics(KEPT), tactics(alone)).changes.to_dict("records")
    assert pd.isna(change["new_gap_pct"]) and change["words"] == "a tie of 1 %"
    assert change_words(float("nan"), float("nan")) == "not timed by the other build"
    assert change_words(5.0, float("nan")) == "5 % in base, not timed in new"


def test_inputs_that_differ() -> None:
    other = KEPT.replace("v101600", "v101500").replace("--verbose", "--verbose --fp16 --saveEngine=x")
    changes = TacticChanges(tactics(KEPT), tactics(other.replace("Float(4,1:4,1)", "Half(4,1:4,1)")))
    assert changes.input_differences == (
        "TensorRT 10.16.0 → 10.15.0",
        "options: --fp16 (new only)",
        "1 layer in other types: Conv_0 + Relu_1",
    )
    wider = TacticChanges(tactics(KEPT), tactics(KEPT.replace("Float(4,1:4,1)", "Float(8,1:4,1)")))
    assert wider.input_differences == ("1 layer in other shapes or layouts: Conv_0 + Relu_1",)
    renamed = TacticChanges(tactics(KEPT), tactics(KEPT.replace("Conv_0", "Conv_9")))
    assert renamed.input_differences == (
        "1 layer only in base: Conv_0 + Relu_1",
        "1 layer only in new: Conv_9 + Relu_1",
    )


def test_layers_that_a_cut_log_lacks_are_no_inputs_that_differ() -> None:
    cut = tactics(EARLY[: EARLY.index("[V] [TRT] Formats")])
    other = tactics(EARLY.replace(": conv", ": other").replace("conv Set", "other Set"))
    for changes in (TacticChanges(cut, other), TacticChanges(other, cut)):
        assert changes.input_differences == ()
        assert [name for name, known in changes.inputs_compared.items() if not known][-2:] == [
            "layers",
            "types and shapes",
        ]
    assert TacticChanges(tactics(EARLY), other).input_differences


def test_options_that_change_what_is_built() -> None:
    assert option_differences("trtexec --onnx=a --int8 --x='1 2'", "trtexec --onnx=b --x='1 3' --exportTimes=t") == [
        "--int8 (base only)",
        "--x=1 2 → 1 3",
    ]
    words = "trtexec --useDLACore=0 --useSpinWait --plugins=a.so --plugins=b.so"
    assert option_differences(words, "trtexec --plugins=b.so") == [
        "--useDLACore=0 (base only)", "--plugins=a.so,b.so → b.so",
    ]  # fmt: skip


@pytest.mark.timeout(20)
def test_a_long_option_is_clipped_and_read_once() -> None:
    """Not hours."""
    (difference,) = option_differences(f"trtexec --x={'a' * 3_000_000}", "trtexec '--x=b")
    assert difference.startswith("--x=aaa") and difference.endswith("a → b") and len(difference) < 300


def test_compare_names_the_tie(shared_logs, tmp_path) -> None:
    """Engines of a real log, and of one made by us of it: trex compare gives the same cause."""
    log = shared_logs / "trt8.6-build-verbose.log"
    text, layers = flipped_ties(log, 1)
    (tmp_path / "new.log").write_text(text, encoding="utf-8", errors="surrogateescape")
    changes = PlanDiff(trex.load(log), trex.load(tmp_path / "new.log")).changes
    changed = [change for change in changes if "tie" in change.words]
    assert len(changed) == len(layers) == 1 and changed[0].words.endswith("a tie of 0.1 %")
    assert changed[0].cause in (Cause.TACTIC, Cause.UNEXPLAINED)  # the log has no layer times


def test_of_several_builds_the_last_counts() -> None:
    """The engine is of the last one, as logs grow by ``tee -a``; a failed one leaves the engine of the one before."""
    again, other = tactics(KEPT + KEPT), tactics(KEPT + FLIPPED)
    assert TacticChanges(again, again).is_same and len(TacticChanges(again, other).changes) == 1
    assert not len(TacticChanges(again, other, 0, 0).changes)
    notes = tactic_changes_document(TacticChanges(again, other)).notes
    assert [(note.severity, "build 2 was compared" in note.message) for note in notes] == [("warning", True)] * 2
    builds = other.log.builds
    failed = replace(other.log, builds=(builds[0], builds[1]._replace(passed=False)))
    assert (other.log.last_build, failed.last_build, BuildLog("").last_build) == (1, 0, 0)
