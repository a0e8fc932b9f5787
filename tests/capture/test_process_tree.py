"""Nothing that was started outlives its run: not in a session of its own, not orphaned, not after kill -9 of trex."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.capture.test_child import is_gone
from tests.waiting import wait_until
from trex.capture import child
from trex.capture.child import TIME_LIMIT, run_child
from trex.capture.process_tree import WARDEN

pytestmark = [
    pytest.mark.usefixtures("terminal_signals"),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux keeps track of orphans"),
]

REPOSITORY = Path(__file__).resolve().parents[2]

# Prints the ids of itself and of a grandchild that left its parent, group and session, and holds the output.
ESCAPES = """
import os, signal, sys, time
def escape():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            if {ignores}:
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
            os.write(1, b"%d grandchild\\n" % os.getpid())
            time.sleep(600)
        os._exit(0)
    os.wait()
escape()
os.write(1, b"%d command\\n" % os.getpid())
{then}
"""


def escaping(then: str, ignores: bool = False) -> list[str]:
    return [sys.executable, "-SEc", ESCAPES.format(then=then, ignores=ignores)]


@pytest.mark.parametrize("ignores", [False, True])
def test_the_time_limit_ends_a_grandchild_that_holds_the_output(ignores: bool, tmp_path: Path) -> None:
    seen: list[str] = []
    clock = time.monotonic()
    ended = run_child(escaping("time.sleep(600)", ignores), tmp_path / "x.log", seen.append, 3, grace_s=0.5)
    assert time.monotonic() - clock < 60
    assert ended.stopped_by == TIME_LIMIT and ended.exit_code == -15
    assert len(seen) == 2 and all(is_gone(int(line.split()[0])) for line in seen)


def test_a_grandchild_of_a_child_that_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "_ORPHANS_S", 0.2)
    seen: list[str] = []
    ended = run_child(escaping("os._exit(3)", ignores=True), tmp_path / "x.log", seen.append)
    assert (ended.exit_code, ended.stopped_by) == (3, "") and ended.duration_s < 60
    assert all(is_gone(int(line.split()[0])) for line in seen)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_too(number: int, tmp_path: Path) -> None:
    seen: list[str] = []

    def take(line: str) -> None:
        seen.append(line)
        if len(seen) == 2:
            os.kill(os.getpid(), number)

    clock = time.monotonic()
    ended = run_child(escaping("time.sleep(600)", ignores=True), tmp_path / "x.log", take, grace_s=0.3)
    assert ended.stopped_by == signal.Signals(number).name and time.monotonic() - clock < 60
    assert all(is_gone(int(line.split()[0])) for line in seen)


def test_a_reader_is_not_held_by_what_no_one_can_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The write end of the output is held here, where no kill reaches it."""
    monkeypatch.setattr(child, "_ORPHANS_S", 0.2)
    held: list[int] = []

    def hold(pid: int) -> None:
        held.append(os.open(f"/proc/{pid}/fd/1", os.O_WRONLY))

    code = "import time; print('ready', flush=True); time.sleep(0.5)"
    ended = run_child([sys.executable, "-SEc", code], tmp_path / "x.log", on_start=hold)
    os.close(held[0])
    assert ended.succeeded and ended.duration_s < 60 and ended.last_lines == ("ready",)


RUN = """
import sys
sys.path.insert(0, {repository!r})
from trex.capture.child import run_child
run_child({command!r}, {log!r}, lambda line: print(line, flush=True))
"""


@pytest.mark.parametrize("also_the_warden", [False, True])
def test_nothing_outlives_a_kill_of_trex(also_the_warden: bool, tmp_path: Path) -> None:
    """If the warden is killed as well, the command still ends; what it started may stay."""
    code = RUN.format(repository=str(REPOSITORY), command=escaping("time.sleep(600)"), log=str(tmp_path / "x.log"))
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        lines = {name: number for number, name in (running.stdout.readline().split() for _ in range(2))}
        grandchild, command = int(lines["grandchild"]), int(lines["command"])
        status = Path(f"/proc/{command}/status").read_text()
        warden = int(status.partition("PPid:")[2].split()[0])
        assert WARDEN.name in Path(f"/proc/{warden}/cmdline").read_text()
        if also_the_warden:
            os.kill(warden, signal.SIGKILL)
            assert is_gone(command)
            os.kill(grandchild, signal.SIGKILL)
        running.kill()
    assert is_gone(command) and is_gone(warden) and is_gone(grandchild)


def test_the_warden_keeps_nothing_of_its_own(tmp_path: Path) -> None:
    """Its child has the words, the environment and the signals that a child of trex has, and no descriptor more."""
    code = (
        "import os, signal, sys\n"
        "print(sys.argv[1:], os.environ['X'], os.getsid(0) == os.getpid(), sys.stdin.read() == '',\n"
        "      sorted(map(int, os.listdir('/proc/self/fd')))[:3], len(os.listdir('/proc/self/fd')),\n"
        "      {line.split()[1] for line in open('/proc/self/status') if line.startswith('SigIgn')})"
    )
    seen: list[str] = []
    words = ["-x", "ü\udcff", "a b\n", "$(x)", ""]
    command = [sys.executable, "-SEc", code, *words]
    run_child(command, tmp_path / "x.log", seen.append, environment={**os.environ, "X": "1", "LC_ALL": "C.UTF-8"})
    expected = subprocess.run(
        command, env={**os.environ, "X": "1", "LC_ALL": "C.UTF-8"}, stdin=subprocess.DEVNULL, capture_output=True,
        start_new_session=True, text=True,
    )  # fmt: skip
    assert seen == expected.stdout.splitlines() and "True True [0, 1, 2] 4" in seen[0]


def test_it_leaves_no_descriptor_behind(tmp_path: Path) -> None:
    run_child([sys.executable, "-SEc", "print(1)"], tmp_path / "x.log")
    before = set(Path("/proc/self/fd").iterdir())
    for _ in range(5):
        run_child([sys.executable, "-SEc", "print(1)"], tmp_path / "x.log")
    wait_until(lambda: set(Path("/proc/self/fd").iterdir()) == before)
