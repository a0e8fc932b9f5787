"""Lines with another line in the middle."""

from __future__ import annotations

import pytest

from trex.ingest.logs.interleaved_lines import InterleavedLines

CLOCK = "[04/30/2026-18:15:41]"
WARNING = f"{CLOCK} [W] hot"


def whole(*lines: str) -> list[str]:
    torn = InterleavedLines()
    return [*(whole for line in lines for whole in torn.whole(line)), *torn.rest()]


@pytest.mark.parametrize("cut", range(1, 34))
def test_a_warning_within_a_message(cut: int) -> None:
    line = f"{CLOCK} [I] Engine built"
    assert whole(line[:cut] + WARNING, line[cut:], "Layer(x)") == [WARNING, line, "Layer(x)"]


def test_several_warnings_in_one_line() -> None:
    line = f"{CLOCK} [I] abcdef"
    assert whole(line[:-4] + WARNING, WARNING, line[-4:-2] + WARNING, line[-2:]) == [WARNING, WARNING, WARNING, line]


def test_each_part_of_a_line_of_many_warnings_is_copied_once() -> None:
    class Counted(str):
        copied = 0

        def __getitem__(self, part: slice) -> Counted:  # type: ignore[override]
            text = Counted(str.__getitem__(self, part))
            Counted.copied += len(text)
            return text

    line = Counted(f"{CLOCK} [I] abcdef" + WARNING * 50)
    assert whole(line) == [f"{CLOCK} [I] abcdef", *[WARNING] * 50]
    assert Counted.copied <= 3 * len(line)


def test_a_line_without_a_prefix() -> None:
    assert whole(f"Layer(NoOp): a, Tac{WARNING}", "tic: 0x0") == [WARNING, "Layer(NoOp): a, Tactic: 0x0"]


def test_a_rest_that_never_comes() -> None:
    first, second = f"{CLOCK} [I] one", f"{CLOCK} [I] two"
    assert whole(first + WARNING, second) == [WARNING, first, second]
    assert whole(first + WARNING, "&&&& PASSED x") == [WARNING, first, "&&&& PASSED x"]
    assert whole(first + WARNING) == [WARNING, first]


def test_a_rest_that_completes_no_prefix_is_a_line() -> None:
    assert whole(f"[04/30/{WARNING}", "Layer(x)", "2026-18:15:41] [I] one") == [
        WARNING,
        "Layer(x)",
        "[04/30/2026-18:15:41] [I] one",
    ]


def test_whole_lines_stay() -> None:
    lines = [f"{CLOCK} [I] /2026/model.onnx", "a [b] /20", "", "&&&& RUNNING x"]
    assert whole(*lines) == lines
