"""Files of an earlier run: replaced, brought back, or dropped."""

from __future__ import annotations

from pathlib import Path

import pytest

from trex.capture.backup import backup


@pytest.mark.parametrize("restores", [True, False])
def test_what_is_not_written_again_comes_back(restores: bool, tmp_path: Path) -> None:
    again, lost, new = (tmp_path / name for name in ("again", "lost", "new"))
    again.write_text("old")
    lost.write_text("old")
    with pytest.raises(RuntimeError), backup([again, lost, new]) as aside:
        aside.restores = restores
        assert not again.exists() and not lost.exists()
        again.write_text("new")
        new.write_text("new")
        raise RuntimeError
    assert again.read_text() == new.read_text() == "new"
    assert lost.exists() == restores
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]
