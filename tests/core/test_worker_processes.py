"""Worker processes: signals of a terminal, of ``timeout`` and of a kill, at whatever moment they come."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import wait_until
from trex.core.errors import TrexError
from trex.core.worker_processes import in_processes

SCRIPT = """
import os, sys, time
from pathlib import Path
from trex.core.worker_processes import in_processes
from trex.cli.stopping import Stopped, Stopping
def busy(folder, number):  # a file as long as it lasts, the number of its process in it
    file = Path(folder, str(number))
    try:
        file.write_text(str(os.getpid()))
        time.sleep(60)
    finally:
        file.unlink()
if __name__ == "__main__":
    Stopping().begin()
    try:
        print("started", flush=True)
        list(in_processes(busy, [(sys.argv[1], number) for number in range(6)], 2))
    except Stopped as stop:
        sys.exit(stop.code)
"""


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_results_come_in_order_and_a_killed_worker_is_an_error() -> None:
    assert list(in_processes(pow, [(number, 2) for number in range(3)], 2)) == [0, 1, 4]
    with pytest.raises(TrexError, match="ended from outside"):
        list(in_processes(os._exit, [(9,)], 1))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks Linux")
@pytest.mark.parametrize(
    ("number", "is_early"),
    [
        (signal.SIGINT, True),
        *((number, False) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)),
    ],
)
def test_a_signal_ends_all_and_says_nothing(tmp_path: Path, number: signal.Signals, is_early: bool) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    files = tmp_path / "files"
    files.mkdir()
    root = str(Path(__file__).resolve().parents[2])
    process = subprocess.Popen(
        [sys.executable, str(script), str(files)],
        env={**os.environ, "PYTHONPATH": root}, start_new_session=True, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None and process.stdout.readline() == "started\n"
    wait_until(lambda: is_early or all(list(files.glob(name)) and (files / name).read_text() for name in "01"))
    workers = [int(text) for file in files.iterdir() if (text := file.read_text())]
    if number == signal.SIGKILL:  # of it alone
        process.kill()
    else:
        os.killpg(process.pid, number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == (-9 if number == signal.SIGKILL else 128 + number)
    assert "Traceback" not in errors and "Exception" not in errors
    wait_until(lambda: not any(map(is_running, workers)) and not list(files.iterdir()))


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 knows no PYTHONSAFEPATH")
def test_the_working_directory_has_no_modules_of_theirs(tmp_path: Path) -> None:
    """It may be a stranger's checkout."""
    trap = tmp_path / "taken"
    for name in ("multiprocessing", "pickle", "trex"):
        (tmp_path / f"{name}.py").write_text(f"open({str(trap)!r}, 'w')", encoding="utf-8")
    script = tmp_path / "scripts" / "x.py"
    script.parent.mkdir()
    script.write_text(
        "from trex.core.worker_processes import in_processes\n"
        "if __name__ == '__main__':\n    assert list(in_processes(abs, [(-1,), (-2,)], 2)) == [1, 2]\n",
        encoding="utf-8",
    )
    root = str(Path(__file__).resolve().parents[2])
    subprocess.run([sys.executable, str(script)], cwd=tmp_path, env={**os.environ, "PYTHONPATH": root}, check=True)
    assert not trap.exists()
