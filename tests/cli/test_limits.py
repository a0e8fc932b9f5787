"""What the machine has no more of: a sentence and exit code 2, whatever raises it."""

from __future__ import annotations

import errno
import os

import pytest

from trex.cli.command import COMMANDS, Command
from trex.cli.limits import limit_of


def raised(error: BaseException, cause: BaseException) -> BaseException:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (MemoryError(), "not enough memory"),
        (raised(ValueError("a library's own"), MemoryError()), "not enough memory"),
        (ImportError("libx.so: failed to map segment from shared object"), "not enough memory"),
        (SystemError("<built-in function compile> returned NULL without setting an exception"), "not enough memory"),
        (RuntimeError("can't start new thread"), "threads or processes"),
        (OSError(errno.EMFILE, os.strerror(errno.EMFILE), "a.json"), "a.json: too many files are open"),
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), "no space left"),
        (OSError(errno.EIO, os.strerror(errno.EIO)), "a disk or a network folder"),
        (FileNotFoundError(errno.ENOENT, "No usable temporary directory found in ['/tmp']"), "TMPDIR"),
    ],
)
def test_a_limit_of_the_machine_is_no_bug(trex, monkeypatch, error, words):
    def run(options):
        raise error

    plug = COMMANDS.load("explain")
    monkeypatch.setattr(plug.module, "COMMAND", Command(plug.value.options, run))
    said = trex("explain", "x")
    assert said.code == 2 and words in said.err and said.err.startswith("trex explain: ")


def test_bugs_stay_bugs():
    assert limit_of(OSError(errno.ENOENT, "no such file")) is None and limit_of(RuntimeError("out of range")) is None
