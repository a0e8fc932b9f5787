"""One child process: its output as lines while it runs, and as bytes in a log; stopped with all that it started.

The child leads a process group of its own, so that Ctrl-C in the terminal reaches it only through trex: it gets SIGTERM
and, after a grace period or a second signal, SIGKILL.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, BinaryIO

from trex.core.errors import TrexError

GRACE_S = 5.0
LAST_LINES = 20
MAX_LINE_BYTES = 1 << 16

TIME_LIMIT = "time limit"
_CHUNK_BYTES = 1 << 16
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
_ORPHANS_S = 2.0  # how long processes that the child left behind may hold its output open
_HAS_GROUPS = hasattr(os, "killpg")


@dataclass(frozen=True, slots=True)
class ChildResult:
    """How a child ended.

    exit_code: −N if it died of signal N. stopped_by: "" if it ended by itself, else "time limit" or the signal that
    trex got (``SIGINT``). started, ended: UTC. last_lines: the last twenty of its output. peak_bytes: the most memory
    that it held until its last output; None where the system does not report it.
    """

    exit_code: int
    stopped_by: str
    started: datetime
    ended: datetime
    duration_s: float
    last_lines: tuple[str, ...] = ()
    peak_bytes: int | None = None

    @property
    def succeeded(self) -> bool:
        return self.exit_code == 0 and not self.stopped_by


def run_child(
    command: Sequence[str],
    log: str | Path,
    on_line: Callable[[str], None] = lambda _: None,
    time_limit_s: float | None = None,
    grace_s: float = GRACE_S,
    environment: Mapping[str, str] | None = None,
) -> ChildResult:
    """Runs ``command`` (never through a shell) to its end; stdout and stderr go to ``log`` as they come.

    on_line: gets every line as text, cut after 64 KiB (the log is not); after carriage returns only the last part. An
    exception in it stops the child and is raised here. time_limit_s: stops the child after this time. SIGINT, SIGTERM
    and SIGHUP stop it too: their handlers are not called, and restored at the end; the caller sees ``stopped_by``.
    Raises TrexError if the program cannot start or the log cannot be written.
    """
    with _open_log(log) as file:
        started, clock = datetime.now(timezone.utc), time.monotonic()
        child = _start(command, environment)
        stopper = _Stopper(child, grace_s)
        last_lines: deque[str] = deque(maxlen=LAST_LINES)

        def take(line: str) -> None:
            last_lines.append(line)
            on_line(line)

        try:
            with _signals_to(stopper), _timer(time_limit_s, stopper):
                threading.Thread(target=_wait, args=(child, stopper), daemon=True).start()
                peak_bytes = _copy(child, file, str(log), take)
                stopper.done.wait()
        finally:
            stopper.kill()
            assert child.stdout is not None
            child.stdout.close()
        code = child.wait()
        ended, duration_s = datetime.now(timezone.utc), time.monotonic() - clock
        return ChildResult(code, stopper.reason, started, ended, duration_s, tuple(last_lines), peak_bytes)


class LineSplitter:
    """Chunks of bytes → lines of text. It holds one line at most; a carriage return rewrites its line."""

    def __init__(self) -> None:
        self._rest = b""
        self._is_cut = False

    def feed(self, chunk: bytes) -> Iterator[str]:
        pieces = (self._rest + chunk).split(b"\n")
        self._rest = pieces.pop()
        for piece in pieces:
            if self._is_cut:  # the rest of a line that was cut
                self._is_cut = False
            else:
                yield _decode(piece)
        if len(self._rest) > MAX_LINE_BYTES:
            if not self._is_cut:
                yield _decode(self._rest)
            self._rest, self._is_cut = b"", True

    def finish(self) -> Iterator[str]:
        if self._rest and not self._is_cut:
            yield _decode(self._rest)
        self._rest = b""


def _decode(line: bytes) -> str:
    if b"\r" in line:
        parts = line.split(b"\r")
        line = next((part for part in reversed(parts) if part), b"")
    return line[:MAX_LINE_BYTES].decode("utf-8", "replace")


def _start(command: Sequence[str], environment: Mapping[str, str] | None) -> subprocess.Popen[bytes]:
    options: dict[str, Any] = {"start_new_session": True}
    if os.name == "nt":
        options = {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
    try:
        return subprocess.Popen(
            [os.fspath(word) for word in command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            bufsize=0,
            env=None if environment is None else dict(environment),
            **options,
        )
    except FileNotFoundError:
        raise TrexError("there is no such program", "check the path", command[0]) from None
    except PermissionError:
        raise TrexError("this program may not be executed", f"chmod +x {command[0]}", command[0]) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        hint = "is it a program for this machine's architecture?"
        if isinstance(error, OSError) and error.errno == errno.E2BIG:
            hint = "the command line is too long for the system"
        raise TrexError(f"the program could not be started: {reason}", hint, command[0]) from None


class _Stopper:
    """Ends the child's process group: SIGTERM first, then SIGKILL. ``done`` is set when the child has ended."""

    def __init__(self, child: subprocess.Popen[bytes], grace_s: float) -> None:
        self._child = child
        self._grace_s = grace_s
        self._timer: threading.Timer | None = None
        self.reason = ""
        self.done = threading.Event()

    def stop(self, reason: str) -> None:
        if self.done.is_set():
            return
        if self.reason:
            self.send(_KILL)
            return
        self.reason = reason
        self.send(_TERM)
        self._timer = threading.Timer(self._grace_s, self.send, (_KILL,))
        self._timer.daemon = True
        self._timer.start()

    def kill(self) -> None:
        """Kills whatever is left of the group."""
        if self._timer:
            self._timer.cancel()
        self.send(_KILL)
        self._child.wait()

    def send(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if _HAS_GROUPS:
                os.killpg(self._child.pid, number)
            elif self._child.poll() is None:
                self._child.send_signal(number)


_TERM = getattr(signal, "CTRL_BREAK_EVENT", signal.SIGTERM) if os.name == "nt" else signal.SIGTERM
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


def _wait(child: subprocess.Popen[bytes], stopper: _Stopper) -> None:
    """Waits for the child and then, if a process that it started holds its output open, a little longer."""
    child.wait()
    stopper.done.set()
    time.sleep(_ORPHANS_S)
    if child.stdout is not None and not child.stdout.closed:
        stopper.send(_KILL)


@contextlib.contextmanager
def _signals_to(stopper: _Stopper) -> Iterator[None]:
    """Signals that would end trex stop the child instead; ignored signals (``nohup``) stay ignored."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle(number: int, _frame: Any) -> None:
        stopper.stop(signal.Signals(number).name)

    previous: dict[int, Any] = {}
    try:
        for name in _SIGNALS:
            number = getattr(signal, name, None)
            if number is None:
                continue
            handler = signal.getsignal(number)
            if handler is not None and handler != signal.SIG_IGN:
                previous[number] = handler
                signal.signal(number, handle)
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _timer(time_limit_s: float | None, stopper: _Stopper) -> Iterator[None]:
    if not time_limit_s:
        yield
        return
    timer = threading.Timer(time_limit_s, stopper.stop, (TIME_LIMIT,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _open_log(path: str | Path) -> BinaryIO:
    try:
        return Path(path).open("wb", buffering=0)
    except OSError as error:
        raise TrexError(f"the log cannot be written: {error.strerror}", "choose another folder", str(path)) from None


def _copy(child: subprocess.Popen[bytes], log: BinaryIO, where: str, take: Callable[[str], None]) -> int | None:
    """The child's peak memory: asked for with its output, for nothing is known of it when it has ended."""
    assert child.stdout is not None
    lines = LineSplitter()
    source = child.stdout.fileno()
    peak_bytes = None
    while chunk := os.read(source, _CHUNK_BYTES):
        peak_bytes = _peak_bytes(child.pid) or peak_bytes
        _write(log, chunk, where)
        for line in lines.feed(chunk):
            take(line)
    for line in lines.finish():
        take(line)
    return peak_bytes


def _peak_bytes(process: int) -> int | None:
    """Linux only. Not from the usage that is reported at the end: that begins with trex's own memory."""
    with contextlib.suppress(OSError, ValueError):
        status = Path(f"/proc/{process}/status").read_bytes()
        rest = status.partition(b"VmHWM:")[2]
        return int(rest.split(None, 1)[0]) * 1024 if rest else None
    return None


def _write(log: BinaryIO, chunk: bytes, where: str) -> None:
    try:
        while chunk:
            chunk = chunk[log.write(chunk) :]
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            message = "there is no space left for the log, so the run was stopped"
            raise TrexError(message, "free some, or choose another folder", where) from None
        raise TrexError(f"the log cannot be written: {error.strerror}", "check the disk", where) from None
