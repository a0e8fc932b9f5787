"""Where commands write: styled lines on a terminal, plain text when piped; no engine's text is taken as markup."""

from __future__ import annotations

import codecs
import io
import os
import shutil
import stat
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from trex.core.errors import TrexError
from trex.core.log_commands import without_log_commands
from trex.core.note import Note
from trex.core.printable import printable
from trex.core.steps import Steps, is_watched, watched
from trex.export.lettering import cell_width, elided
from trex.export.lines import Line, plain

_STYLES = {
    "title": "bold green",
    "heading": "bold",
    "header": "bold cyan",
    "rule": "dim",
    "label": "bold",
    "bar": "green",
    "dim": "dim",
    "statement": "bold magenta",
    "problem": "bold red",
    "warning": "yellow",
    "info": "dim",
    "hint": "cyan",
    "command": "cyan",
}
# Our own characters beyond ASCII, cell for cell, for streams that have nothing else. Others become escapes.
_PLAINER = {
    **dict(zip("–—−…→×·≤≥µ", "---~>x*<>u", strict=True)),
    **dict.fromkeys("█▉▊▋▌", "#"),
    "░": ".",
    **dict.fromkeys("▍▎▏", "|"),
}
_PATIENCE_S = 0.5
_TICK_S = 0.2
_LEAST_TO_JUDGE_S = 1.0
_LEAST_SHARE = 0.05
_BAR = 20
_CI = ("CI", "GITHUB_ACTIONS", "GITLAB_CI", "TF_BUILD", "TEAMCITY_VERSION", "BUILDKITE", "JENKINS_URL")
"""Variables that CI systems set in their jobs."""


def is_terminal(stream: TextIO | None) -> bool:
    """True when a person, not a file or a program, reads the stream."""
    return stream is not None and stream.isatty()


def _is_log(stream: TextIO) -> bool:
    """Whether a program may read the stream, as a CI system reads a job's log: also through a pseudo terminal."""
    return not is_terminal(stream) or any(os.environ.get(name) for name in _CI)


def is_screen(stream: TextIO | None) -> bool:
    """Whether lines of the stream may be drawn again: a terminal that can, and that no CI system reads."""
    return stream is not None and not _is_log(stream) and os.environ.get("TERM") != "dumb"


def is_rich() -> bool:
    """True when standard output is a terminal that has not asked for plain text (NO_COLOR, TERM=dumb)."""
    return is_terminal(sys.stdout) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def width() -> int | None:
    """Columns to fit into: the terminal's, or those of COLUMNS; None for a file or a pipe, which takes any width."""
    if not os.environ.get("COLUMNS", "").isdecimal() and not is_terminal(sys.stdout):
        return None
    return max(shutil.get_terminal_size().columns, 20)


def say(text: str = "") -> None:
    """One line of plain text."""
    write(f"{printable(text)}\n")


def style_of(role: str) -> str:
    """How rich shows a piece of a line."""
    return _STYLES.get(role, "")


def show(lines: Iterable[Line]) -> None:
    """Lines in colors on a terminal, without them elsewhere."""
    if not is_rich():
        write(plain(lines))
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    with console.capture() as captured:
        for line in lines:
            console.print(Text.assemble(*((text, style_of(role)) for text, role in line)))
    write(captured.get())


def _output() -> TextIO:
    """Raises TrexError if this process has none (``>&-``): an answer that is lost is no success."""
    if sys.stdout is None:
        raise TrexError("standard output is closed", ">/dev/null drops what is printed, -o FILE writes it")
    return sys.stdout


def write(text: str) -> None:
    """Text as it is, in whatever encoding the stream has. Raises TrexError when the stream takes no more."""
    stream = _output()
    encoding = stream.encoding or "utf-8"
    if _is_log(stream):
        text = without_log_commands(text)
    with _writing():
        stream.write(text.encode(encoding, "trex-plainer").decode(encoding))


def write_document(content: bytes, is_text: bool, may_annotate: bool = False) -> None:
    """A rendered file, for ``trex … > file``. Pages, which are no text for a terminal, are text in a log.

    may_annotate: as ``without_log_commands``.
    """
    write_bytes(for_a_log(content, is_text, may_annotate) if _is_log(_output()) else content)


def for_a_log(content: bytes, is_text: bool, may_annotate: bool = False) -> bytes:
    """A rendered file as whatever is no regular file gets it; one that is no text stays as it is."""
    if not is_text and content[:1] not in (b"<", b"{"):
        return content
    return without_log_commands(content.decode("utf-8"), may_annotate).encode("utf-8")


def write_bytes(data: bytes) -> None:
    """Bytes as they are, for ``trex … > file``."""
    stream = _output()
    with _writing():
        stream.flush()
        stream.buffer.write(data)
        stream.buffer.flush()


def write_reliably() -> None:
    """For trex's own process: no write is cut short, and no character is an error.

    With PYTHONUNBUFFERED=1, Python drops without a word what a nearly full disk does not take; argparse prints what
    a stream in ASCII cannot hold. The next file that is opened does not get the number of a stream that is closed
    (``>&-``), to which libraries in C print.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDONLY)  # takes the lowest number that is free
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if not isinstance(stream, io.TextIOWrapper):
            continue
        if isinstance(stream.buffer, io.RawIOBase):
            encoding = stream.encoding
            raw: Any = stream.detach()
            stream = io.TextIOWrapper(io.BufferedWriter(raw), encoding, line_buffering=True)
            setattr(sys, name, stream)
        stream.reconfigure(errors="trex-plainer")


def flush() -> None:
    """Flushes standard output, so that an error is raised now and not when the interpreter ends."""
    if sys.stdout is not None:
        with _writing():
            sys.stdout.flush()


@contextmanager
def read_to_the_end() -> Iterator[None]:
    """Flushes at the end. A reader that closes the pipe early (``| head``) ends the output without an error."""
    try:
        try:
            yield
        finally:
            flush()
    except BrokenPipeError:
        _leave(sys.stdout)


def warn(notes: Iterable[Note]) -> None:
    """What makes figures wrong or partial and a table or a picture does not show, on standard error."""
    print_notes(note for note in notes if note.severity != "info")


def print_notes(notes: Iterable[Note]) -> None:
    """Notes on standard error, each once."""
    from trex.export.documents.text import note_lines

    for note in dict.fromkeys(notes):
        complain(plain(note_lines(note)).rstrip("\n"))


def complain(text: str) -> None:
    """Lines on standard error."""
    if sys.stderr is not None:
        lines = "\n".join(map(printable, text.split("\n")))
        try:
            sys.stderr.write((without_log_commands(lines) if _is_log(sys.stderr) else lines) + "\n")
            sys.stderr.flush()
        except OSError:  # a full disk: the exit code is what remains
            _leave(sys.stderr)


@contextmanager
def patience(what: str) -> Iterator[None]:
    """Shows on standard error what takes longer than half a second, how far it is and the time left, until it is done.

    Only for a person who sees both streams: a pager or a program that reads standard output is left alone. Inside of
    another one it shows nothing of its own.
    """
    if is_watched() or not is_screen(sys.stderr) or _is_pipe(sys.stdout):
        yield
        return
    done = threading.Event()
    with watched() as steps:
        thread = threading.Thread(target=_show_patience, args=(printable(what), steps, done), daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()


def _is_pipe(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stat.S_ISFIFO(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError):  # a stream of this process alone
        return False


def _show_patience(what: str, steps: Steps, done: threading.Event) -> None:
    start = time.monotonic()
    is_shown = False
    wait = _PATIENCE_S
    while not done.wait(wait):
        wait = _TICK_S
        encoding = sys.stderr.encoding or "utf-8"
        line = progress_line(what, steps, start, time.monotonic(), shutil.get_terminal_size().columns - 1)
        sys.stderr.write(f"\r\x1b[2K{line.encode(encoding, 'trex-plainer').decode(encoding)}")
        sys.stderr.flush()
        is_shown = True
    if is_shown:
        sys.stderr.write("\r\x1b[2K")
        sys.stderr.flush()


def progress_line(what: str, steps: Steps, start: float, now: float, width: int) -> str:
    """What is done, which one of how many, a bar, and the time left, or else the time passed."""
    step = steps.outermost
    if step is None:
        return elided(f"{what} … {now - start:.0f} s", width)
    share, passed = steps.share, now - step.start
    words = f"{what}: {step.noun} {min(max(step.done, 0) + 1, step.total):,} of {step.total:,}"
    is_known = passed >= _LEAST_TO_JUDGE_S and share >= _LEAST_SHARE
    left = f"{duration(max(passed * (1 - share) / share, 1.0))} left" if is_known else f"{now - start:.0f} s"
    bar = "█" * round(share * _BAR) + "░" * (_BAR - round(share * _BAR))
    line = f"{words}  {bar}  {left}"
    return line if cell_width(line) <= width else elided(f"{words}, {left}", width)


def duration(seconds: float) -> str:
    """``8 s``, ``2 min 10 s``, ``1 h 5 min``."""
    seconds = max(round(seconds), 0)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60} min"


@contextmanager
def _writing() -> Iterator[None]:
    """Turns an OSError (a full disk) into a TrexError; a closed pipe stays as it is."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        _leave(sys.stdout)
        raise TrexError(f"cannot write to standard output: {error.strerror}", "look at where it leads to") from error


def _leave(stream: TextIO) -> None:
    """What could not be written is not tried again, which would end the interpreter with an error of its own."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _plainer(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    piece = error.object[error.start : error.end]
    return "".join(_PLAINER.get(c) or c.encode("ascii", "backslashreplace").decode("ascii") for c in piece), error.end


codecs.register_error("trex-plainer", _plainer)
