"""A set of files is swapped in completely or not at all, whatever step a kill, a full disk or a mistake comes at."""

from __future__ import annotations

import errno
import json
import os
import pathlib
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from trex.core import whole_set
from trex.core.errors import TrexError
from trex.core.whole_set import RUN_FOLDER, finish_swap, run_folder, swap_in

posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills need POSIX")
STEPS = ("replace", "unlink", "mkdir", "rmdir", "fsync")
OLD = {"a": "old a", "b": "old b", "gone": "old", "mine": "the user's", "ü ö": "old"}
NEW = {"a": "new a", "b": "new b", "c": "new c", "ü ö": "new"}
AFTER = {**NEW, "mine": "the user's"}


def folder_with(tmp_path: Path) -> Path:
    folder = tmp_path / "out put"
    run_folder(folder, "x").mkdir(parents=True)
    for name, text in OLD.items():
        (folder / name).write_text(text)
    for name, text in NEW.items():
        (run_folder(folder, "x") / name).write_text(text)
    return folder


def swap(folder: Path) -> None:
    swap_in(folder, "x", ["a", "gone", "not there"])


def files_of(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}


def put(name: str, function: Callable[..., object]) -> None:
    """``function`` in the place of os.name; pathlib of Python 3.10 has its own reference."""
    setattr(os, name, function)
    if accessor := getattr(pathlib, "_normal_accessor", None):
        setattr(accessor, name, function)


def killed_at(step: int, run: Callable[[], object]) -> bool:
    """Runs in a process of its own that kills itself before its step of that number; False if it had no such step."""
    process = os.fork()
    if not process:
        try:
            left = step
            for name in STEPS:
                own = getattr(os, name)

                def counted(*words, own=own, **options):
                    nonlocal left
                    left -= 1
                    if left < 0:
                        os.kill(os.getpid(), signal.SIGKILL)
                    return own(*words, **options)

                put(name, counted)
            run()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == -signal.SIGKILL


def test_all_files_get_in_and_others_stay(tmp_path):
    folder = folder_with(tmp_path)
    swap(folder)
    assert files_of(folder) == AFTER
    assert [path.name for path in (folder / RUN_FOLDER).iterdir()] == ["x.new"]


@posix
def test_a_kill_at_any_step(tmp_path):
    outcomes = []
    for step in range(200):
        folder = folder_with(tmp_path / str(step))
        was_killed = killed_at(step, partial(swap, folder))
        finish_swap(folder)
        files = files_of(folder)
        assert files in (OLD, AFTER), step
        if files == OLD:  # nothing of the new set is lost
            assert files_of(run_folder(folder, "x")) == NEW
            swap(folder)
            assert files_of(folder) == AFTER
        outcomes.append(files == AFTER)
        if not was_killed:
            break
    assert len(outcomes) > 10 and outcomes[0] is False and outcomes == sorted(outcomes) and outcomes[-2]


@posix
def test_a_kill_while_a_kill_is_mended(tmp_path):
    for first in range(4, 12):
        for second in range(30):
            folder = folder_with(tmp_path / f"{first} {second}")
            assert killed_at(first, partial(swap, folder))
            if not killed_at(second, partial(finish_swap, folder)):
                break
            finish_swap(folder)
            assert files_of(folder) in (OLD, AFTER)


def test_a_failure_at_any_step_changes_nothing(tmp_path):
    """A folder that suddenly takes no more renames: all is as it was."""
    failures = 0
    for step in range(100):
        folder = folder_with(tmp_path / str(step))
        left = step
        own = os.replace

        def fails_once(*words, own=own):
            nonlocal left
            left -= 1
            if left == -1:
                raise OSError(errno.EACCES, "Permission denied")
            return own(*words)

        put("replace", fails_once)
        try:
            swap(folder)
        except TrexError as error:
            failures += 1
            assert "cannot be moved in: Permission denied" in error.message
            assert files_of(folder) == OLD and files_of(run_folder(folder, "x")) == NEW, step
        finally:
            put("replace", own)
        if left >= 0:
            break
    assert failures > 5 and files_of(folder) == AFTER


def test_a_folder_in_the_place_of_a_file(tmp_path):
    folder = folder_with(tmp_path)
    (folder / "c").mkdir()
    with pytest.raises(TrexError, match="a folder is in the place of a file"):
        swap(folder)
    assert files_of(folder) == OLD


@posix
def test_what_cannot_be_finished_is_said(tmp_path):
    folder = folder_with(tmp_path)
    step = next(step for step in range(100) if _is_unfinished_after(step, folder, tmp_path / str(step)))
    folder = tmp_path / str(step) / "out put"

    def refuse(*_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    own = os.replace
    put("replace", refuse)
    try:
        with pytest.raises(TrexError, match="this cannot be finished: Read-only file system"):
            finish_swap(folder)
    finally:
        put("replace", own)
    finish_swap(folder)
    assert files_of(folder) == AFTER


def _is_unfinished_after(step: int, _: Path, place: Path) -> bool:
    folder = folder_with(place)
    killed_at(step, lambda: swap(folder))
    return (folder / RUN_FOLDER / "swap.json").exists() and "c" not in files_of(folder)


def write_journal(folder: Path, change: dict[str, object]) -> None:
    journal = folder / RUN_FOLDER / "swap.json"
    journal.touch()
    content = {"source": "x.new", "installed": ["a"], "removed": ["b"], "inode": journal.stat().st_ino}
    journal.write_text(json.dumps(content | change))


@pytest.mark.parametrize(
    "change",
    [
        {"installed": ["../outside"]}, {"removed": ["../outside"]}, {"removed": ["/etc/x"]}, {"source": ".."},
        {"source": "../.."}, {"removed": [""]}, {"removed": ["."]}, {"removed": [3]}, {"removed": 3},
        {"installed": None},
        {"removed": ["a\0b"]}, {"source": 7}, {"removed": ["folder"]}, {"removed": ["a" * 5000]},
        {"inode": 1}, {"inode": None},  # unpacked or cloned: not written here
    ],
)  # fmt: skip
def test_a_journal_that_leads_elsewhere_is_none_of_ours(change, tmp_path):
    """Folders come from others too."""
    folder = folder_with(tmp_path)
    (folder / "folder").mkdir()
    (tmp_path / "outside").write_text("stays")
    write_journal(folder, change)
    assert not finish_swap(folder)
    assert files_of(folder) == OLD and (tmp_path / "outside").read_text() == "stays"


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff", b"[" * 100_000])
def test_a_journal_that_is_none(content, tmp_path):
    folder = folder_with(tmp_path)
    (folder / RUN_FOLDER / "swap.json").write_bytes(content)
    finish_swap(folder)
    assert files_of(folder) == OLD


@posix
def test_a_pipe_is_not_waited_for(tmp_path):
    (tmp_path / RUN_FOLDER).mkdir()
    os.mkfifo(tmp_path / RUN_FOLDER / "swap.json")
    finish_swap(tmp_path)
    folder = folder_with(tmp_path)
    os.mkfifo(folder / RUN_FOLDER / "swap.draft")
    swap(folder)
    assert files_of(folder) == AFTER


def test_links_are_not_followed(tmp_path):
    folder = folder_with(tmp_path)
    elsewhere = tmp_path / "elsewhere"
    (folder / RUN_FOLDER).rename(elsewhere)
    (folder / RUN_FOLDER).symlink_to(elsewhere)
    write_journal(folder, {})
    finish_swap(folder)
    assert files_of(folder) == OLD


@posix
def test_a_signal_at_any_step_waits_for_the_last(tmp_path, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        for step in range(200):
            folder, left = folder_with(tmp_path / str(step)), [step]
            with monkeypatch.context() as patched:
                for name in STEPS:
                    own = getattr(os, name)

                    def counted(*words, own=own, left=left, **options):
                        left[0] -= 1
                        if left[0] == -1:
                            signal.raise_signal(signal.SIGTERM)
                        return own(*words, **options)

                    patched.setattr(os, name, counted)
                try:
                    swap(folder)
                except KeyboardInterrupt:
                    pass
                else:
                    break
            assert files_of(folder) == AFTER
            assert [path.name for path in (folder / RUN_FOLDER).iterdir()] == ["x.new"]
        assert 10 < step < 200
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_lock_of_another_is_not_waited_for_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fcntl = pytest.importorskip("fcntl")
    monkeypatch.setattr(whole_set, "_SWAP_S", 0.1)
    journal = tmp_path / ".trex.run" / "swap.json"
    journal.parent.mkdir()
    journal.write_text("{}")
    with journal.open() as held:
        fcntl.flock(held, fcntl.LOCK_SH)
        with pytest.raises(TrexError, match="another process holds"):
            finish_swap(tmp_path)
