"""Growing files and pipes: every byte once, in order, until the reader says that it is over."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from trex.core.errors import TrexError
from trex.ingest.logs.growing import growing_file, growing_stream


def read_while_written(path: Path, pieces: list[bytes]) -> bytes:
    """What is read of a file to which each sleep of the reader adds a piece."""
    left = list(pieces)

    def sleep(_: float) -> None:
        with path.open("ab") as file:
            file.write(left.pop(0))

    return b"".join(growing_file(str(path), lambda quiet_s: bool(left) or quiet_s == 0, [], sleep=sleep))


def test_a_file_is_read_as_it_grows(tmp_path) -> None:
    path = tmp_path / "x.log"
    path.write_bytes(b"one\ntw")
    assert read_while_written(path, [b"", b"o\n", b"three\n"]) == b"one\ntwo\nthree\n"


def test_an_empty_file_is_waited_for(tmp_path) -> None:
    path = tmp_path / "x.log"
    path.touch()
    assert read_while_written(path, [b"one\n"]) == b"one\n"


@pytest.mark.parametrize("is_replaced", [False, True])
def test_a_file_that_begins_anew_is_read_from_its_beginning(tmp_path, is_replaced) -> None:
    path = tmp_path / "x.log"
    path.write_bytes(b"a long first line\n")
    left = [b"new\n"]

    def sleep(_: float) -> None:
        if is_replaced:
            (tmp_path / "y.log").write_bytes(left.pop())
            (tmp_path / "y.log").replace(path)
        else:
            path.write_bytes(left.pop())

    blocks = growing_file(str(path), lambda quiet_s: bool(left) or quiet_s == 0, [], sleep=sleep)
    assert b"".join(blocks) == b"a long first line\nnew\n"


def test_seconds_since_the_last_byte(tmp_path) -> None:
    path = tmp_path / "x.log"
    path.write_bytes(b"x\n")
    os.utime(path, (1000, 1000))
    heard: list[float] = []

    def tick(quiet_s: float) -> bool:
        heard.append(quiet_s)
        return not quiet_s

    assert list(growing_file(str(path), tick, [], clock=lambda: 1090.0)) == [b"x\n"]
    assert heard == [0.0, 90.0]


def test_a_compressed_file_ends(tmp_path) -> None:
    path = tmp_path / "x.log.gz"
    path.write_bytes(gzip.compress(b"one\n"))
    assert b"".join(growing_file(str(path), lambda quiet_s: True, [])) == b"one\n"


def test_no_file(tmp_path) -> None:
    with pytest.raises(TrexError, match="no such file"):
        next(growing_file(str(tmp_path / "x.log"), lambda quiet_s: True, []))


def test_a_pipe_is_read_until_it_is_closed() -> None:
    reads, writes = os.pipe()
    left = [b"two\n"]

    def tick(quiet_s: float) -> bool:
        if quiet_s and left:
            os.write(writes, left.pop())
        elif quiet_s:
            os.close(writes)
        return True

    os.write(writes, b"one\n")
    with os.fdopen(reads, "rb") as stream:
        assert list(growing_stream(stream, tick, poll_s=0.01)) == [b"one\n", b"", b"two\n", b""]
