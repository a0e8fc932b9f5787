"""Bytes in any encoding and cut anywhere → lines."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.ingest.logs import raw_lines
from trex.ingest.logs.raw_lines import SECOND, RawLines


def lines(data: bytes) -> list[bytes]:
    return [line for batch in RawLines(data) for line in batch]


@given(st.binary(max_size=60).map(lambda data: data.replace(b"\x1b", b"")), st.integers(1, 9), st.integers(1, 30))
def test_blocks_cut_anywhere_hold_the_same_lines(data: bytes, size: int, head: int) -> None:
    data = b"[V] " + data
    blocks = [data[start : start + size] for start in range(0, len(data), size)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(raw_lines, "HEAD_BYTES", head)
        lines = [line for batch in RawLines(blocks) for line in batch]
    assert lines == data.removesuffix(b"\n").split(b"\n")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_encodings(encoding: str) -> None:
    text = "[I] first\n[I] größer\n" * 100
    assert lines(text.encode(encoding)) == text.encode().splitlines()


def test_a_file_is_read_in_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.log").write_bytes(b"[I] line\n" * 30_000)
    monkeypatch.setattr(raw_lines, "BLOCK_BYTES", 100)
    with (tmp_path / "x.log").open("rb") as file:
        raw = RawLines(file)
        assert file.tell() <= raw_lines.HEAD_BYTES + 100
        assert sum(len(batch) for batch in raw) == 30_000


def test_a_line_without_an_end_is_split(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(raw_lines, "LONGEST_LINE", 1000)
    assert max(map(len, lines(b"x" * (1 << 20)))) <= raw_lines.BLOCK_BYTES


def test_colors_are_removed_from_the_bytes() -> None:
    assert lines(b"\x1b[1;33m[W]\x1b[0m hot\n\x1b]0;title\x07[I] x") == [b"[W] hot", b"[I] x"]


def test_the_head_is_kept_for_errors() -> None:
    assert RawLines(io.BytesIO(b"PK\x03\x04rest")).head == b"PK\x03\x04rest"


@pytest.mark.parametrize("block", [7, 200, 1 << 20])
def test_lines_that_all_stand_twice_are_marked(block: int) -> None:
    """In blocks cut anywhere; lines that are alike by themselves stay."""
    lines = [b"[V] [TRT] message %d" % (number // 2 if number > 40 else number) for number in range(60)]
    data = b"".join(line + b"\n" for line in lines for _ in range(2))
    raw = RawLines([data[:9000], *(data[start : start + block] for start in range(9000, len(data), block))])
    read = [line for some in raw for line in some]
    assert raw.is_doubled and [line for line in read if line is not SECOND] == lines
    once = RawLines(b"".join(line + b"\n" for line in lines))
    assert [line for some in once for line in some] == lines and not once.is_doubled


def test_one_message_many_times_is_not_a_doubled_log() -> None:
    raw = RawLines(b"[W] [TRT] it is slow\n" * 500)
    assert sum(map(len, raw)) == 500 and not raw.is_doubled


@pytest.mark.parametrize(
    "end", [b"", b"[I] Timing trace has 5 queries\n[I] Timing trace has 7 queries\n" + b"[I]\n" * 2]
)
def test_two_runs_of_one_command_are_no_doubled_log(end: bytes) -> None:
    """They differ in figures alone; what another program wrote after a doubled log does not, although its lines may."""
    same = b"".join(b"[I] option %d\n" % number * 2 for number in range(40))
    figures = b"[I] Latency: mean = 1.5 ms\n[I] Latency: mean = 7e-05 ms\n[I] done\n[I] done\n"
    for data, is_mixed in ((same + figures, True), (same + b"[I] === Options ===\n" + end, False)):
        raw = RawLines([data[:2000], data[2000:]])
        assert sum(map(len, raw)) and (raw.is_doubled, raw.is_mixed) == (True, is_mixed)
