"""Where commands write: colors for people, plain text for programs, and no character that steers a terminal."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import time

import pytest

from tests.simulated_examples import SIMULATED
from tests.waiting import wait_until
from trex.cli import console
from trex.core.note import Note
from trex.core.steps import in_steps, watched

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def test_a_pipe_gets_plain_text(capfd):
    console.show([[("head", "title"), (" [bold]x[/bold] :smile:", "")], []])
    assert capfd.readouterr().out == "head [bold]x[/bold] :smile:\n\n"


def test_a_terminal_gets_colors_and_never_markup(terminal):
    stream = terminal()
    console.show([[("head", "title"), (" [bold]x[/bold] :smile: https://x.y/1", "")], []])
    assert "\x1b[" in stream.written
    assert ANSI.sub("", stream.written) == "head [bold]x[/bold] :smile: https://x.y/1\n\n"


@pytest.mark.parametrize("name", ["CI", "GITHUB_ACTIONS", "TF_BUILD"])
def test_the_terminal_of_a_ci_job_is_a_log(terminal, monkeypatch, name):
    monkeypatch.setenv("NO_COLOR", "1")
    for value, written in ((None, "::error::x ##vso[x]\n"), ("true", "\\::error::x #\\#vso[x]\n")):
        stream = terminal()
        for known in console._CI:
            monkeypatch.delenv(known, raising=False)
        if value:
            monkeypatch.setenv(name, value)
        console.say("::error::x ##vso[x]")
        assert stream.written == written


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_a_terminal_may_ask_for_plain_text(terminal, monkeypatch, name, value):
    stream = terminal()
    monkeypatch.setenv(name, value)
    console.show([[("head", "title")]])
    assert stream.written == "head\n"
    assert console.width() == 80


def test_an_empty_no_color_asks_for_nothing(terminal, monkeypatch):
    terminal()
    monkeypatch.setenv("NO_COLOR", "")
    assert console.is_rich()


def test_long_lines_are_left_whole(terminal):
    stream = terminal(20)
    console.show([[("x" * 50, "command")]])
    assert ANSI.sub("", stream.written) == "x" * 50 + "\n"


def test_the_severity_of_a_note_has_its_own_color(terminal):
    from trex.export.documents.text import note_lines

    seen = set()
    for severity in ("info", "warning", "problem"):
        stream = terminal()
        console.show(note_lines(Note("a-code", "message", severity=severity)))
        seen.update(ANSI.findall(stream.written)[:1])
    assert len(seen) == 3


def test_the_width_is_that_of_the_terminal_or_of_columns(terminal, monkeypatch, capfd):
    terminal(93)
    assert console.width() == 93
    monkeypatch.undo()
    monkeypatch.delenv("COLUMNS", raising=False)
    assert console.width() is None
    monkeypatch.setenv("COLUMNS", "110")
    assert console.width() == 110
    monkeypatch.setenv("COLUMNS", "many")
    assert console.width() is None


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8"])
def test_any_encoding_will_do(terminal, encoding):
    stream = terminal(80, encoding)
    console.write("– … → × █ \u4f60\udcff\n")
    assert stream.written.startswith("– … → × █" if encoding == "utf-8" else stream.written[:9])
    assert len(stream.written.split(" ", 5)[0]) == 1
    assert "\\udcff" in stream.written


def test_ascii_keeps_the_columns(terminal):
    stream = terminal(80, "ascii")
    console.write("a…b → −2 × 3 █▏\n")
    assert stream.written == "a~b > -2 x 3 #|\n"


def test_what_is_said_is_printable(capfd):
    console.say("a\x1b[31mb\nc")
    assert capfd.readouterr().out == "a\\x1b[31mb\\nc\n"
    console.complain("a\x1b[31mb\nc")
    assert capfd.readouterr().err == "a\\x1b[31mb\nc\n"


def test_bytes_pass_as_they_are(capfdbinary):
    console.write_bytes(b"\x00\xffPAR1")
    assert capfdbinary.readouterr().out == b"\x00\xffPAR1"


def test_what_makes_figures_wrong_or_partial_is_beside_a_table(capfd):
    notes = [Note("a-b", "lost", severity="problem"), Note("c-d", "fine", severity="info"), Note("e-f", "two runs")]
    console.warn(notes)
    said = capfd.readouterr()
    assert said.out == ""
    assert "lost (a-b)" in said.err and "two runs (e-f)" in said.err and "fine" not in said.err


class Errors(io.StringIO):
    def isatty(self) -> bool:
        return True


def no_ci(monkeypatch):
    """As at a desk: a CI system reads even a terminal."""
    for name in console._CI:
        monkeypatch.delenv(name, raising=False)


def test_patience_is_asked_for_on_a_terminal_and_leaves_nothing_behind(monkeypatch):
    no_ci(monkeypatch)
    monkeypatch.setattr(console, "_PATIENCE_S", 0.01)
    errors = Errors()
    monkeypatch.setattr(sys, "stderr", errors)
    with console.patience("reading a\x1bb"):
        wait_until(errors.getvalue)
    said = errors.getvalue()
    assert "reading a\\x1bb … 0 s" in said
    assert said.endswith("\r\x1b[2K")


def test_no_patience_is_needed_for_what_is_quick_or_piped(monkeypatch):
    errors, piped = Errors(), io.StringIO()
    monkeypatch.setattr(sys, "stderr", errors)
    with console.patience("reading"):
        pass
    monkeypatch.setattr(console, "_PATIENCE_S", 0.01)
    monkeypatch.setattr(sys, "stderr", piped)
    with console.patience("reading"):
        time.sleep(0.05)
    assert errors.getvalue() == piped.getvalue() == ""


def test_patience_says_which_of_how_many_and_the_time_left(monkeypatch):
    with watched() as steps:
        for number in in_steps("rule", range(4)):
            step = steps.outermost
            if number == 1 and step is not None:
                line = console.progress_line("linting", steps, step.start, step.start + 10, 80)
                early = console.progress_line("linting", steps, step.start, step.start + 0.6, 80)
                narrow = console.progress_line("linting", steps, step.start, step.start + 10, 30)
    assert line == "linting: rule 2 of 4  █████░░░░░░░░░░░░░░░  30 s left"
    assert early.endswith("1 s") and len(narrow) <= 30
    assert [console.duration(seconds) for seconds in (8, 130, 3900)] == ["8 s", "2 min 10 s", "1 h 5 min"]


def test_one_line_is_shown_and_a_pager_is_left_alone(monkeypatch):
    no_ci(monkeypatch)
    monkeypatch.setattr(console, "_PATIENCE_S", 0.01)
    errors = Errors()
    monkeypatch.setattr(sys, "stderr", errors)
    with console.patience("outer"), console.patience("inner"):
        wait_until(errors.getvalue)
        time.sleep(0.05)
    assert "outer" in errors.getvalue() and "inner" not in errors.getvalue()
    reader, writer = os.pipe()
    with os.fdopen(reader), os.fdopen(writer, "w") as pipe:
        monkeypatch.setattr(sys, "stdout", pipe)
        monkeypatch.setattr(sys, "stderr", piped := Errors())
        with console.patience("reading"):
            time.sleep(0.05)
        assert piped.getvalue() == ""


def test_patience_ends_with_an_error(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Errors())
    with pytest.raises(KeyboardInterrupt), console.patience("reading"):
        raise KeyboardInterrupt


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a pseudo-terminal")
def test_a_real_terminal():
    import fcntl
    import struct
    import termios

    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 90, 0, 0))
    environment = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "NO_COLOR")}
    command = [sys.executable, "-m", "trex", "summary", str(SIMULATED / "transformer-fp16")]
    child = subprocess.Popen(command, stdout=slave, stderr=slave, env={**environment, "TERM": "xterm-256color"})
    os.close(slave)
    seen = bytearray()
    try:
        while piece := os.read(master, 65536):
            seen += piece
    except OSError:  # how Linux says that the other end is closed
        pass
    finally:
        os.close(master)
    assert child.wait() == 0
    text = seen.decode()
    assert "\x1b[1;32m" in text
    lines = ANSI.sub("", text).splitlines()
    assert max(map(len, lines)) <= 90
    assert any("…" in line for line in lines) and any("█" in line for line in lines)
