"""One child process: what it says, how it ends, and how it is ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.waiting import LONGEST_S
from trex.capture import child
from trex.capture.child import MAX_LINE_BYTES, TIME_LIMIT, ChildResult, LineSplitter, run_child
from trex.core.errors import TrexError

pytestmark = pytest.mark.usefixtures("terminal_signals")

REPOSITORY = Path(__file__).resolve().parents[2]
SLEEPS = "import time; print('ready', flush=True); time.sleep(60)"


def python(code: str) -> list[str]:
    return [sys.executable, "-SEc", code]


def lines_of(code: str, log: Path, **options: object) -> tuple[list[str], ChildResult]:
    seen: list[str] = []
    ended = run_child(python(code), log, seen.append, **options)
    return seen, ended


def is_gone(pid: int) -> bool:
    """The process has ended; a zombie counts."""
    limit = time.monotonic() + LONGEST_S
    while time.monotonic() < limit:
        try:
            os.kill(pid, 0)
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (ProcessLookupError, FileNotFoundError):
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


def test_both_streams_are_lines_in_the_order_written(tmp_path: Path) -> None:
    code = (
        "import os\nfor n in range(3): os.write(1, b'out %d\\n' % n); os.write(2, b'err %d\\n' % n)\n"
        "os.write(1, b'half'); os.write(1, b' a line'); raise SystemExit(7)"
    )
    seen, ended = lines_of(code, tmp_path / "x.log")
    assert seen == ["out 0", "err 0", "out 1", "err 1", "out 2", "err 2", "half a line"]
    assert (ended.exit_code, ended.stopped_by, ended.succeeded) == (7, "", False)
    assert ended.last_lines == tuple(seen)
    assert (tmp_path / "x.log").read_text() == "\n".join(seen)
    assert ended.started <= ended.ended and ended.duration_s > 0


def test_the_log_has_the_bytes_and_the_watcher_text(tmp_path: Path) -> None:
    code = "import os; os.write(1, b'10%\\r50%\\r100%\\r\\n\\xff\\xfe \\x1b[31mred\\x1e\\n')"
    seen, _ = lines_of(code, tmp_path / "x.log")
    assert seen == ["100%", "\ufffd\ufffd \x1b[31mred\x1e"]
    assert (tmp_path / "x.log").read_bytes() == b"10%\r50%\r100%\r\n\xff\xfe \x1b[31mred\x1e\n"


@pytest.mark.parametrize("size", [1, 3, 7, 10_000])
def test_lines_do_not_depend_on_the_chunks(size: int) -> None:
    data = "ab\n\nüñ→\r\n".encode() + b"x" * 50 + b"\nend"
    lines = LineSplitter()
    seen = [line for start in range(0, len(data), size) for line in lines.feed(data[start : start + size])]
    assert [*seen, *lines.finish()] == ["ab", "", "üñ→", "x" * 50, "end"]


def test_a_line_without_end_is_cut_for_the_watcher() -> None:
    lines = LineSplitter()
    seen = [line for _ in range(40) for line in lines.feed(b"x" * 10_000)]
    seen += [*lines.feed(b"xx\nnext\n"), *lines.finish()]
    assert [len(line) for line in seen] == [MAX_LINE_BYTES, 4]
    assert seen[1] == "next"


def test_how_a_signal_is_reported(tmp_path: Path) -> None:
    _, ended = lines_of("import os; os.kill(os.getpid(), 9)", tmp_path / "x.log")
    assert (ended.exit_code, ended.stopped_by) == (-9, "")


def test_names_are_never_read_by_a_shell(tmp_path: Path) -> None:
    log = tmp_path / "ünï $(touch here) 'x' ; y.log"
    seen: list[str] = []
    run_child([*python("import sys; print(sys.argv[1:])"), "a b", "$HOME", "`x`", "ü→", ""], log, seen.append)
    assert seen == ["['a b', '$HOME', '`x`', 'ü→', '']"]
    assert log.is_file() and [path.name for path in tmp_path.iterdir()] == [log.name]


@pytest.mark.slow
@pytest.mark.parametrize("ignores", [False, True])
def test_the_time_limit_ends_all_that_was_started(ignores: bool, tmp_path: Path) -> None:
    # A shell: it ignores the signal long before the limit, on a busy machine too.
    code = ('trap "" TERM; ' if ignores else "") + "sleep 60 & echo $!; wait"
    seen: list[str] = []
    ended = run_child(["sh", "-c", code], tmp_path / "x.log", seen.append, time_limit_s=1, grace_s=0.2)
    assert ended.stopped_by == TIME_LIMIT
    assert ended.exit_code == (-9 if ignores else -15)
    assert is_gone(int(seen[0]))


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_to_us_ends_the_child_and_comes_back(name: str, tmp_path: Path) -> None:
    number = getattr(signal, name)
    received: list[int] = []

    def ours(which: int, _frame: object) -> None:
        received.append(which)

    before = signal.signal(number, ours)
    try:
        ended = run_child(python(SLEEPS), tmp_path / "x.log", lambda _: os.kill(os.getpid(), number))
        assert (ended.exit_code, ended.stopped_by) == (-15, name)
        assert received == [] and signal.getsignal(number) is ours
    finally:
        signal.signal(number, before)
    assert (tmp_path / "x.log").read_text() == "ready\n"


def test_a_signal_just_after_the_childs_end_is_not_lost(tmp_path: Path) -> None:
    def interrupt(pid: str) -> None:
        assert is_gone(int(pid))
        time.sleep(0.3)  # until that is known
        os.kill(os.getpid(), signal.SIGTERM)

    ended = run_child(python("import os; print(os.getpid(), flush=True)"), tmp_path / "x.log", interrupt)
    assert ended.stopped_by == "SIGTERM" and not ended.succeeded


def test_a_second_signal_does_not_wait(tmp_path: Path) -> None:
    code = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + SLEEPS
    timers: list[threading.Timer] = []

    def interrupt(_: str) -> None:
        for delay in (0.0, 0.2):
            timers.append(threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT)))
            timers[-1].start()

    ended = run_child(python(code), tmp_path / "x.log", interrupt, grace_s=50)
    assert (ended.exit_code, ended.stopped_by) == (-9, "SIGINT")
    assert ended.duration_s < 50


def test_ignored_signals_stay_ignored(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        code = "print('ready', flush=True)"
        ended = run_child(python(code), tmp_path / "x.log", lambda _: os.kill(os.getpid(), signal.SIGHUP))
        assert ended.succeeded and signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_it_runs_in_other_threads_too(tmp_path: Path) -> None:
    ends: list[ChildResult] = []
    thread = threading.Thread(target=lambda: ends.append(run_child(python("print(1)"), tmp_path / "x.log")))
    thread.start()
    thread.join(60)
    assert ends[0].succeeded


def test_a_watcher_that_fails_leaves_no_child(tmp_path: Path) -> None:
    pids: list[int] = []

    def fail(line: str) -> None:
        pids.append(int(line))
        raise RuntimeError("the terminal is gone")

    with pytest.raises(RuntimeError, match="gone"):
        run_child(python("import os, time; print(os.getpid(), flush=True); time.sleep(60)"), tmp_path / "x.log", fail)
    assert is_gone(pids[0])


def test_what_a_child_leaves_behind_does_not_hold_us(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "_ORPHANS_S", 0.1)
    code = (
        "import subprocess, sys; p = subprocess.Popen([sys.executable, '-SEc', 'import time; time.sleep(60)']);"
        "print(p.pid, flush=True)"
    )
    seen, ended = lines_of(code, tmp_path / "x.log")
    assert ended.succeeded and ended.duration_s < 50
    assert is_gone(int(seen[0]))


def test_programs_that_cannot_be_started(tmp_path: Path) -> None:
    with pytest.raises(TrexError, match="no such program"):
        run_child([str(tmp_path / "nothing")], tmp_path / "x.log")
    plain = tmp_path / "plain"
    plain.write_text("text")
    with pytest.raises(TrexError, match="may not be executed") as caught:
        run_child([str(plain)], tmp_path / "x.log")
    assert "chmod +x" in caught.value.hint
    plain.chmod(0o755)
    with pytest.raises(TrexError, match="could not be started"):
        run_child([str(plain)], tmp_path / "x.log")
    with pytest.raises(TrexError, match="could not be started"):
        run_child(["x\0y"], tmp_path / "x.log")


def test_no_space_for_the_log() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    with pytest.raises(TrexError, match="no space left for the log"):
        run_child(python(SLEEPS), "/dev/full")


def test_a_log_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(TrexError, match="the log cannot be written"):
        run_child(python("pass"), tmp_path / "nowhere" / "x.log")


@pytest.mark.slow
def test_a_hundred_megabytes_are_not_held(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    code = f"""
import resource, sys
sys.path.insert(0, {str(REPOSITORY)!r})
from trex.capture.child import run_child
line = "[11/21/2026-21:30:41] [V] [TRT] Tactic: 0x0000000000000002 Time: 0.0512 " + "x" * 27
child = "import sys; data = ({{0!r}} + chr(10)) * 10_000; [sys.stdout.write(data) for _ in range(100)]".format(line)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
run_child([sys.executable, "-SEc", child], {str(log)!r}, len)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert log.stat().st_size >= 100_000_000
    assert int(done.stdout) < 8 * 1024  # KiB


@pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="the system does not report a child's memory")
def test_a_childs_peak_memory_is_its_own(tmp_path: Path) -> None:
    code = "x = b'1' * {}\ndel x\nprint('done', flush=True)\nimport time\ntime.sleep(1)"
    large, small = (run_child(python(code.format(size)), tmp_path / "x.log") for size in (100_000_000, 0))
    assert 100e6 < (large.peak_bytes or 0) < 200e6
    assert 1e6 < (small.peak_bytes or 0) < 60e6  # though this process is larger
