"""The bar on a terminal: one phase's steps, or the whole build's where its share is known."""

from __future__ import annotations

import io
import re
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console
from rich.progress import Progress

from trex.cli import console
from trex.cli.progress import Bar
from trex.examples.verbose_log import verbose_log


def test_the_bar_is_the_whole_builds_where_its_share_is_known() -> None:
    shown = io.StringIO()
    progress = Progress(console=Console(file=shown, width=100))
    bar = Bar(progress)
    bar.phase("timing the tactics of layers", 3, 12)
    assert progress.tasks[0].percentage == 25
    bar.phase("Optimizing graph", 3, 30, 0.5)
    (task,) = progress.tasks
    assert (task.percentage, task.description) == (50, "Optimizing graph: 3 of 30 (50 % of all steps)")
    bar.phase("serializing the engine")
    (task,) = progress.tasks
    assert (task.total, task.description) == (None, "serializing the engine")


def test_a_verbose_build_says_how_long_timing_may_still_take() -> None:
    bar = Bar(Progress(console=Console(file=io.StringIO(), width=100)))
    for line in list(verbose_log(layers=10, tactics=30))[:800]:
        bar.line(line.rstrip("\n"))
    bar.phase("timing the tactics of layers", 8, 10)
    (task,) = bar._progress.tasks
    assert re.fullmatch(r"timing the tactics of layers: 8 of 10, about \d+ s left", task.description)


def test_lines_that_the_bar_shows_itself_are_not_repeated_above_it() -> None:
    shown = io.StringIO()
    bar = Bar(Progress(console=Console(file=shown, width=100)))
    bar.line("[11/23/2026-07:29:11] [I] [progress] Optimizing graph: 3 of 30, 50.0 %")
    bar.line("[11/23/2026-07:29:11] [V] [TRT] a verbose message")
    bar.line("[11/23/2026-07:29:11] [I] Start parsing network model.")
    assert shown.getvalue() == "Start parsing network model.\n"


def test_a_ci_system_reads_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pseudo terminal there is a log: screens would write what it takes for commands."""
    screen: Any = SimpleNamespace(isatty=lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    for name in console._CI:
        monkeypatch.delenv(name, raising=False)
    assert console.is_screen(screen)
    monkeypatch.setenv("CI", "1")
    assert not console.is_screen(screen)
