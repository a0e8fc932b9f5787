"""A build that is stopped leaves the user's timing cache as it was, and changes of a good one stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.timing_caches import LAYOUTS, cache_bytes, made_entries
from trex.capture.kept_caches import caches_kept


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_a_build_leaves_damaged_is_restored(tmp_path: Path, layout: str) -> None:
    path, good = tmp_path / "my.cache", cache_bytes(made_entries(), layout)
    path.write_bytes(good)
    with pytest.raises(KeyboardInterrupt), caches_kept([str(path)]) as notes:
        path.write_bytes(good[:20])
        raise KeyboardInterrupt
    assert path.read_bytes() == good and [note.code for note in notes] == ["timing-cache-restored"]


def test_other_files_stay_as_the_build_leaves_them(tmp_path: Path) -> None:
    path = tmp_path / "my.cache"
    for before, after in ((b"", b"x"), (b"not a cache", b"y")):
        path.write_bytes(before)
        with caches_kept([str(path), str(tmp_path / "new")]) as notes:
            path.write_bytes(after)
        assert path.read_bytes() == after and not notes


def test_a_layout_of_another_release_is_no_damage(tmp_path: Path) -> None:
    path, newer = tmp_path / "my.cache", cache_bytes(made_entries(9), version=250)
    path.write_bytes(cache_bytes(made_entries()))
    with caches_kept([str(path)]) as notes:
        path.write_bytes(newer)
    assert path.read_bytes() == newer and not notes


def test_what_another_build_is_just_writing_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fcntl = pytest.importorskip("fcntl")
    path, lock, good = tmp_path / "my.cache", tmp_path / "my.cache.lock", cache_bytes(made_entries())
    path.write_bytes(good)

    def held(*_: object) -> None:
        raise BlockingIOError

    for is_held in (True, False):
        with caches_kept([str(path)]) as notes:
            lock.touch()
            path.write_bytes(good[:100])
            if is_held:
                monkeypatch.setattr(fcntl, "lockf", held)
        assert (path.read_bytes() == good[:100], not notes) == (is_held, is_held)
        path.write_bytes(good)
        monkeypatch.undo()
