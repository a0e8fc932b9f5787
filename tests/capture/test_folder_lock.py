"""Two runs never write into one folder; the lock of a killed run stops no other."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from trex.capture import folder_lock
from trex.capture.folder_lock import LOCK_NAME, LockHolder, locked
from trex.core.errors import TrexError


def me() -> LockHolder:
    return LockHolder(
        os.getpid(), folder_lock.socket.gethostname(), folder_lock._pid_namespace(), folder_lock._start_of(os.getpid())
    )


def leave(folder: Path, holder: LockHolder) -> Path:
    path = folder / LOCK_NAME
    path.write_text(json.dumps(asdict(holder)), encoding="utf-8")
    return path


def ended_process() -> int:
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    return done.pid


def test_one_at_a_time(tmp_path: Path) -> None:
    with locked(tmp_path) as notes:
        assert notes == ()
        with pytest.raises(TrexError, match="another run writes into this folder") as caught, locked(tmp_path):
            pass
        assert f"process {os.getpid()} on {me().host}, since 20" in caught.value.message
        assert f"rm {tmp_path / LOCK_NAME}" in caught.value.hint
    with locked(tmp_path):
        pass
    assert not list(tmp_path.iterdir())


def test_it_is_given_back_after_an_exception(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), locked(tmp_path):
        raise ZeroDivisionError
    assert not list(tmp_path.iterdir())


def test_the_lock_of_a_killed_run_is_taken_over(tmp_path: Path) -> None:
    gone = ended_process()
    leave(tmp_path, replace(me(), process=gone))
    with locked(tmp_path) as notes:
        (note,) = notes
        assert note.code == "stale-lock" and f"took over the lock of process {gone}" in note.message
        with pytest.raises(TrexError, match=f"process {os.getpid()}"), locked(tmp_path):
            pass
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not folder_lock._start_of(os.getpid()), reason="the system does not report when processes started")
def test_a_number_that_was_given_again_is_another_process(tmp_path: Path) -> None:
    leave(tmp_path, replace(me(), started="long ago"))
    with locked(tmp_path) as notes:
        assert [note.code for note in notes] == ["stale-lock"]


@pytest.mark.parametrize("elsewhere", [{"host": "other"}, {"space": "pid:[1]"}])
def test_of_other_machines_and_containers_nothing_is_known(elsewhere: dict[str, str], tmp_path: Path) -> None:
    path = leave(tmp_path, replace(me(), process=ended_process(), **elsewhere))
    with pytest.raises(TrexError, match="another run") as caught, locked(tmp_path):
        pass
    assert f"if it is gone: rm {path}" in caught.value.hint and path.exists()


@pytest.mark.parametrize("content", ["", "{", "[1]", '{"process": "a"}', "\0"])
def test_an_unreadable_lock_is_taken_over(content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder_lock, "_RETRY_S", 0.0)
    (tmp_path / LOCK_NAME).write_text(content, encoding="utf-8")
    with locked(tmp_path) as notes:
        assert "an unknown run" in notes[0].message


def test_a_lock_that_cannot_be_created(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TrexError, match="cannot be locked: No such file or directory"), locked(tmp_path / "not there"):
        pass
    monkeypatch.setattr(folder_lock, "_RETRY_S", 0.0)
    (tmp_path / LOCK_NAME).mkdir()
    with pytest.raises(TrexError, match="cannot be replaced"), locked(tmp_path):
        pass


def test_of_many_at_once_one_takes_over(tmp_path: Path) -> None:
    leave(tmp_path, replace(me(), process=ended_process()))
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
