"""SweepProgress → standard error while a sweep runs: a live table on a terminal, else one plain line per job."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from trex.cli import console
from trex.core.duration import seconds_words
from trex.store.sweep_record import DONE, FAILED, QUARANTINED, STORED
from trex.sweep.documents import short_title, varied_axes
from trex.sweep.progress import OVER, JobState, SweepProgress

if TYPE_CHECKING:
    from trex.sweep.sweep import Observer

_SHOWN_FAILURES = 3
_SHOWN_WORKERS = 16


class JobLines:
    """A line whenever a job is over."""

    def __init__(self) -> None:
        self._varied: tuple[str, ...] | None = None

    def __call__(self, progress: SweepProgress, state: JobState | None) -> None:
        if self._varied is None:
            self._varied = varied_axes(item.job for item in progress.states)
            console.complain(summary_line(progress))
        if state is not None and state.status in OVER:
            console.complain(self._line(progress, state))
            sys.stderr.flush()

    def _line(self, progress: SweepProgress, state: JobState) -> str:
        over = sum(progress.counts[status] for status in OVER)
        words = [f"{over}/{len(progress.states)}", state.status, short_title(state.job, self._varied or ())]
        words += [seconds_words(state.seconds)] if state.seconds and state.status == DONE else []
        words += [state.worker] if state.worker else []
        words += [state.reason] if state.status == FAILED else []
        return "  ".join(words)


def summary_line(progress: SweepProgress) -> str:
    """``nightly: 23 of 36 done, 4 from the store, 1 failed; about 2 min left``"""
    counts = progress.counts
    words = [f"{counts[DONE]:,} of {len(progress.states) - counts[STORED]:,} done"]
    words += [f"{counts[STORED]:,} from the store"] if counts[STORED] else []
    failed = counts[FAILED] + counts[QUARANTINED]
    words += [f"{failed:,} failed"] if failed else []
    left = progress.seconds_left()
    ending = "" if left is None or progress.is_over else f"; about {seconds_words(max(round(left), 1))} left"
    return f"{progress.name}: {', '.join(words)}{ending}"


def live_table(progress: SweepProgress, varied: Sequence[str], width: int) -> Any:
    """What rich draws: counts, a bar, one row per running job, the latest failures, the dashboard."""
    from rich.console import Group
    from rich.padding import Padding
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    now = time.monotonic()
    over = sum(progress.counts[status] for status in OVER)
    parts: list[Any] = [
        Text(summary_line(progress), "bold", no_wrap=True, overflow="ellipsis"),
        Padding(ProgressBar(max(len(progress.states), 1), over, width=min(width, 80)), 0),  # ends the line
    ]
    table = Table(box=None, pad_edge=False, header_style="bold cyan", width=min(width, 120))
    table.add_column("worker", no_wrap=True, max_width=16, overflow="ellipsis")
    table.add_column("job", no_wrap=True, ratio=1, overflow="ellipsis")
    table.add_column("time", justify="right", no_wrap=True)
    table.add_column("phase", no_wrap=True, max_width=22, overflow="ellipsis", style="dim")
    running = sorted(progress.running.values(), key=lambda state: state.started)
    for state in running[:_SHOWN_WORKERS]:
        cells = (state.worker, short_title(state.job, varied), f"{now - state.started:.0f} s", state.phase)
        table.add_row(*(Text(cell) for cell in cells))
    parts += [table] if running else []
    if len(running) > _SHOWN_WORKERS:
        parts.append(Text(f"… {len(running) - _SHOWN_WORKERS} more run", "dim"))
    for state in [state for state in progress.states if state.status == FAILED][-_SHOWN_FAILURES:]:
        text = Text(no_wrap=True, overflow="ellipsis").append("failed  ", "bold red")
        parts.append(text.append(f"{short_title(state.job, varied)}: {state.reason}"))
    parts += [Text(note, "yellow") for note in progress.notes]
    if progress.dashboard:
        parts.append(Text(f"dashboard  {progress.dashboard}", "dim"))
    return Group(*parts)


class LiveTable:
    """Redrawn four times a second."""

    def __init__(self, live: Any) -> None:
        self._live = live
        self._varied: tuple[str, ...] | None = None

    def __call__(self, progress: SweepProgress, state: JobState | None) -> None:
        if self._varied is None:
            self._varied = varied_axes(item.job for item in progress.states)
        if state is None:
            self._live.update(live_table(progress, self._varied, self._live.console.width), refresh=True)


@contextmanager
def watching_sweep(is_quiet: bool = False) -> Iterator[Observer]:
    """is_quiet: shows nothing at all."""
    if is_quiet or sys.stderr is None:
        yield lambda progress, state: None
    elif not console.is_screen(sys.stderr):
        yield JobLines()
    else:
        from rich.console import Console
        from rich.live import Live

        screen = Console(stderr=True, highlight=False, markup=False, emoji=False)
        with Live(console=screen, transient=True, auto_refresh=False, redirect_stdout=False) as live:
            yield LiveTable(live)
