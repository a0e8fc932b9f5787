"""Fixtures of the command line: a terminal that remembers what was written, and commands run in this process."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from trex.cli.main import main


class Terminal(io.TextIOWrapper):
    """A stream that says it is a terminal and keeps its bytes."""

    def __init__(self, encoding: str = "utf-8") -> None:
        super().__init__(io.BytesIO(), encoding=encoding, errors="strict", newline="\n", write_through=True)

    def isatty(self) -> bool:
        return True

    @property
    def written(self) -> str:
        return self.buffer.getvalue().decode(self.encoding)


@dataclass(frozen=True)
class Said:
    """What a command said: exit code, standard output, standard error."""

    code: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def plain_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Terminal]:
    """``terminal(columns=80, encoding="ascii")`` puts a terminal in the place of standard output."""

    def put(columns: int = 80, encoding: str = "utf-8") -> Terminal:
        stream = Terminal(encoding)
        monkeypatch.setattr(sys, "stdout", stream)
        monkeypatch.setenv("COLUMNS", str(columns))
        return stream

    return put


@pytest.fixture
def trex(capfd: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    """``trex("summary", path)`` runs a command in this process."""

    def run(*arguments: object) -> Said:
        capfd.readouterr()
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as end:  # argparse: --help, --version, mistakes in the options
            code = int(end.code or 0)
        out, err = capfd.readouterr()
        return Said(code, out, err)

    return run
