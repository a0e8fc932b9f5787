"""Releases in texts and in the headers of engines."""

from __future__ import annotations

from pathlib import Path

import pytest

from trex.capture.engine_release import check_engine_release, engine_release
from trex.core.errors import TrexError
from trex.core.release import Release, release_from_text


def plan(path: Path, *version: int) -> Path:
    path.write_bytes(b"ftrt" + bytes(20) + bytes((*version, 9)) + b"rest of the plan")
    return path


@pytest.mark.parametrize(
    ("text", "release"),
    [("10.16.1.11", (10, 16, 1)), ("8.6.1", (8, 6, 1)), ("11.1", (11, 1, 0)), ("", None), ("v10.4", None), ("x", None)],
)
def test_release_from_text(text: str, release: tuple[int, int, int] | None) -> None:
    assert release_from_text(text) == release


def test_releases_compare_by_their_numbers() -> None:
    assert Release(10, 4) < Release(10, 16) and Release(8, 6, 1) >= (8, 6)
    assert str(Release(10, 16, 1)) == "10.16.1" and Release(10, 16, 1).pair == (10, 16)


def test_the_header_of_a_plan(tmp_path: Path) -> None:
    assert engine_release(plan(tmp_path / "a.engine", 10, 4, 0)) == (10, 4, 0)


@pytest.mark.parametrize("data", [b"ptrt" + bytes(60), b"ftrt", b"{}", bytes(40)])
def test_other_files_tell_no_release(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.engine").write_bytes(data)
    assert engine_release(tmp_path / "a.engine") is None
    assert check_engine_release(tmp_path / "a.engine", Release(10, 4)) == ()


@pytest.mark.parametrize("name", ["", "missing", "empty"])
def test_files_that_cannot_be_read(name: str, tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    with pytest.raises(TrexError, match="engine"):
        engine_release(tmp_path / name)


@pytest.mark.parametrize(
    ("built", "ours"), [((10, 4, 0), (8, 6, 1)), ((8, 6, 1), (10, 4, 0)), ((10, 16, 1), (10, 4, 0))]
)
def test_an_engine_of_a_release_that_cannot_run_here(
    built: tuple[int, int, int], ours: tuple[int, int, int], tmp_path: Path
) -> None:
    with pytest.raises(TrexError, match=f"built by TensorRT {Release(*built)}") as raised:
        check_engine_release(plan(tmp_path / "a.engine", *built), Release(*ours))
    assert f"TensorRT {built[0]}.{built[1]}" in raised.value.hint


def test_an_older_engine_may_run(tmp_path: Path) -> None:
    path = plan(tmp_path / "a.engine", 10, 4, 0)
    assert check_engine_release(path, Release(10, 4, 0)) == ()
    (note,) = check_engine_release(path, Release(10, 16, 1))
    assert note.code == "engine-of-another-release" and "10.4.0" in note.hint
