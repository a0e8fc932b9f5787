"""The lock of an output folder: one run at a time writes into it; a file in it tells which."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from trex.capture.manifest import utc_text
from trex.core.errors import TrexError
from trex.core.note import Note

LOCK_NAME = ".trex.lock"

_ATTEMPTS = 20
_WRITING_S = 0.05  # how long somebody may take from making the file to writing it, a few times over
_MOST_BYTES = 4096


@dataclass(frozen=True, slots=True)
class LockHolder:
    """Who writes into the folder. process: its number. space: which processes have numbers of their own, as those of a
    container do. started: which of all that had the number; "" where the system does not tell. since: UTC.
    """

    process: int
    host: str
    space: str = ""
    started: str = ""
    since: str = ""

    @property
    def is_gone(self) -> bool:
        """True only where that is certain: of other machines' and containers' processes nothing is known."""
        if (self.host, self.space) != (socket.gethostname(), _space()):
            return False
        if not _is_alive(self.process):
            return True
        now = _started(self.process)
        return bool(self.started and now) and now != self.started


@contextmanager
def locked(folder: Path) -> Iterator[tuple[Note, ...]]:
    """Inside ``with`` no other run writes into the folder. Gives a Note where one that was killed had left its lock.

    Raises TrexError, naming process and machine, while another run writes there.
    """
    path = folder / LOCK_NAME
    now = utc_text(datetime.now(timezone.utc))
    mine = LockHolder(os.getpid(), socket.gethostname(), _space(), _started(os.getpid()), now)
    notes = _taken(path, mine)
    try:
        yield notes
    finally:
        if _holder(path) == mine:
            with contextlib.suppress(OSError):
                path.unlink()


def _taken(path: Path, mine: LockHolder) -> tuple[Note, ...]:
    for attempt in range(_ATTEMPTS):
        try:
            handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
        except FileExistsError:
            other = _holder(path)
            if other is None and attempt < _ATTEMPTS // 2:  # being written, or being taken back
                time.sleep(_WRITING_S)
                continue
            if other is not None and not other.is_gone:
                who = f"process {other.process} on {other.host}"
                raise TrexError(
                    f"another run writes into this folder: {who}, since {other.since}",
                    f"wait for its end, or give another folder; if it is gone: rm {path}",
                    str(path.parent),
                ) from None
            if _take_over(path, other, mine):
                whose = f"process {other.process}" if other else "a run that nothing is told of"
                message = f"the lock of {whose} was still here, though it has ended; it was taken over"
                return (
                    Note("stale-lock", message, "what a run that was killed has collected is kept", str(path), "info"),
                )
        except OSError as error:
            reason = error.strerror
            raise TrexError(
                f"the output folder cannot be locked: {reason}", "choose another folder", str(path)
            ) from None
        else:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(asdict(mine), file)
            return ()
    raise TrexError("the output folder cannot be locked: other runs come and go", "try it again", str(path))


def _take_over(path: Path, other: LockHolder | None, mine: LockHolder) -> bool:
    """Writes us into the lock of one that is gone; False where somebody else was faster."""
    try:
        with path.open("r+b") as file:
            _alone_with(file)
            if not os.path.samestat(os.fstat(file.fileno()), path.stat()) or _read(file.read(_MOST_BYTES)) != other:
                return False
            file.seek(0)
            file.truncate()
            file.write(json.dumps(asdict(mine)).encode())
            return True
    except FileNotFoundError:
        return False
    except OSError as error:
        raise TrexError(
            f"the lock of a run that ended cannot be replaced: {error.strerror}", f"rm {path}", str(path)
        ) from None


def _alone_with(file: Any) -> None:
    """Waits until no other process has the file so; where the system has no such thing, the risk is that of a race."""
    try:
        import fcntl
    except ImportError:
        return
    with contextlib.suppress(OSError):
        fcntl.flock(file, fcntl.LOCK_EX)


def _holder(path: Path) -> LockHolder | None:
    try:
        with path.open("rb") as file:
            return _read(file.read(_MOST_BYTES))
    except OSError:
        return None


def _read(data: bytes) -> LockHolder | None:
    """None for what is not, or not yet, what a run writes."""
    try:
        told = json.loads(data)
        holder = LockHolder(**{field.name: told[field.name] for field in fields(LockHolder)})
    except (ValueError, TypeError, KeyError):
        return None
    return holder if isinstance(holder.process, int) and 0 < holder.process < 1 << 31 else None


def _is_alive(process: int) -> bool:
    if os.name == "nt":  # asking would end it there
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _started(process: int) -> str:
    """The time since the machine was started, and which start of the machine that was."""
    try:
        facts = Path(f"/proc/{process}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        return f"{Path('/proc/sys/kernel/random/boot_id').read_text().strip()} {facts[19]}"
    except (OSError, IndexError):
        return ""


def _space() -> str:
    try:
        return os.readlink("/proc/self/ns/pid")  # noqa: PTH115 (it leads nowhere)
    except OSError:
        return ""
