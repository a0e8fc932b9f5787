"""The warden: runs one command, and ends all that it started when trex asks for it or has ended itself.

Run as a script by ``process_tree``, standard library only: ``warden.py STATUS COMMAND …``. Its standard input comes
from trex: ``t`` sends SIGTERM to all, ``k`` SIGKILL; at its end, which a kill -9 of trex brings about too, all are
killed. The descriptor STATUS gets ``pid N`` or ``error ERRNO``, and later ``exit CODE`` (-N for signal N).

On Linux whatever loses its parent becomes the warden's child, so that nothing started escapes, not even with a session
of its own; if the warden is killed, the command is too. Elsewhere it ends the command's process group.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time
from collections.abc import Iterator

_PARENT_DEATH_SIGNAL, _CHILD_SUBREAPER = 1, 36  # linux/prctl.h
_LONGEST_END_S = 3.0
_PAUSE_S = 0.01


def main(arguments: list[str]) -> int:
    status, command = int(arguments[1]), arguments[2:]
    os.set_inheritable(status, False)
    _prctl(_CHILD_SUBREAPER, 1)
    ended, end = os.pipe()
    os.set_blocking(end, False)
    signal.set_wakeup_fd(end, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    child = _start(command, status)
    if not child:
        return 1
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # ends with trex, or when trex says so
        signal.signal(number, signal.SIG_IGN)
    null = os.open(os.devnull, os.O_RDWR)
    for output in (1, 2):  # the command alone holds trex's pipe
        os.dup2(null, output)
    while True:
        readable, _, _ = select.select([0, ended], [], [])
        if ended in readable:
            os.read(ended, 4096)
            _reap(child, status)
        if 0 in readable:
            orders = os.read(0, 64)
            if not orders:
                _end_all(child, status)
                return 0
            _send(child, signal.SIGKILL if b"k" in orders else signal.SIGTERM)


def _start(command: list[str], status: int) -> int:
    """The command's process; 0 if it cannot be run."""
    ready, failed = os.pipe()
    warden = os.getpid()
    child = os.fork()
    if not child:
        code = b"0"
        try:
            os.setsid()
            _prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)
            if os.getppid() == warden:
                os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
                for number in (signal.SIGPIPE, signal.SIGXFSZ):  # which Python ignores
                    signal.signal(number, signal.SIG_DFL)
                os.execvp(command[0], command)
        except OSError as error:
            code = str(error.errno).encode()
        finally:
            os.write(failed, code)
            os._exit(127)
    os.close(failed)
    code = os.read(ready, 16)
    os.close(ready)
    _report(status, f"error {int(code)}" if code else f"pid {child}")
    return 0 if code else child


def _reap(child: int, status: int) -> bool:
    """Whether processes are left."""
    while True:
        try:
            process, result = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return False
        if not process:
            return True
        if process == child:
            _report(status, f"exit {os.waitstatus_to_exitcode(result)}")


def _end_all(child: int, status: int) -> None:
    limit = time.monotonic() + _LONGEST_END_S  # one that hangs in a driver ends when the driver lets it
    while True:
        _send(child, signal.SIGKILL)
        if not _reap(child, status) or time.monotonic() > limit:
            return
        time.sleep(_PAUSE_S)


def _send(child: int, number: int) -> None:
    try:
        below = list(_below(os.getpid()))
    except OSError:  # there is no /proc
        with contextlib.suppress(OSError):
            os.killpg(child, number)
        return
    for process in below:
        with contextlib.suppress(OSError):
            os.kill(process, number)


def _below(root: int) -> Iterator[int]:
    """All processes below one that still run."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208 (pathlib takes longer to import than all else here)
        if name.isdecimal():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123
                    state, parent = file.read().rpartition(b")")[2].split()[:2]
            except (OSError, ValueError):
                continue
            if state != b"Z":
                children.setdefault(int(parent), []).append(int(name))
    pending = [root]
    while pending:
        below = children.get(pending.pop(), ())
        yield from below
        pending += below


def _report(status: int, text: str) -> None:
    with contextlib.suppress(OSError):  # trex has ended
        os.write(status, f"{text}\n".encode())


def _load_prctl() -> object:
    if not sys.platform.startswith("linux"):
        return None
    try:
        import ctypes

        return ctypes.CDLL(None).prctl
    except (ImportError, OSError, AttributeError):
        return None


_PRCTL = _load_prctl()


def _prctl(option: int, value: int) -> None:
    if callable(_PRCTL):
        _PRCTL(option, value, 0, 0, 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv))
