"""Log: messages of the collector and of TensorRT, in the form of trtexec's output."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import threading
import time
from collections import deque
from typing import Any, TextIO

from trex.capture.tensorrt_api.errors import FAILED, CollectorError

_LETTERS = {"INTERNAL_ERROR": "F", "ERROR": "E", "WARNING": "W", "INFO": "I", "VERBOSE": "V"}
_PROGRESS_EVERY_S = 0.2
READ_BY_TREX = "TREX_READS_COLLECTOR"
"""In the environment: the console is a pipe to trex, and not what a person or a CI system shows."""


class Log:
    """Writes lines to the log file, if there is one, and to the console: all of them, or those that people read.

    is_whole: the console gets all lines, with their prefixes. is_raw: exactly, since trex reads them. verbose: with
    TensorRT's verbose messages. errors: TensorRT's last errors, the reason when it returns nothing.
    """

    def __init__(self, is_whole: bool = False, verbose: bool = False, is_raw: bool = False) -> None:
        self.is_whole = is_whole
        self.is_raw = is_raw
        self.verbose = verbose
        self.errors: deque[str] = deque(maxlen=20)
        self._file: TextIO | None = None
        self._lock = threading.RLock()
        self._progress_s = 0.0
        self._is_unread = False

    def open(self, path: str) -> None:
        """Raises CollectorError. Later a log that cannot be written ends nothing: the console has a warning."""
        self.close()
        try:
            if os.path.islink(path) and os.path.isfile(path):
                os.unlink(path)  # what it leads to is no log
            self._file = open(  # noqa: SIM115 (closed by close)
                path, "w", encoding="utf-8", errors="backslashreplace", newline="\n"
            )
        except OSError as error:
            message = f"the log {path} cannot be written: {error.strerror}"
            raise CollectorError(message, "check the folder and its permissions", FAILED) from None

    def close(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            with contextlib.suppress(OSError):  # every line was flushed
                file.close()

    def info(self, text: str = "") -> None:
        self._line("I", text, "")

    def detail(self, text: str) -> None:
        """For the log file only."""
        self._line("I", text, "", shown=False)

    def sections(self, sections: dict[str, dict[str, str]]) -> None:
        """{title: {key: value}} in the form of trtexec's log, for the log file only."""
        for title, entries in sections.items():
            self.detail(f"=== {title} ===")
            for key, value in entries.items():
                self.detail(f"{key}: {value}")
            self.detail("")

    def warning(self, text: str) -> None:
        self._line("W", text, "")

    def error(self, text: str) -> None:
        self._line("E", text, "")

    def failure(self, mark: str, word: str, text: str) -> None:
        """What ended the collection: marked in the log, plain on the console."""
        self._line("E", f"[{mark}] {text}", "", plain=f"{word}: {text}")

    @property
    def wants_progress(self) -> bool:
        """A few times a second."""
        return time.monotonic() - self._progress_s >= _PROGRESS_EVERY_S

    def progress(self, phase: str, done: int, total: int, share: float) -> None:
        """TensorRT's progress. share: of the whole build, 0 to 1."""
        self._progress_s = time.monotonic()
        self._line("I", "[progress] %s: %d of %d, %.1f %%" % (phase, done, total, share * 100), "")

    def library(self, severity: Any, text: str) -> None:
        """A message of TensorRT, from any of its threads."""
        letter = _LETTERS.get(getattr(severity, "name", ""), "V")
        if letter in "EF":
            self.errors.append(text)
        if letter != "V" or self.verbose:
            self._line(letter, text, "[TRT] ", shown=letter in "WEF")

    @property
    def reason(self) -> str:
        """TensorRT's last error as one line, or ""."""
        return " ".join(self.errors[-1].split()) if self.errors else ""

    def _line(self, letter: str, text: str, source: str, shown: bool = True, plain: str = "") -> None:
        stamp = time.strftime("%m/%d/%Y-%H:%M:%S")
        with self._lock:
            line = f"[{stamp}] [{letter}] {source}{text}"
            if self._file is not None:
                try:
                    self._file.write(line + "\n")
                    self._file.flush()
                except OSError as error:
                    name = self._file.name
                    self.close()
                    self.warning(f"the log {name} ends here, it cannot be written: {error.strerror}")
            stream = sys.stderr if letter in "WEF" else sys.stdout
            if not self.is_whole and not shown:
                return
            try:
                shown_text = line if self.is_whole else plain or text
                show(shown_text if self.is_raw else _inert(shown_text), stream)
            except BrokenPipeError:
                self._is_unread = True
            if self._is_unread and self.is_whole:  # trex, which reads the log here, is gone
                raise BrokenPipeError


def show(text: str, stream: Any) -> None:
    """Raises BrokenPipeError once if the reader is gone (``| head``); later text is dropped silently."""
    try:
        stream.write(_encodable(text, stream) + "\n")
        stream.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        raise


# As in trex.core.log_commands, which says what CI systems read; this file runs alone.
_COMMAND_AT_START = re.compile(r"^([ \t]*)::", re.MULTILINE)
_COMMAND_ANYWHERE = re.compile(r"(?<=#)#(?=[\w-]*\[)|(?<=section)_(?=(?:start|end):)")


def _inert(text: str) -> str:
    """Names of a model may be anyone's: no commands to a terminal or a CI system."""
    letters = (c if c.isprintable() or c in "\t\n" else c.encode("unicode_escape").decode("ascii") for c in text)
    shown = _COMMAND_AT_START.sub(r"\1\\::", "".join(letters))
    return _COMMAND_ANYWHERE.sub(lambda match: "\\" + match.group(), shown)


def _encodable(text: str, stream: Any) -> str:
    encoding = getattr(stream, "encoding", None) or "ascii"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def library_logger(trt: Any, log: Log) -> Any:
    """TensorRT's ILogger. TensorRT keeps the first one of the process."""

    class LibraryLogger(trt.ILogger):  # type: ignore[misc]
        def __init__(self) -> None:
            trt.ILogger.__init__(self)

        def log(self, severity: Any, msg: str) -> None:
            with contextlib.suppress(BaseException):  # an exception in a callback of TensorRT ends the process
                log.library(severity, msg)

    return LibraryLogger()
