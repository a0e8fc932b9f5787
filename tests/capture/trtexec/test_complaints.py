"""Why trtexec failed, in one sentence."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from trex.capture.child import Ended
from trex.capture.trtexec.complaints import Complaints

NOW = datetime.now(timezone.utc)
CLOCK = "[11/21/2026-21:30:41]"


def reason(*lines: str, code: int = 1) -> str:
    complaints = Complaints()
    for line in lines:
        complaints.add(line)
    return complaints.reason(Ended(code, "", NOW, NOW, 1.0, lines))


def test_the_first_error_is_the_reason() -> None:
    lines = (
        f"{CLOCK} [I] Start parsing network model.",
        f"{CLOCK} [E] [TRT] Could not open file x.onnx",
        f"{CLOCK} [E] [TRT] Could not open file x.onnx",
        f"{CLOCK} [E] Failed to parse onnx file",
        f"{CLOCK} [E] Engine set up failed",
        "&&&& FAILED TensorRT.trtexec",
    )
    assert reason(*lines) == "Could not open file x.onnx"


def test_an_announced_error_comes_with_its_announcement() -> None:
    assert (
        reason("[E] While parsing node 3:", "[E] No importer for Gizmo")
        == "While parsing node 3: No importer for Gizmo"
    )


def test_the_logger_of_python_is_read_too() -> None:
    assert reason(f"{CLOCK} [TRT] [E] 4: [network] no") == "4: [network] no"


def test_consequences_alone_are_better_than_nothing() -> None:
    assert reason("[E] Engine set up failed") == "Engine set up failed"


@pytest.mark.parametrize(
    ("code", "words"),
    [(-9, "memory runs out"), (137, "signal 9"), (-11, "crashed"), (139, "crashed"), (-4, "illegal instruction"),
     (1, "it said nothing at all")],
)  # fmt: skip
def test_without_a_word_the_code_speaks(code: int, words: str) -> None:
    assert words in reason(code=code)


def test_the_last_words_where_none_is_an_error() -> None:
    lines = (f"{CLOCK} [I] Loading standard plugins", "", "&&&& FAILED TensorRT.trtexec [TensorRT v101601] # x")
    assert reason(*lines) == "it gave no reason; the last it said was: Loading standard plugins"


@pytest.mark.parametrize("line", ["Cannot find device ID 1!", "Cuda failure: invalid device ordinal"])
def test_a_gpu_that_is_not_there_is_a_reason(line: str) -> None:
    assert reason(f"{CLOCK} [I] {line}", f"{CLOCK} [I] ") == line
    assert reason(line) == line
