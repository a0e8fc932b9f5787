"""A command and all that it starts: ended together, also when trex is killed, by the ``warden`` that runs it.

Without POSIX there is no warden: the command alone is ended.
"""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from trex.core.worker_processes import SAFE_PATH

WARDEN = Path(__file__).with_name("warden.py")
_LONGEST_END_S = 6.0
_KILLED = -9


class ProcessTree(ABC):
    """pid: of the command. output: a descriptor, what it and all below it print; to be closed by whoever reads it."""

    pid: int
    output: int

    @abstractmethod
    def wait(self) -> int:
        """The command's exit code, when it has ended; -N for signal N."""

    @abstractmethod
    def terminate(self) -> None:
        """Asks all to end."""

    @abstractmethod
    def kill(self) -> None:
        """Ends all."""

    @abstractmethod
    def close(self) -> None:
        """Ends what is left, and returns when it has ended."""


def start_tree(command: Sequence[str], environment: Mapping[str, str] | None = None) -> ProcessTree:
    """Starts a command, never through a shell, without standard input. Raises OSError and ValueError if it cannot."""
    words = [os.fspath(word) for word in command]
    if words[:1] == [sys.executable]:
        environment = {**(os.environ if environment is None else environment), **dict((SAFE_PATH,))}
    return _Guarded(words, environment) if os.name == "posix" and sys.executable else _Alone(words, environment)


class _Guarded(ProcessTree):
    def __init__(self, command: list[str], environment: Mapping[str, str] | None) -> None:
        status, end = os.pipe()
        try:
            self._warden = subprocess.Popen(
                [sys.executable, "-ISE", str(WARDEN), str(end), *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                bufsize=0,
                env=None if environment is None else dict(environment),
                start_new_session=True,
                pass_fds=(end,),
            )
        except BaseException:
            os.close(status)
            raise
        finally:
            os.close(end)
        self._status = open(status, "rb")  # noqa: PTH123, SIM115 (wait closes it)
        word, _, number = self._status.readline().decode("ascii", "replace").strip().partition(" ")
        if word != "pid":
            self._leave()
            assert self._warden.stdout is not None
            words = self._warden.stdout.read()[-200:].decode("utf-8", "replace").strip()
            self._warden.stdout.close()
            self._status.close()
            if word == "error":
                raise OSError(int(number), os.strerror(int(number)))
            raise OSError(errno.EIO, words or "it did not start")
        self.pid = int(number)
        assert self._warden.stdout is not None
        self.output = os.dup(self._warden.stdout.fileno())
        self._warden.stdout.close()

    def wait(self) -> int:
        with self._status:
            for line in self._status:
                if line.startswith(b"exit "):
                    return int(line[5:])
        return _KILLED  # the warden, and the command with it

    def terminate(self) -> None:
        self._order(b"t")

    def kill(self) -> None:
        self._order(b"k")

    def close(self) -> None:
        self._leave()

    def _order(self, order: bytes) -> None:
        assert self._warden.stdin is not None
        with suppress(OSError, ValueError):
            self._warden.stdin.write(order)

    def _leave(self) -> None:
        assert self._warden.stdin is not None
        with suppress(OSError):
            self._warden.stdin.close()
        try:
            self._warden.wait(_LONGEST_END_S)
        except subprocess.TimeoutExpired:
            self._warden.kill()
            self._warden.wait()


class _Alone(ProcessTree):
    def __init__(self, command: list[str], environment: Mapping[str, str] | None) -> None:
        options: dict[str, Any] = {}
        if os.name == "nt":
            options = {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
        self._child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            bufsize=0,
            env=None if environment is None else dict(environment),
            **options,
        )
        assert self._child.stdout is not None
        self.pid = self._child.pid
        self.output = os.dup(self._child.stdout.fileno())
        self._child.stdout.close()

    def wait(self) -> int:
        return self._child.wait()

    def terminate(self) -> None:
        with suppress(OSError, ValueError):
            self._child.send_signal(getattr(signal, "CTRL_BREAK_EVENT", signal.SIGTERM))

    def kill(self) -> None:
        with suppress(OSError):
            self._child.kill()

    def close(self) -> None:
        self.kill()
        self._child.wait()


def start_of_process(process: int) -> int:
    """When a process started, in ticks since the start of the system; 0 where unknown or ended. Linux only."""
    with suppress(OSError, ValueError, IndexError):
        fields = Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()
        return 0 if fields[0] == b"Z" else int(fields[19])
    return 0
