"""Files are written whole or not at all."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from trex.core.errors import TrexError
from trex.export.files import write_file


def test_text_is_written_as_utf_8(tmp_path):
    path = write_file(tmp_path / "x.txt", "é\ud800\n")
    assert path == tmp_path / "x.txt"
    assert path.read_bytes() == "é?\n".encode()


def test_an_existing_file_is_replaced_and_nothing_else_is_left(tmp_path):
    (tmp_path / "x").write_text("old")
    write_file(str(tmp_path / "x"), b"new")
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("x", b"new")]


def test_a_failure_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    (tmp_path / "x").write_text("old")

    def full(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(TrexError, match="No space left"):
        write_file(tmp_path / "x", b"new")
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("x", "old")]


def test_a_missing_folder_and_a_folder_in_its_place(tmp_path):
    with pytest.raises(TrexError, match="mkdir -p"):
        write_file(tmp_path / "none" / "x", b"")
    with pytest.raises(TrexError, match="this is a folder"):
        write_file(tmp_path, b"")


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
def test_permissions_are_those_of_any_new_file(tmp_path):
    old = os.umask(0o027)
    try:
        path = write_file(tmp_path / "x", b"")
    finally:
        os.umask(old)
    assert path.stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_one_may_not_write_to(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(TrexError, match="cannot be written"):
        write_file(tmp_path / "x", b"")


def test_names_of_any_length_and_kind(tmp_path):
    for name in ("x" * 255, "ä b;$(c)", "-rf"):
        assert write_file(tmp_path / name, b"1").read_bytes() == b"1"
