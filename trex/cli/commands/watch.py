"""Watch a build: which layer it times, what was slow, how long it may still take. Reads a verbose log as it grows.

LOG is a file, or - for standard input: ssh host tail -n +1 -f build.log | trex watch -. Ends with the build, or with
Ctrl-C; a finished log is summarized at once. The time left is estimated from the layers before the current one, or with
--like from an earlier build of the same model.

examples:
  trex watch build.log
  trex watch build.log --like yesterday.log
  trex watch build.log --json
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trex.cli import console
from trex.cli.command import DONE, FINDINGS, Command
from trex.cli.output import STDOUT, OutputOptions
from trex.cli.stopping import is_ctrl_c
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.options import option

if TYPE_CHECKING:
    from trex.builder.build_watch import BuildProgress, BuildWatch, EarlierBuild
    from trex.views.document import Document

_TOP = 10
_SHOWN = 5
# A line in a pipe at most every so many seconds; the display of a terminal is made anew that often.
_LINE_S, _FRAME_S = 5.0, 0.25

Show = Callable[["BuildProgress"], None]


@dataclass(frozen=True, kw_only=True)
class WatchOptions(OutputOptions):
    log: str = option(help="a verbose build log, or - for standard input", metavar="LOG")
    like: str = option("", "the finished log of an earlier build, to estimate the time left", metavar="FILE")


def run(options: WatchOptions) -> tuple[Document, int]:
    from trex.builder.build_watch import BuildWatch
    from trex.views.build_watch import watch_document

    watch = BuildWatch(options.log, _earlier(options.like))
    notes: list[Note] = []
    with _showing(options) as (show, every_s):
        progress = watched(options.log, watch, show, every_s, notes)
    if not watch.has_build:
        raise TrexError(
            "this is not the log of a build: no line is about optimizing, timing or generating an engine",
            "give trex watch the output of trtexec --verbose, or of a Python logger of severity VERBOSE",
            options.log,
        )
    code = FINDINGS if progress.passed is False else DONE
    return watch_document(progress, options.log, tuple(notes)), code


def watched(
    log: str,
    watch: BuildWatch,
    show: Show,
    every_s: float,
    notes: list[Note],
    *,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> BuildProgress:
    """Reads the log until its build is over, its end is known, or the user stops; shows progress at most that often."""
    from trex.ingest.build_log.messages import messages
    from trex.ingest.logs.growing import growing_file, growing_stream
    from trex.ingest.logs.raw_lines import RawLines

    shown_at = clock()
    is_over = False

    def tick(quiet_s: float) -> bool:
        nonlocal shown_at, is_over
        now = clock()
        # While there is more to read, nothing is over: several builds may be in one log.
        if quiet_s > 0.0 or now - shown_at >= every_s:
            progress = watch.progress(quiet_s, top=_SHOWN)
            is_over = progress.is_over and quiet_s > 0.0
            if now - shown_at >= every_s and not is_over:
                shown_at = now
                show(progress)
        return not is_over

    if log == STDOUT:
        blocks = growing_stream(_standard_input(), tick)
    else:
        blocks = growing_file(log, tick, notes, sleep=sleep)
    is_closed = True
    try:
        watch.read(messages(RawLines(blocks)))
    except KeyboardInterrupt as stop:
        if not is_ctrl_c(stop):
            raise
        is_closed = False
    return watch.progress(is_closed=is_closed, top=_TOP)


def _standard_input() -> Any:
    if sys.stdin is None:
        raise TrexError("there is no standard input", "give the path of a log")
    if console.is_terminal(sys.stdin):
        raise TrexError("standard input is a terminal", "pipe a log into trex watch -, or give its path")
    return sys.stdin.buffer


def _earlier(path: str) -> EarlierBuild | None:
    if not path:
        return None
    from trex.builder.build_watch import BuildWatch
    from trex.ingest.build_log.messages import messages
    from trex.ingest.logs.raw_lines import RawLines
    from trex.ingest.source import read_blocks

    watch = BuildWatch(path)
    watch.read(messages(RawLines(read_blocks(path, []))))
    earlier = watch.as_earlier(os.path.basename(path))  # noqa: PTH119 (an address of an archive's member is no path)
    if earlier is None:
        message = "this log has no build that timed layers and finished"
        raise TrexError(message, "give --like the verbose log of a finished build", path)
    return earlier


@contextmanager
def _showing(options: WatchOptions) -> Iterator[tuple[Show, float]]:
    """(what shows progress, how often): a live display on a terminal, lines in a pipe, nothing for other formats."""
    if not options.is_for_reading:
        yield (lambda progress: None), _LINE_S
    elif not console.is_rich() or not console.is_screen(sys.stdout):
        yield _line, _LINE_S
    else:
        from rich.console import Console
        from rich.live import Live

        screen = Console(highlight=False, markup=False, emoji=False)
        with Live(console=screen, transient=True, auto_refresh=False) as live:
            yield (lambda progress: live.update(_display(progress, screen.width), refresh=True)), _FRAME_S


def _line(progress: BuildProgress) -> None:
    from trex.views.build_watch import status_words

    console.say(status_words(progress))
    console.flush()


def _display(progress: BuildProgress, width: int) -> Any:
    """What a terminal shows: where the build is, then the layers that were slowest to time."""
    from rich.text import Text

    from trex.core.printable import printable
    from trex.export.lettering import elided
    from trex.export.text_table import table_lines
    from trex.views.build_watch import now_lines, slowest_table

    text = Text(no_wrap=True)
    for label, words in now_lines(progress):
        text.append(f"{label:<11}", "bold")
        text.append(f"{elided(printable(words), max(width - 12, 20))}\n")
    if progress.slowest:
        text.append("\n")
        for line in table_lines(slowest_table(progress), width - 1):
            for words, role in line:
                text.append(words, console.style_of(role))
            text.append("\n")
    text.append("Ctrl-C stops watching, not the build", "dim")
    return text


COMMAND = Command(WatchOptions, run, exit_codes="0 done · 1 the build failed · 2 usage or input error")
