"""Temporary folders: gone at the end, and those of killed processes with the next."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from trex.core import scratch_folder as module
from trex.core.scratch_folder import scratch_folder

SCRIPT = """
import os, signal, sys
from trex.core.scratch_folder import scratch_folder
with scratch_folder("trex-", sys.argv[1]) as name:
    open(os.path.join(name, "x"), "w").close()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such locks and signals")
def test_what_killed_processes_left_goes_and_nothing_else(tmp_path: Path) -> None:
    killed = subprocess.run([sys.executable, "-c", SCRIPT, str(tmp_path)], timeout=60)
    (left,) = tmp_path.iterdir()
    assert killed.returncode == -signal.SIGKILL and left.name.endswith(".scratch")
    others = ("trex-examples", "trex-abcdefgh", "x-abcdefgh.scratch", "trex-a.scratch")
    for name in others:
        (tmp_path / name).mkdir()
    (tmp_path / "trex-link_000.scratch").symlink_to("trex-examples")
    with scratch_folder("trex-", tmp_path) as outer:
        Path(outer, "x").write_text("x")
        module._SEEN.clear()
        with scratch_folder("trex-", tmp_path) as inner:
            assert Path(outer, "x").exists() and outer != inner and not left.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted((*others, "trex-link_000.scratch"))


def test_a_signal_while_the_system_makes_the_folder_leaves_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = tempfile.mkdtemp

    def stopped(*arguments: str) -> str:
        made = make(*arguments)
        signal.raise_signal(signal.SIGINT)
        return made

    monkeypatch.setattr(tempfile, "mkdtemp", stopped)
    with pytest.raises(KeyboardInterrupt), scratch_folder("trex-", tmp_path):
        pass
    assert not list(tmp_path.iterdir())
