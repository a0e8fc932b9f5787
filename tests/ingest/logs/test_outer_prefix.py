"""Prefixes of other programs, learned from the beginning of a log."""

from __future__ import annotations

import pytest

from trex.ingest.logs.outer_prefix import learned_prefix
from trex.ingest.logs.trtexec_log import read_log

CLOCK = "[04/30/2026-18:15:41]"
LOG = "".join(
    f"{line}\n"
    for line in (
        "&&&& RUNNING TensorRT.trtexec [TensorRT v101600] [b72] # trtexec --onnx=m.onnx",
        f"{CLOCK} [I] === Model Options ===",
        f"{CLOCK} [I] Format: ONNX",
        f"{CLOCK} [I] Model: m.onnx",
        f"{CLOCK} [I] ",
        f"{CLOCK} [V] [TRT] Engine Layer Information:",
        "Layer(NoOp): a, Tactic: 0x0, x (Half[1]) -> y (Half[1])",
        f"{CLOCK} [W] * GPU compute time is unstable, with coefficient of variance = 44.3%.",
        "&&&& PASSED TensorRT.trtexec [TensorRT v101600] [b72] # trtexec --onnx=m.onnx",
    )
)


@pytest.mark.parametrize(
    "prefix",
    [
        "2026-04-30T18:15:4{n}.123456789Z ",
        "2026-04-30T18:15:4{n}.123456789Z stdout F ",
        "Apr 30 18:15:4{n} node17 trtexec[4711]: ",
        "[1,0]<stdout>:",
        "[1,{n}]<stdout>: ",
        "trtexec-1  | ",
        "INFO:root:",
        "2026-04-30 18:15:4{n},123 - builder - INFO - ",
        "[  {n}.123] ",
        "    ",
        "> ",
    ],
)
def test_prefixes_of_programs(prefix: str) -> None:
    plain = read_log(LOG.encode(), "x").runs[0]
    lines = LOG.splitlines(keepends=True)
    text = "".join(prefix.replace("{n}", str(number)) + line for number, line in enumerate(lines))
    (run,) = read_log(text.encode(), "x").runs
    assert run == plain


def test_streams_and_levels_of_one_program_are_one_shape() -> None:
    lines = LOG.splitlines(keepends=True)
    text = "".join(("[1,0]<stderr>:" if "[W]" in line else "[1,0]<stdout>:") + line for line in lines)
    assert read_log(text.encode(), "x").runs == read_log(LOG.encode(), "x").runs


def test_a_plain_log_has_no_prefix() -> None:
    assert learned_prefix(LOG.encode()) is None
    assert learned_prefix(b"") is None


def test_beginnings_of_interleaved_lines_are_no_prefix() -> None:
    torn = f"{CLOCK} [I] Average on{CLOCK} [W] hot\n[04/30/20{CLOCK} [W] hot\n".encode()
    assert learned_prefix(torn * 20) is None
