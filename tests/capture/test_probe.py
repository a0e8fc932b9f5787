"""Questions asked in another process: answers, and every way not to answer."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from trex.capture.probe import MAX_OUTPUT_CHARS, ProbeResult, ask_python, is_installed, run_program
from trex.core.errors import TrexError


def test_an_answer_is_found_among_chatter() -> None:
    assert ask_python("print('hello', end=''); answer = {'a': [1, None]}") == ProbeResult({"a": [1, None]})


@pytest.mark.parametrize(
    ("question", "problem"),
    [
        ("import os; os.abort()", "it died of SIGABRT"),
        ("import os; os.kill(os.getpid(), 11)", "it died of SIGSEGV"),
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("import os; os._exit(0)", "it ended without an answer"),
        ("import os; os._exit(3)", "it ended with 3"),
    ],
)
def test_what_fails_is_reported(question: str, problem: str) -> None:
    assert ask_python(question) == ProbeResult(problem=problem)


def test_what_hangs_is_ended() -> None:
    assert ask_python("import time; time.sleep(60)", 0.5).problem == "no answer within 0.5 s"


def test_it_sees_the_modules_we_see(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "only_here.py").write_text("VALUE = 7")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert is_installed("only_here")
    assert ask_python("import only_here; answer = only_here.VALUE").value == 7


def test_asking_imports_nothing_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "crashing_module.py").write_text("import os; os.abort()")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert is_installed("crashing_module") and "crashing_module" not in sys.modules


@pytest.mark.parametrize("module", ["no_such_module", "no_such.inner", "json.no_such", "sys.path"])
def test_what_is_not_installed(module: str) -> None:
    assert not is_installed(module)


def test_programs() -> None:
    assert run_program([sys.executable, "-c", "print(1)"]).lines == ("1",)
    with pytest.raises(TrexError, match="there is no such program"):
        run_program(["/no/such/program"])


def test_endless_output_is_kept_in_part_and_ended() -> None:
    output = run_program(["yes", "x" * 1000], 0.5)
    assert output.is_late and len(output.lines) == MAX_OUTPUT_CHARS // 1001


@pytest.mark.usefixtures("terminal_signals")
def test_a_signal_reaches_its_handler() -> None:
    with pytest.raises(KeyboardInterrupt):
        run_program([sys.executable, "-c", f"import os, signal; os.kill({os.getpid()}, signal.SIGINT)"])


@pytest.mark.skipif(os.name == "nt", reason="other signals")
def test_a_signal_ends_a_program_in_order_and_goes_on_to_trex(tmp_path: Path) -> None:
    """Commands of ``trex doctor --acceptance`` set their files aside."""
    heard: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: heard.append(number))
    script = f"trap 'touch {tmp_path}/cleaned; exit 3' TERM; touch {tmp_path}/ready; while :; do sleep 0.05; done"

    def send() -> None:
        while not (tmp_path / "ready").exists():
            time.sleep(0.02)
        assert not heard
        os.kill(os.getpid(), signal.SIGTERM)

    try:
        threading.Thread(target=send, daemon=True).start()
        ended = run_program(["sh", "-c", script], grace_s=20)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert ended.exit_code == 3 and (tmp_path / "cleaned").exists() and heard == [signal.SIGTERM]


def test_the_working_directory_has_no_modules_of_theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be a stranger's checkout."""
    for name in ("json", "trex"):
        (tmp_path / f"{name}.py").write_text("print('taken')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert ask_python("answer = 1") == ProbeResult(1)
    if sys.version_info >= (3, 11):
        output = run_program([sys.executable, "-m", "trex", "--version"])
        assert "taken" not in output.lines
