"""A file is written whole or left as it was."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from trex.capture.whole_file import write_whole
from trex.core.errors import TrexError


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

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(TrexError, match="No space left"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["no/such/folder/a", "."])
def test_a_place_that_takes_no_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(TrexError):
        write_whole(tmp_path / name, b"")
