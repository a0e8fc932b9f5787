"""One child process: its output as lines while it runs, and as bytes in a log; stopped with all that it started.

The child has a session of its own, so that Ctrl-C in the terminal reaches it only through trex: it and all that it
started get SIGTERM and, after a grace period or a second signal, SIGKILL.
"""

from __future__ import annotations

import contextlib
import errno
import os
import queue
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, BinaryIO

from trex.capture.process_tree import ProcessTree, start_tree
from trex.core.errors import TrexError
from trex.core.printable import shell_word

_LONGEST_S = 1e9
"""A longer time is none: a thread can't wait so long on every platform."""
GRACE_S = 5.0
LAST_LINES = 20
MAX_LINE_BYTES = 1 << 16

TIME_LIMIT = "time limit"
_CHUNK_BYTES = 1 << 16
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
_ORPHANS_S = 2.0  # how long processes that the child left behind may hold its output open
_HANGS_S = 10.0
_WAKE_S = 0.2
_CHUNKS = 16  # read ahead, at most


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

    def pass_signal_on(self) -> None:
        """A signal that stopped the child was for trex: its own handler gets it."""
        pass_signal_on(self.stopped_by)


def run_child(
    command: Sequence[str],
    log: str | Path,
    on_line: Callable[[str], None] = lambda _: None,
    time_limit_s: float | None = None,
    grace_s: float = GRACE_S,
    environment: Mapping[str, str] | None = None,
    on_start: Callable[[int], None] = lambda _: None,
) -> ChildResult:
    """Runs ``command`` (never through a shell) to its end; stdout and stderr go to ``log`` as they come.

    on_line: gets every line as text, cut after 64 KiB (the log is not); after carriage returns only the last part. An
    exception in it stops the child and is raised here. time_limit_s: stops the child after this time. SIGINT, SIGTERM
    and SIGHUP stop it too: their handlers are not called, and restored at the end; the caller sees ``stopped_by``.
    on_start: gets the child's process id. Raises TrexError if the program cannot start or the log cannot be written.
    """
    with _open_log(log) as file:
        started, clock = datetime.now(timezone.utc), time.monotonic()
        tree = _start(command, environment)
        stopper = _Stopper(tree, grace_s)
        output = _Output(tree.output)
        last_lines: deque[str] = deque(maxlen=LAST_LINES)

        def take(line: str) -> None:
            last_lines.append(line)
            on_line(line)

        try:
            with _signals_to(stopper), _timer(time_limit_s, stopper):
                threading.Thread(target=stopper.wait, daemon=True).start()
                on_start(tree.pid)
                peak_bytes = _copy(output.chunks(stopper), tree.pid, file, str(log), take)
                stopper.wait_for_end()
        finally:
            output.leave()
            stopper.end()
        ended, duration_s = datetime.now(timezone.utc), time.monotonic() - clock
        return ChildResult(stopper.code, stopper.reason, started, ended, duration_s, tuple(last_lines), peak_bytes)


def pass_signal_on(stopped_by: str) -> None:
    """stopped_by: as of a ChildResult."""
    if stopped_by not in ("", TIME_LIMIT):
        signal.raise_signal(signal.Signals[stopped_by])


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


def _start(command: Sequence[str], environment: Mapping[str, str] | None) -> ProcessTree:
    try:
        return start_tree(command, environment)
    except FileNotFoundError:
        raise TrexError("there is no such program", "check the path", command[0]) from None
    except PermissionError:
        raise TrexError("this program may not be executed", f"chmod +x {shell_word(command[0])}", command[0]) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        hint = "is it a program for this machine's architecture?"
        if isinstance(error, OSError) and error.errno == errno.E2BIG:
            hint = "the command line is too long for the system"
        raise TrexError(f"the program could not be started: {reason}", hint, command[0]) from None


class _Stopper:
    """Ends the child with all that it started: SIGTERM first, then SIGKILL. ``done``: the child itself has ended."""

    def __init__(self, tree: ProcessTree, grace_s: float) -> None:
        self._tree = tree
        self._grace_s = grace_s
        self._timer: threading.Timer | None = None
        self._killed = float("inf")
        self.reason = ""
        self.code = -9
        self.done = threading.Event()

    def wait(self) -> None:
        """In a thread of its own."""
        self.code = self._tree.wait()
        self.done.set()

    def stop(self, reason: str) -> None:
        if self.done.is_set():
            # The child ended in time; a signal is for trex all the same, and nothing else would see it.
            self.reason = self.reason or ("" if reason == TIME_LIMIT else reason)
            return
        if self.reason:
            self.kill()
            return
        self.reason = reason
        self._tree.terminate()
        self._timer = threading.Timer(self._grace_s, self.kill)
        self._timer.daemon = True
        self._timer.start()

    def kill(self) -> None:
        self._killed = min(self._killed, time.monotonic())
        self._tree.kill()

    @property
    def is_given_up(self) -> bool:
        """A process that SIGKILL does not end hangs in a driver."""
        return time.monotonic() > self._killed + _HANGS_S

    def wait_for_end(self) -> None:
        while not self.done.wait(_WAKE_S) and not self.is_given_up:
            pass

    def end(self) -> None:
        """Ends whatever is left."""
        if self._timer:
            self._timer.cancel()
        self._tree.close()


class _Output:
    """What a child prints, read in a thread: whoever holds the other end of the pipe cannot hold trex."""

    def __init__(self, source: int) -> None:
        self._queue: queue.Queue[bytes] = queue.Queue(_CHUNKS)
        self._is_left = False
        threading.Thread(target=self._read, args=(source,), daemon=True).start()

    def chunks(self, stopper: _Stopper) -> Iterator[bytes]:
        """Until the end of the output; after the child's end, processes that it left behind get a little time."""
        limit, is_killed = float("inf"), False
        while True:
            try:
                chunk = self._queue.get(timeout=_WAKE_S)
            except queue.Empty:
                chunk = None
            if chunk:
                yield chunk
            elif chunk is not None:
                return
            if stopper.is_given_up:
                return
            now = time.monotonic()
            if stopper.done.is_set() and limit == float("inf"):
                limit = now + _ORPHANS_S
            if now > limit:
                if is_killed:
                    return
                stopper.kill()
                limit, is_killed = now + _ORPHANS_S, True

    def leave(self) -> None:
        """Nothing more is wanted."""
        self._is_left = True
        with contextlib.suppress(queue.Empty):
            while True:
                self._queue.get_nowait()

    def _read(self, source: int) -> None:
        try:
            while not self._is_left and (chunk := os.read(source, _CHUNK_BYTES)):
                self._queue.put(chunk)
            if not self._is_left:
                self._queue.put(b"")
        finally:
            os.close(source)


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
    timer = threading.Timer(min(time_limit_s, _LONGEST_S), stopper.stop, (TIME_LIMIT,))
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


def _copy(chunks: Iterable[bytes], process: int, log: BinaryIO, where: str, take: Callable[[str], None]) -> int | None:
    """The child's peak memory: asked for with its output, for nothing is known of it when it has ended."""
    lines = LineSplitter()
    peak_bytes = None
    for chunk in chunks:
        peak_bytes = _peak_bytes(process) or peak_bytes
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
