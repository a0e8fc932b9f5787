"""Signals: trex ends as a program that they end, but cleans up first."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from trex.cli.stopping import Stopped, Stopping

pytestmark = pytest.mark.skipif(os.name == "nt", reason="other signals")

# What a signal meets: a file that is being written, with the old one beside it.
SCRIPT = """
OWN_ERROR = {error}
import signal, sys
from trex.cli.command import COMMANDS, Command
from trex.core.whole_file import whole_file
def run(options):
    with whole_file("page.html") as file:
        file.write(b"new")
        for number in map(int, sys.argv[3:]):
            try:
                signal.raise_signal(number)
            except KeyboardInterrupt:
                if not OWN_ERROR:
                    raise
                raise OWN_ERROR("query interrupted")  # DuckDB does
    return 0
plug = COMMANDS.load("explain")
plug.module.COMMAND = Command(plug.value.options, run)
from trex.__main__ import main
sys.exit(main())
"""


def stopped(folder, *numbers: int, ignored: int | None = None, error: str = "None") -> subprocess.CompletedProcess:
    (folder / "page.html").write_text("old")
    return subprocess.run(
        [sys.executable, "-c", SCRIPT.format(error=error), "explain", "name", *map(str, map(int, numbers))],
        cwd=folder, capture_output=True, text=True, timeout=60,
        preexec_fn=None if ignored is None else lambda: signal.signal(ignored, signal.SIG_IGN),
    )  # fmt: skip


@pytest.mark.parametrize(
    "numbers", [(signal.SIGINT,), (signal.SIGTERM,), (signal.SIGHUP,), (signal.SIGTERM, signal.SIGINT)]
)
def test_a_signal_leaves_files_as_they_were(tmp_path, numbers):
    said = stopped(tmp_path, *numbers)
    assert (said.returncode, said.stdout) == (128 + numbers[0], "")
    assert said.stderr == f"trex explain: stopped by {numbers[0].name}\n"
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("page.html", "old")]


def test_a_library_may_turn_it_into_an_error_of_its_own(tmp_path):
    said = stopped(tmp_path, signal.SIGTERM, error="RuntimeError")
    assert (said.returncode, said.stderr) == (143, "trex: stopped by SIGTERM\n")


def test_a_thread_that_waits_for_a_pipe_does_not_keep_the_process(tmp_path, monkeypatch):
    thread = "import os, threading; threading.Thread(target=os.read, args=(os.pipe()[0], 1)).start()\n"
    monkeypatch.setitem(globals(), "SCRIPT", thread + SCRIPT)
    assert stopped(tmp_path, signal.SIGTERM).returncode == 143


def test_an_ignored_signal_stays_ignored(tmp_path):
    said = stopped(tmp_path, signal.SIGHUP, ignored=signal.SIGHUP)
    assert (said.returncode, said.stderr) == (0, "") and (tmp_path / "page.html").read_text() == "new"


def test_one_press_may_come_twice_and_the_next_ends_trex(monkeypatch):
    now = [10.0]
    ended: list[int] = []
    monkeypatch.setattr("trex.cli.stopping.time.monotonic", lambda: now[0])
    monkeypatch.setattr("trex.cli.stopping.signal.raise_signal", ended.append)
    monkeypatch.setattr("trex.cli.stopping.signal.signal", lambda *_: None)
    stopping = Stopping()
    with pytest.raises(Stopped) as stop:
        stopping._stop(signal.SIGTERM, None)
    assert (stop.value.name, stop.value.code) == ("SIGTERM", 143)
    stopping._stop(signal.SIGINT, None)
    assert not ended
    now[0] += 1.5
    stopping._stop(signal.SIGINT, None)
    assert ended == [signal.SIGINT]


def test_a_signal_during_an_import_waits_for_its_end(tmp_path):
    """Raised in the import, an exception may be dropped."""
    (tmp_path / "slow.py").write_text(
        "import signal, time\nsignal.raise_signal(signal.SIGTERM)\ntime.sleep(0.1)\nprint('imported', flush=True)\n"
    )
    script = "from trex.cli.stopping import Stopping\nStopping().begin()\nimport slow, time\ntime.sleep(20)\n"
    said = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert said.stdout == "imported\n" and said.stderr.endswith("trex.cli.stopping.Stopped\n")
    assert "slow.py" not in said.stderr
