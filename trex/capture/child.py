"""One child process: its output as lines while it runs, kept as bytes in a log; stopped with all that it started.

The child leads a process group of its own, so that Ctrl-C at the terminal reaches it through us alone: it is told to
end (SIGTERM), and after a grace ended (SIGKILL); a second signal ends it at once.
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
LONGEST_LINE = 1 << 16

TIME_LIMIT = "time limit"
_CHUNK = 1 << 16
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
_ORPHANS_S = 2.0  # how long what the child left behind may hold its output open
_HAS_GROUPS = hasattr(os, "killpg")


@dataclass(frozen=True, slots=True)
class Ended:
    """How a child ended.

    exit_code: as the system tells it; −N when it died of signal N. stopped_by: "" when it ended by itself, else "time
    limit" or the signal that we got (``SIGINT``). started, ended: UTC. last_lines: the last twenty of its output.
    """

    exit_code: int
    stopped_by: str
    started: datetime
    ended: datetime
    duration_s: float
    last_lines: tuple[str, ...] = ()

    @property
    def is_well(self) -> bool:
        return self.exit_code == 0 and not self.stopped_by


def run_child(
    command: Sequence[str],
    log: str | Path,
    on_line: Callable[[str], None] = lambda _: None,
    time_limit_s: float | None = None,
    grace_s: float = GRACE_S,
    environment: Mapping[str, str] | None = None,
) -> Ended:
    """Runs ``command`` (never through a shell) to its end; stdout and stderr together go to ``log`` as they come.

    on_line: gets every line, decoded; of a line that was rewritten with carriage returns, what stands there at last.
    Lines beyond 64 KiB are cut for it, not in the log. What it raises stops the child and is passed on.
    time_limit_s: after so long the child is stopped. At SIGINT, SIGTERM and SIGHUP it is stopped, too; handlers that
    were there are back when this returns, and are not called: the caller sees ``stopped_by``.
    Raises TrexError for a program that cannot be started, and where the log cannot be written or takes no more.
    """
    with _opened_log(log) as file:
        started, clock = datetime.now(timezone.utc), time.monotonic()
        child = _start(command, environment)
        stop = _Stop(child, grace_s)
        last: deque[str] = deque(maxlen=LAST_LINES)

        def take(line: str) -> None:
            last.append(line)
            on_line(line)

        try:
            with _signals_to(stop), _timer(time_limit_s, stop):
                threading.Thread(target=_wait, args=(child, stop), daemon=True).start()
                _copy(child, file, str(log), take)
                stop.done.wait()
        finally:
            stop.at_once()
            assert child.stdout is not None
            child.stdout.close()
        code = child.wait()
        return Ended(code, stop.reason, started, datetime.now(timezone.utc), time.monotonic() - clock, tuple(last))


class Lines:
    """Chunks of bytes → lines of text, with at most one line held; carriage returns rewrite the line they are in."""

    def __init__(self) -> None:
        self._rest = b""
        self._is_cut = False

    def of(self, chunk: bytes) -> Iterator[str]:
        pieces = (self._rest + chunk).split(b"\n")
        self._rest = pieces.pop()
        for piece in pieces:
            if self._is_cut:  # the end of a line of which the beginning has been told
                self._is_cut = False
            else:
                yield _text(piece)
        if len(self._rest) > LONGEST_LINE:
            if not self._is_cut:
                yield _text(self._rest)
            self._rest, self._is_cut = b"", True

    def end(self) -> Iterator[str]:
        if self._rest and not self._is_cut:
            yield _text(self._rest)
        self._rest = b""


def _text(line: bytes) -> str:
    if b"\r" in line:
        parts = line.split(b"\r")
        line = next((part for part in reversed(parts) if part), b"")
    return line[:LONGEST_LINE].decode("utf-8", "replace")


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
        hint = "is it a program of this machine's architecture?"
        if isinstance(error, OSError) and error.errno == errno.E2BIG:
            hint = "the command line is too long for the system"
        raise TrexError(f"the program could not be started: {reason}", hint, command[0]) from None


class _Stop:
    """Ends the child's group: first asks, then forces. ``done`` is set when the child has ended."""

    def __init__(self, child: subprocess.Popen[bytes], grace_s: float) -> None:
        self._child = child
        self._grace_s = grace_s
        self._timer: threading.Timer | None = None
        self.reason = ""
        self.done = threading.Event()

    def ask(self, reason: str) -> None:
        if self.done.is_set():
            return
        if self.reason:
            self._send(_KILL)
            return
        self.reason = reason
        self._send(_TERM)
        self._timer = threading.Timer(self._grace_s, self._send, (_KILL,))
        self._timer.daemon = True
        self._timer.start()

    def at_once(self) -> None:
        """Whatever is left of the group is gone after this; nothing is when all went well."""
        if self._timer:
            self._timer.cancel()
        self._send(_KILL)
        self._child.wait()

    def _send(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if _HAS_GROUPS:
                os.killpg(self._child.pid, number)
            elif self._child.poll() is None:
                self._child.send_signal(number)


_TERM = getattr(signal, "CTRL_BREAK_EVENT", signal.SIGTERM) if os.name == "nt" else signal.SIGTERM
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


def _wait(child: subprocess.Popen[bytes], stop: _Stop) -> None:
    """Until the child ends, and then, if something it started still holds its output, a little longer."""
    child.wait()
    stop.done.set()
    time.sleep(_ORPHANS_S)
    if child.stdout is not None and not child.stdout.closed:
        stop._send(_KILL)


@contextlib.contextmanager
def _signals_to(stop: _Stop) -> Iterator[None]:
    """Signals that would end us stop the child instead; those that are ignored (``nohup``) stay so."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle(number: int, _frame: Any) -> None:
        stop.ask(signal.Signals(number).name)

    previous: dict[int, Any] = {}
    try:
        for name in _SIGNALS:
            number = getattr(signal, name, None)
            if number is None:
                continue
            before = signal.getsignal(number)
            if before is not None and before != signal.SIG_IGN:
                previous[number] = before
                signal.signal(number, handle)
        yield
    finally:
        for number, before in previous.items():
            signal.signal(number, before)


@contextlib.contextmanager
def _timer(time_limit_s: float | None, stop: _Stop) -> Iterator[None]:
    if not time_limit_s:
        yield
        return
    timer = threading.Timer(time_limit_s, stop.ask, (TIME_LIMIT,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextlib.contextmanager
def _opened_log(path: str | Path) -> Iterator[BinaryIO]:
    with contextlib.ExitStack() as stack:
        try:
            file = stack.enter_context(Path(path).open("wb", buffering=0))
        except OSError as error:
            raise TrexError(
                f"the log cannot be written: {error.strerror}", "choose another folder", str(path)
            ) from None
        yield file  # type: ignore[misc]


def _copy(child: subprocess.Popen[bytes], file: BinaryIO, where: str, take: Callable[[str], None]) -> None:
    assert child.stdout is not None
    lines = Lines()
    source = child.stdout.fileno()
    while chunk := os.read(source, _CHUNK):
        _write(file, chunk, where)
        for line in lines.of(chunk):
            take(line)
    for line in lines.end():
        take(line)


def _write(file: BinaryIO, chunk: bytes, where: str) -> None:
    try:
        while chunk:
            chunk = chunk[file.write(chunk) :]
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise TrexError(
                "there is no space left for the log, so the run was stopped",
                "free some, or choose another folder",
                where,
            ) from None
        raise TrexError(f"the log cannot be written: {error.strerror}", "check the disk", where) from None
