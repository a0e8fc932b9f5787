"""Why trtexec failed, in one sentence."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from trex.capture.child import ChildResult
from trex.capture.trtexec.failure import ErrorLines, end_words, next_step

NOW = datetime.now(timezone.utc)
CLOCK = "[11/21/2026-21:30:41]"


def reason(*lines: str, code: int = 1) -> str:
    errors = ErrorLines()
    for line in lines:
        errors.add(line)
    return errors.reason(ChildResult(code, "", NOW, NOW, 1.0, lines))


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


def test_a_consequence_alone_is_the_reason() -> None:
    assert reason("[E] Engine set up failed") == "Engine set up failed"


@pytest.mark.parametrize(
    ("code", "words"),
    [(-9, "memory runs out"), (137, "memory runs out"), (-11, "crashed"), (139, "crashed"), (-4, "illegal instruction"),
     (1, "it printed nothing")],
)  # fmt: skip
def test_without_output_the_exit_code_is_the_reason(code: int, words: str) -> None:
    assert words in reason(code=code)


@pytest.mark.parametrize(
    ("code", "words"),
    [(1, "ended with 1"), (137, "ended with 137"), (-11, "died of SIGSEGV"), (-99, "died of signal 99")],
)
def test_the_end_of_a_child_in_words(code: int, words: str) -> None:
    assert end_words(code) == words


def test_without_an_error_the_last_output_is_quoted() -> None:
    lines = (f"{CLOCK} [I] Loading standard plugins", "", "&&&& FAILED TensorRT.trtexec [TensorRT v101601] # x")
    assert reason(*lines) == "it gave no reason; its last output was: Loading standard plugins"


@pytest.mark.parametrize("line", ["Cannot find device ID 1!", "Cuda failure: invalid device ordinal"])
def test_a_gpu_that_is_not_there_is_a_reason(line: str) -> None:
    assert reason(f"{CLOCK} [I] {line}", f"{CLOCK} [I] ") == line
    assert reason(line) == line


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("Saving engine to file failed.", "space left"),
        ("Failed to parse ONNX model", "onnx.checker"),
        ("Cuda failure: invalid device ordinal", "--dev N"),
        ("Static model does not take explicit shapes since", "leave the shapes out"),
        ("Unknown option: --x", "trtexec --help"),
        ("anything else", "in the log"),
    ],
)
def test_the_next_step_follows_from_the_reason(text: str, hint: str) -> None:
    assert hint in next_step(text)
