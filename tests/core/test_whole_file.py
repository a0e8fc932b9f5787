"""A file is written completely or not at all."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from trex.core.errors import TrexError
from trex.core.whole_file import whole_file, write_whole


def test_it_is_written_with_the_usual_permissions(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.touch()
    path = write_whole(tmp_path / "größe 1.json", b"1")
    assert path.read_bytes() == b"1" and path.stat().st_mode == plain.stat().st_mode


def test_a_failure_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(TrexError, match="No space left"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["no/such/folder/a", "."])
def test_a_place_that_takes_no_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(TrexError):
        write_whole(tmp_path / name, b"")


def test_an_error_in_the_block_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError), whole_file(path) as file:
        file.write(b"half")
        raise ZeroDivisionError
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]


def test_a_signal_while_the_system_makes_the_file_leaves_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make = tempfile.mkstemp

    def stopped(*arguments: Any) -> tuple[int, str]:
        made: tuple[int, str] = make(*arguments)
        signal.raise_signal(signal.SIGINT)
        return made

    monkeypatch.setattr(tempfile, "mkstemp", stopped)
    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "a", b"new")
    assert not list(tmp_path.iterdir())


def test_nothing_has_the_name_before_all_is_written(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with whole_file(path) as file:
        file.write(b"half")
        assert not path.exists()
    assert path.read_bytes() == b"half" and list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
def test_permissions_of_a_file_that_is_there_are_kept_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.touch()
    path.chmod(0o604)
    with whole_file(path) as file:
        file.write(b"new")
    assert path.stat().st_mode & 0o777 == 0o604


def test_errors_call_the_file_what_it_is(tmp_path: Path) -> None:
    with (
        pytest.raises(TrexError, match="the archive cannot be written: the folder"),
        whole_file(tmp_path / "no" / "a", what="archive"),
    ):
        pass


def test_text_is_written_as_utf_8(tmp_path):
    path = write_whole(tmp_path / "x.txt", "é\ud800\n")
    assert path == tmp_path / "x.txt"
    assert path.read_bytes() == "é?\n".encode()


def test_a_missing_folder_and_a_folder_in_its_place(tmp_path):
    with pytest.raises(TrexError, match="mkdir -p"):
        write_whole(tmp_path / "none" / "x", b"")
    with pytest.raises(TrexError, match="this is a folder"):
        write_whole(tmp_path, b"")


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
def test_permissions_are_those_of_any_new_file(tmp_path):
    old = os.umask(0o027)
    try:
        path = write_whole(tmp_path / "x", b"")
    finally:
        os.umask(old)
    assert path.stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_one_may_not_write_to(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(TrexError, match="cannot be written"):
        write_whole(tmp_path / "x", b"")


def test_names_of_any_length_and_kind(tmp_path):
    for name in ("x" * 255, "ä b;$(c)", "-rf"):
        assert write_whole(tmp_path / name, b"1").read_bytes() == b"1"


@pytest.mark.parametrize("has_links", [True, False])
def test_a_new_file_replaces_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_links: bool) -> None:
    if not has_links:

        def refuse(*_: object) -> None:
            raise PermissionError("no links here")

        monkeypatch.setattr(os, "link", refuse)
    path = tmp_path / "a.json"
    write_whole(path, "first", is_new=True)
    with pytest.raises(TrexError, match="cannot be written: another process"):
        write_whole(path, "second", is_new=True)
    assert path.read_text() == "first" and list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name == "nt", reason="links of POSIX")
def test_a_link_that_leads_to_itself_stays(tmp_path: Path) -> None:
    link = tmp_path / "loop.svg"
    link.symlink_to("loop.svg")
    with pytest.raises(TrexError, match="leads to itself"), whole_file(link):
        pass
    assert link.is_symlink() and [item.name for item in tmp_path.iterdir()] == ["loop.svg"]


def test_a_private_file_stays_private(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("old")
    path.chmod(0o600)
    with whole_file(path) as file:
        file.write(b"new")
    assert path.stat().st_mode & 0o777 == 0o600
