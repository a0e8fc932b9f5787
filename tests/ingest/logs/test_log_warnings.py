"""Warnings and errors of logs as Notes."""

from __future__ import annotations

from trex.ingest.logs.log_lines import log_lines
from trex.ingest.logs.log_warnings import Warnings


def collected(text: str) -> Warnings:
    warnings = Warnings()
    for line in log_lines(text.encode()):
        warnings.add(line)
    return warnings


def test_a_known_warning_is_quoted_with_its_advice() -> None:
    (note,) = collected(
        "[W] * GPU compute time is unstable, with coefficient of variance = 44.3%.\n"
        "[W]   If not already in use, locking GPU clock frequency may improve the stability.\n"
    ).notes("x.log")
    assert (note.code, note.severity, note.where) == ("unstable-gpu-time", "warning", "x.log:1")
    assert note.message == "GPU compute time is unstable, with coefficient of variance = 44.3%."
    assert note.hint == "If not already in use, locking GPU clock frequency may improve the stability."


def test_the_librarys_chatter_is_left_out_but_not_its_errors() -> None:
    warnings = collected("[W] [TRT] Make sure output z has Int64 binding.\n[E] [TRT] 10: no implementation\n")
    assert [note.code for note in warnings.notes("")] == ["error-in-log"]
    assert warnings.first_error == "10: no implementation"


def test_the_same_text_is_kept_once_and_many_are_counted() -> None:
    text = "[W] same\n[W] same\n" + "".join(f"[E] error {n}\n" for n in range(25))
    notes = collected(text).notes("")
    assert len(notes) == 1 + 20 + 1
    assert notes[-1].message == "the log has 5 more errors"


def test_marks_of_lists_are_left_out() -> None:
    text = "[W] [TRT] - 2 weights are affected by this issue: Detected subnormal FP16 values.\n"
    (note,) = collected(text).notes("")
    assert note.message.startswith("2 weights are affected")


def test_a_long_message_is_quoted_in_part() -> None:
    (note,) = collected(f"[E] {'x' * 10_000}").notes("")
    assert len(note.message) == 400
