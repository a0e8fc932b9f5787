"""Progress of a run on standard error: a bar with the phase and the output above it, or one plain line per phase."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from trex.builder.build_watch import BuildWatch
from trex.capture.phases import PROGRESS, TIMING, Watcher
from trex.cli import console
from trex.core.printable import printable
from trex.ingest.build_log.messages import message_of
from trex.views.build_watch import left_words

# What is not worth a line above the bar: verbose messages, and what follows them without a prefix.
_WORTH_SHOWING = re.compile(r"(?:\[[^\]]{0,30}\] ?)?(?:\[TRT\] )?\[([IWEF])\](?: \[TRT\])? ?(?=\S)", re.ASCII)
_TAKEN_LINES = 10_000
_STYLES = {"W": "yellow", "E": "bold red", "F": "bold red"}


class Plain(Watcher):
    """A line whenever another phase begins."""

    def __init__(self) -> None:
        self._last = ""

    def phase(self, name: str, done: int | None = None, total: int | None = None, share: float | None = None) -> None:
        if name != self._last:
            self._last = name
            console.complain(f"{name} ({total})" if total else name)
            sys.stderr.flush()


class Bar(Watcher):
    """rich's progress bar, with the time left of a verbose build's timing; what trtexec says goes by above it."""

    def __init__(self, progress: Any) -> None:
        self._progress = progress
        self._watch = BuildWatch("")
        self._lines = 0
        self._task = progress.add_task("", total=None)
        self._last = ""

    def phase(self, name: str, done: int | None = None, total: int | None = None, share: float | None = None) -> None:
        self._change(name, done, total, share)
        if name != self._last:  # however short it is, and however busy the machine
            self._last = name
            self._progress.refresh()

    def _change(self, name: str, done: int | None, total: int | None, share: float | None) -> None:
        # rich keeps what it is not given: a task without numbers is a new one.
        if total is None:
            self._progress.remove_task(self._task)
            self._task = self._progress.add_task(name if done is None else f"{name}: {done}", total=None)
            return
        text = f"{name}: {done} of {total}"
        if share is None:
            text += left_words(self._watch.progress()) if name == TIMING else ""
            self._progress.update(self._task, description=text, completed=done, total=total)
        else:  # the bar is the whole build's
            text = f"{text} ({share * 100:.0f} % of all steps)"
            self._progress.update(self._task, description=text, completed=share, total=1.0)

    def line(self, text: str) -> None:
        self._lines += 1
        self._watch.read((message_of(self._lines, text.encode("utf-8", "replace")),))
        if not self._lines % _TAKEN_LINES:
            self._watch.progress()  # which forgets what it has read
        match = _WORTH_SHOWING.match(text)
        is_shown = text.startswith("&&&&") if match is None else not text.startswith(PROGRESS, match.end())
        if not is_shown:
            return
        from rich.text import Text

        style = _STYLES.get(match[1], "dim") if match else "dim"
        shown = text[match.end() :] if match else text
        self._progress.console.print(Text(printable(shown), style), soft_wrap=True)


@contextmanager
def watching(is_quiet: bool = False) -> Iterator[Watcher]:
    """is_quiet: shows nothing at all."""
    if is_quiet or sys.stderr is None:
        yield Watcher()
    elif not console.is_screen(sys.stderr):
        yield Plain()
    else:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(compact=True),
        )
        screen = Console(stderr=True, highlight=False, markup=False, emoji=False)
        with Progress(*columns, console=screen, transient=True) as progress:
            yield Bar(progress)
