"""Messages that are skipped before decoding, and those that never are."""

from __future__ import annotations

import pytest

from trex.ingest.logs.chatter import READ_STARTS, is_chatter

CLOCK = b"[04/30/2026-18:15:41]"


@pytest.mark.parametrize(
    "prefix", [CLOCK + b" [V] [TRT] ", CLOCK + b" [TRT] [I] ", b"[V] ", b"[V] [TRT] ", b"[TRT] [V] "]
)
def test_tactics_are_chatter_unless_they_were_skipped(prefix: bytes) -> None:
    assert is_chatter(prefix + b"Tactic: 0x0000000000000001 Time: 0.0123")
    assert is_chatter(prefix + b"*************** Autotuning format combination: Half(1) -> Half(1) ***************")
    assert not is_chatter(prefix + b"Tactic: 0x0000000000000001 skipped. Scratch requested: 8, available: 4")


@pytest.mark.parametrize("start", READ_STARTS)
def test_messages_that_are_read_are_no_chatter(start: str) -> None:
    for prefix in (b" [V] [TRT] ", b" [I] [TRT] ", b" [TRT] [V] "):
        for clock in (CLOCK, b""):
            assert not is_chatter((clock + prefix).lstrip() + start.encode() + b" x")


@pytest.mark.parametrize(
    "line", [b"", b"Layer(x)", b"&&&& RUNNING", b" [W] [TRT] some warning", b" [E] [TRT] some error",
             b" [I] Engine built in 3 sec.", b" [V] [TRT] ", b" [V] [TRT] x", b" [V] === Explanations ==="]
)  # fmt: skip
def test_other_lines_are_no_chatter(line: bytes) -> None:
    assert not is_chatter(CLOCK + line)
    assert not is_chatter(line)


def test_an_interleaved_line_is_no_chatter() -> None:
    assert not is_chatter(CLOCK + b" [V] [TRT] Tactic: 0x00" + CLOCK + b" [W] hot")
    assert not is_chatter(CLOCK + b" [I] Average on 10" + CLOCK + b" [W] hot")


def test_averages_are_chatter() -> None:
    assert is_chatter(CLOCK + b" [I] Average on 10 runs - GPU latency: 0.1 ms - Host latency: 0.2 ms (enqueue 0.1 ms)")
