"""Two runs never write into one folder; the lock of a killed run stops no other."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from trex.capture.folder_lock import LOCK_NAME, locked
from trex.core.errors import TrexError

HOLD = """
import sys
from pathlib import Path
from typing import Any
from trex.capture.folder_lock import locked
with locked(Path(sys.argv[1])):
    print("locked", flush=True)
    sys.stdin.read()
"""


def test_one_at_a_time(tmp_path: Path) -> None:
    with locked(tmp_path) as lock:
        assert lock.notes == ()
        with pytest.raises(TrexError, match="another run writes into this folder") as caught, locked(tmp_path):
            pass
        assert f"process {os.getpid()} on {socket.gethostname()}, since 20" in caught.value.message
    with locked(tmp_path):
        pass
    assert not list(tmp_path.iterdir())


def test_it_ends_after_an_exception(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), locked(tmp_path):
        raise ZeroDivisionError
    assert not list(tmp_path.iterdir())


def test_a_signal_while_the_system_makes_it_leaves_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make = os.open

    def stopped(*arguments: Any, **words: Any) -> int:
        file = make(*arguments, **words)
        signal.raise_signal(signal.SIGINT)
        return file

    monkeypatch.setattr(os, "open", stopped)
    with pytest.raises(KeyboardInterrupt), locked(tmp_path):
        pass
    assert not list(tmp_path.iterdir())


def test_the_lock_of_a_killed_run_has_ended(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None and child.stdout.readline() == b"locked\n"
        with pytest.raises(TrexError, match=f"process {child.pid} on "), locked(tmp_path):
            pass
        child.kill()
        child.wait()
        assert (tmp_path / LOCK_NAME).exists()
        with locked(tmp_path) as lock:
            assert lock.notes == ()
    assert not list(tmp_path.iterdir())


def test_a_lock_that_cannot_be_created(tmp_path: Path) -> None:
    with (
        pytest.raises(TrexError, match="cannot be written to: No such file or directory"),
        locked(tmp_path / "not there"),
    ):
        pass
    (tmp_path / LOCK_NAME).mkdir()
    with pytest.raises(TrexError, match="cannot be written to: Is a directory"), locked(tmp_path):
        pass


@pytest.mark.skipif(os.name == "nt", reason="links and pipes of POSIX")
def test_a_lock_is_no_link_and_no_pipe(tmp_path: Path) -> None:
    """What a link leads to would be emptied, and written into."""
    mine, lock = tmp_path / "mine", tmp_path / LOCK_NAME
    mine.write_text("mine")
    lock.symlink_to(mine)
    with pytest.raises(TrexError, match="a link is in the place"), locked(tmp_path):
        pass
    lock.unlink()
    lock.hardlink_to(mine)
    with pytest.raises(TrexError, match="a hard link"), locked(tmp_path):
        pass
    lock.unlink()
    os.mkfifo(lock)
    with pytest.raises(TrexError, match="no regular file"), locked(tmp_path):
        pass
    assert mine.read_text() == "mine" and lock.exists()


def test_a_system_without_locks_is_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fcntl", None)
    with locked(tmp_path) as lock:
        assert [note.code for note in lock.notes] == ["folder-not-locked"]


def test_of_many_at_once_one_gets_it(tmp_path: Path) -> None:
    inside: list[int] = []
    refused: list[str] = []
    together = threading.Barrier(8)
    all_tried = threading.Barrier(8)

    def run(number: int) -> None:
        together.wait()
        try:
            with locked(tmp_path):
                inside.append(number)
                all_tried.wait()
        except TrexError as error:
            refused.append(error.message)
            all_tried.wait()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(inside) == 1 and len(refused) == 7


def test_a_full_disk_leaves_a_lock_without_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("trex.capture.folder_lock.os.write", full)
    with locked(tmp_path) as lock, pytest.raises(TrexError, match="another run writes"), locked(tmp_path):
        assert lock.notes == ()
    assert not (tmp_path / LOCK_NAME).exists()
