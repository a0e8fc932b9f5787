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
