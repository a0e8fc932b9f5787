"""Claims: small files in a store that say which jobs are running, so that two sweeps at once do not run one twice.

A claim is renewed while its job runs, and expires without that. Ages are those of the file system's clock.
A claim whose process on this machine has ended is free at once. Without them, or if one is lost, nothing is damaged:
a job may run twice, and the store keeps the files of both apart.
"""

from __future__ import annotations

import json
import os
import socket
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from trex.capture.process_tree import start_of_process
from trex.core.errors import TrexError
from trex.core.regular_file import open_regular

FOLDER = "claims"
EXPIRES_S = 120.0
RENEW_S = 20.0
_LONGEST = 4096


class Claimed(Exception):
    """The job is running elsewhere. holder: where, for people."""

    def __init__(self, holder: str) -> None:
        super().__init__(holder)
        self.holder = holder


class Claim:
    """One job of ours; see ``claimed``."""

    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._text = text

    def renew(self) -> None:
        with suppress(OSError):
            os.utime(self._path)

    def release(self) -> None:
        """Unless another process has taken it over."""
        with suppress(OSError):
            if _content(self._path)[0] == self._text:
                self._path.unlink()


@contextmanager
def claimed(store: Path, name: str, holder: str) -> Iterator[Claim]:
    """Inside ``with`` no other sweep runs the job. holder: for people.

    Raises Claimed if another process has it, and TrexError where no file can be written.
    """
    claim = _take(store / FOLDER / name, holder)
    try:
        yield claim
    finally:
        claim.release()


def holder_of(store: Path, name: str) -> str:
    """Who runs the job, as far as is known; "" if it is free."""
    with suppress(OSError):
        text, age = _read(store / FOLDER / name)
        return _holder(text) if text is not None and not _is_over(text, age) else ""
    return ""


def _take(path: Path, holder: str) -> Claim:
    text = json.dumps(
        {
            "holder": holder,
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "started": start_of_process(os.getpid()),
            "claim": uuid.uuid4().hex,
        }
    )
    try:
        path.parent.mkdir(exist_ok=True)
        while True:
            if _create(path, text):
                return Claim(path, text)
            known, age = _read(path)
            if known is not None and not _is_over(known, age):
                raise Claimed(_holder(known))
            if known is not None:
                _remove(path, known)
    except OSError as error:
        hint = "check the store's folder, its space and permissions"
        raise TrexError(f"the job cannot be claimed: {error.strerror or error}", hint, str(path)) from None


def _create(path: Path, text: str) -> bool:
    """Whole, or not at all: the file gets its name when it has its content."""
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}")
    try:
        temporary.write_text(text, "utf-8")
        try:
            os.link(temporary, path)
        except FileExistsError:
            return False
        except OSError:  # a file system without links
            try:
                with path.open("x", encoding="utf-8") as file:
                    file.write(text)
            except FileExistsError:
                return False
    finally:
        temporary.unlink(missing_ok=True)
    return True


def _remove(path: Path, known: str) -> None:
    """A claim that is over, unless another process has replaced it meanwhile."""
    aside = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}")
    with suppress(FileNotFoundError):
        path.rename(aside)
        if _content(aside)[0] != known:
            with suppress(OSError):
                os.link(aside, path)
        aside.unlink(missing_ok=True)


def _read(path: Path) -> tuple[str | None, float]:
    """(content, age in seconds by the clock that stamps this folder's files); None without a claim. Raises OSError."""
    probe = path.with_name(f".now.{uuid.uuid4().hex[:8]}")
    try:
        text, written = _content(path)
        probe.touch()
        now = probe.stat().st_mtime
        return text, now - written
    except FileNotFoundError:
        if path.is_symlink():
            raise
        return None, 0.0
    finally:
        with suppress(OSError):
            probe.unlink()


def _content(path: Path) -> tuple[str, float]:
    """(text, when it was written). Raises OSError, also for what is no regular file."""
    with open_regular(path) as file:
        return file.read(_LONGEST).decode("utf-8", "replace"), os.fstat(file.fileno()).st_mtime


def _is_over(text: str, age: float) -> bool:
    facts = _facts(text)
    if age > EXPIRES_S:
        return True
    pid, started = facts.get("pid"), facts.get("started")
    if facts.get("host") != socket.gethostname() or not isinstance(pid, int) or not started:
        return False
    return start_of_process(pid) != started


def _holder(text: str) -> str:
    return str(_facts(text).get("holder", "another sweep"))


def _facts(text: str) -> dict[str, object]:
    with suppress(ValueError, RecursionError):
        facts = json.loads(text)
        if isinstance(facts, dict):
            return facts
    return {}
