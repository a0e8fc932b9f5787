"""Small files that trex finds in folders: whole, or an error; nothing is waited for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from trex.core.regular_file import MOST_BYTES, open_regular, parse_record, read_record, read_regular
from trex.store.storage import LocalStorage


def test_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b'{"a": [1, -2.5, true, null, 1795651200000000000]}')
    assert read_record(tmp_path / "a") == {"a": [1, -2.5, True, None, 1795651200000000000]}
    with open_regular(tmp_path / "a") as file:
        assert file.read() == read_regular(tmp_path / "a")


def test_everything_else_is_an_error(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "sparse").touch()
    os.truncate(tmp_path / "sparse", MOST_BYTES + 1)
    for name in ("pipe", "zero", "loop", "sparse", "missing", ".", "n" * 300):
        with pytest.raises(OSError, match=r".") as caught:
            read_record(tmp_path / name)
        assert caught.value.filename and caught.value.strerror
    storage = LocalStorage(tmp_path)
    assert sorted(storage.below(".")) == ["./loop", "./pipe", "./sparse", "./zero"]
    for read in (storage.read, storage.open):
        with pytest.raises(OSError, match="no regular file"):
            read("pipe")


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"9" * 400, b"9" * 9000, b"1e400", b"NaN", b"[-Infinity]", bytes(9)],
)
def test_what_trex_never_writes_is_an_error(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_record(data)
