"""Lines of logs: prefixes, continuations, colors, line ends."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from trex.ingest.logs.log_lines import LogLine, log_lines

CLOCK = "04/30/2026-18:15:41"


def lines(text: str) -> list[LogLine]:
    return list(log_lines(text.encode()))


def test_trtexec_prefix_and_the_librarys() -> None:
    assert lines(f"[{CLOCK}] [I] Device: 0\n[{CLOCK}] [V] [TRT] Original: 9 layers\n") == [
        LogLine(1, "I", False, "Device: 0", True, "04/30/2026"),
        LogLine(2, "V", True, "Original: 9 layers", True, "04/30/2026"),
    ]


def test_python_logger_has_the_order_swapped() -> None:
    (line,) = lines(f"[{CLOCK}] [TRT] [W] careful")
    assert (line.severity, line.is_trt, line.message) == ("W", True, "careful")


def test_prefix_without_clock() -> None:
    (line,) = lines("[V] Building graph using backend strategy 3")
    assert (line.severity, line.message) == ("V", "Building graph using backend strategy 3")


def test_blank_messages_with_and_without_the_trailing_blank() -> None:
    assert [line.message for line in lines(f"[{CLOCK}] [I] \n[{CLOCK}] [I]\n")] == ["", ""]


def test_continuation_belongs_to_the_message_before_it() -> None:
    _, row = lines(f"[{CLOCK}] [V] [TRT] Engine Layer Information:\nLayer(NoOp): a, Tactic: 0x0, ")
    assert row == LogLine(2, "V", True, "Layer(NoOp): a, Tactic: 0x0, ", False)


def test_banner_belongs_to_no_message() -> None:
    *_, banner, after = lines(f"[{CLOCK}] [W] [TRT] x\n&&&& PASSED TensorRT.trtexec # trtexec\nplain")
    assert (banner.severity, banner.is_trt, banner.is_prefixed) == ("", False, False)
    assert after.severity == ""


def test_colors_carriage_returns_and_outer_clocks_are_removed() -> None:
    colored = f"2026-04-30T18:15:41.1234567Z \x1b[1;33m[{CLOCK}] [W] \x1b[0mhot\x1b[0m\r\n"
    assert lines(colored) == [LogLine(1, "W", False, "hot", True, "04/30/2026")]


def test_separators_neither_split_nor_vanish() -> None:
    (line,) = lines("[I] a\x1eb\x1f\u2028c\x85\x0b\n")
    assert line.message == "a\x1eb\x1f\u2028c\x85\x0b"


def test_brackets_of_other_programs_are_no_prefix() -> None:
    assert not any(line.is_prefixed for line in lines("[INFO] x\n[[0. 1.]]\n[I]x\n"))


def test_bytes_that_are_not_utf8_are_shown_as_replacement() -> None:
    (line,) = log_lines(b"[I] caf\xe9")
    assert line.message == "caf\ufffd"


def test_byte_order_mark_is_no_part_of_the_first_line() -> None:
    (line,) = log_lines(b"\xef\xbb\xbf[I] x")
    assert line.is_prefixed


def test_utf16_as_redirected_by_windows() -> None:
    assert [line.message for line in log_lines("[I] a\r\n[I] b\r\n".encode("utf-16"))] == ["a", "b"]


@given(st.binary(max_size=400))
def test_any_bytes_are_lines_numbered_from_one(data: bytes) -> None:
    numbers = [line.number for line in log_lines(data)]
    assert numbers == sorted(numbers)
    assert sorted(set(numbers)) == list(range(1, max(numbers, default=0) + 1))
