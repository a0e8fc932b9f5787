"""Signals that end trex: exceptions, so that locks end and unfinished files are removed; then exit code 128 + N."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from types import FrameType
from typing import Any

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
_ONE_PRESS_S = 1.0
"""``timeout`` and terminals send one signal twice: to the process and to its group."""
_AGAIN_S, _LATEST_S = 0.02, 5.0
"""A signal that comes during an import waits for its end: Python drops the exception in some places there, and the C++
code of libraries that are half imported crashes."""
_IMPORTING = ("<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>")


class Stopped(KeyboardInterrupt):
    """name: of the signal. code: what a shell reports of a process that it ended."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.name = signal.Signals(number).name
        self.code = 128 + number


def is_ctrl_c(stop: KeyboardInterrupt) -> bool:
    """True if a user ended what only Ctrl-C ends (``trex watch``): that is no failure, another signal is."""
    return not isinstance(stop, Stopped) or stop.name == "SIGINT"


class Stopping:
    """The handlers of trex's own process. The first signal raises Stopped; one after a second ends trex at once.

    stopped: what was raised.
    """

    def __init__(self) -> None:
        self.stopped: Stopped | None = None
        self._first = 0.0
        self._latest = float("inf")
        self._ours: list[int] = []

    def begin(self) -> None:
        """Signals that are ignored (``nohup``) stay ignored."""
        for number in _numbers():
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                signal.signal(number, self._stop)
                self._ours.append(number)

    def end(self) -> None:
        """What comes while the interpreter ends has nothing left to clean up, and shows no traceback."""
        for number in self._ours:
            signal.signal(number, signal.SIG_DFL)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if self.stopped is None:
            if _is_unsafe(frame) and now < self._latest:
                self._latest = min(self._latest, now + _LATEST_S)
                _thread.start_new_thread(_send_again, (number,))  # no lock of ``threading`` that this may have met
                return
            self._first, self.stopped = now, Stopped(number)
            raise self.stopped
        if now - self._first > _ONE_PRESS_S:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)


def leave(code: int) -> None:
    """Ends the process if a thread would keep it: one that waits for a pipe, as that of ``trex mcp`` for its client."""
    if any(not thread.daemon for thread in threading.enumerate() if thread is not threading.main_thread()):
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):
                stream.flush()
        os._exit(code)


def _is_unsafe(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename in _IMPORTING or frame.f_code.co_name == "__del__":
            return True
        frame = frame.f_back
    return False


def _send_again(number: int) -> None:
    time.sleep(_AGAIN_S)
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, number)
    else:
        signal.raise_signal(number)


def _numbers() -> list[Any]:
    return [number for name in _NAMES if (number := getattr(signal, name, None)) is not None]
