"""The lock of an output folder: a file in it names the one run that writes into it."""

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
_RETRY_S = 0.05  # between creating and writing the file another run needs less, a few times over
_MAX_BYTES = 4096


@dataclass(frozen=True, slots=True)
class LockHolder:
    """The run that holds the lock. process: its number. space: the PID namespace, as containers have their own.

    started: when the process started, "" if the system does not report it: numbers are reused. since: UTC.
    """

    process: int
    host: str
    space: str = ""
    started: str = ""
    since: str = ""

    @property
    def is_gone(self) -> bool:
        """True only if certain: nothing is known about processes of other machines and containers."""
        if (self.host, self.space) != (socket.gethostname(), _pid_namespace()):
            return False
        if not _is_alive(self.process):
            return True
        started = _start_of(self.process)
        return bool(self.started and started) and started != self.started


@contextmanager
def locked(folder: Path) -> Iterator[tuple[Note, ...]]:
    """Inside ``with`` no other run writes into the folder. Yields a Note if a killed run had left its lock.

    Raises TrexError with process and machine while another run writes there.
    """
    path = folder / LOCK_NAME
    now = utc_text(datetime.now(timezone.utc))
    own = LockHolder(os.getpid(), socket.gethostname(), _pid_namespace(), _start_of(os.getpid()), now)
    notes = _acquire(path, own)
    try:
        yield notes
    finally:
        if _read_holder(path) == own:
            with contextlib.suppress(OSError):
                path.unlink()


def _acquire(path: Path, own: LockHolder) -> tuple[Note, ...]:
    for attempt in range(_ATTEMPTS):
        try:
            handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
        except FileExistsError:
            other = _read_holder(path)
            if other is None and attempt < _ATTEMPTS // 2:  # being written or removed
                time.sleep(_RETRY_S)
                continue
            if other is not None and not other.is_gone:
                run = f"process {other.process} on {other.host}, since {other.since}"
                raise TrexError(
                    f"another run writes into this folder: {run}",
                    f"wait for it, or choose another folder; if it is gone: rm {path}",
                    str(path.parent),
                ) from None
            if _take_over(path, other, own):
                owner = f"process {other.process}" if other else "an unknown run"
                message = f"took over the lock of {owner}, which has ended"
                return (Note("stale-lock", message, "files of a killed run are kept", str(path), "info"),)
        except OSError as error:
            raise TrexError(
                f"the output folder cannot be locked: {error.strerror}", "choose another folder", str(path)
            ) from None
        else:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(asdict(own), file)
            return ()
    raise TrexError("the output folder cannot be locked: other runs keep locking it", "try again", str(path))


def _take_over(path: Path, other: LockHolder | None, own: LockHolder) -> bool:
    """Writes ``own`` into the lock of a run that has ended; False if another run was faster."""
    try:
        with path.open("r+b") as file:
            _lock_file(file)
            if not os.path.samestat(os.fstat(file.fileno()), path.stat()) or _parse(file.read(_MAX_BYTES)) != other:
                return False
            file.seek(0)
            file.truncate()
            file.write(json.dumps(asdict(own)).encode())
            return True
    except FileNotFoundError:
        return False
    except OSError as error:
        raise TrexError(
            f"the lock of a run that has ended cannot be replaced: {error.strerror}", f"rm {path}", str(path)
        ) from None


def _lock_file(file: Any) -> None:
    """Waits until no other process has locked the file; does nothing on systems without flock."""
    try:
        import fcntl
    except ImportError:
        return
    with contextlib.suppress(OSError):
        fcntl.flock(file, fcntl.LOCK_EX)


def _read_holder(path: Path) -> LockHolder | None:
    try:
        with path.open("rb") as file:
            return _parse(file.read(_MAX_BYTES))
    except OSError:
        return None


def _parse(data: bytes) -> LockHolder | None:
    """None for an incomplete or foreign file."""
    try:
        values = json.loads(data)
        holder = LockHolder(**{field.name: values[field.name] for field in fields(LockHolder)})
    except (ValueError, TypeError, KeyError):
        return None
    return holder if isinstance(holder.process, int) and 0 < holder.process < 1 << 31 else None


def _is_alive(process: int) -> bool:
    if os.name == "nt":  # os.kill would end the process there
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _start_of(process: int) -> str:
    """Boot of the machine, and clock ticks from it to the start of the process."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        return f"{Path('/proc/sys/kernel/random/boot_id').read_text().strip()} {stat[19]}"
    except (OSError, IndexError):
        return ""


def _pid_namespace() -> str:
    try:
        return os.readlink("/proc/self/ns/pid")  # noqa: PTH115 (the link has no target)
    except OSError:
        return ""
