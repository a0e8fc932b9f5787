"""The command ``trex bisect``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.checkout import ROOT
from tests.store.small_engines import write_engine
from trex.store.run_store import RunStore

CULPRIT = 9
MAKE = f"""
import sys
from pathlib import Path
from tests.checkout import ROOT
from tests.store.small_engines import write_engine
step = int(sys.argv[1])
if step == 7:
    sys.exit(125)
if step == 8:
    print("no such file: model.onnx")
    sys.exit(2)
if step != 11:
    write_engine(Path(sys.argv[2]), "net", (0.5, 0.30 if step >= {CULPRIT} else 0.25))
"""


@pytest.fixture
def ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """Ids of the runs at both ends, and a command that makes those between."""
    store = RunStore.open(tmp_path / "store", create=True)
    runs = []
    for step, slow in ((0, 0.25), (15, 0.30)):
        folder = write_engine(tmp_path / str(step), "net", (0.5, slow))
        runs.append(store.add(folder, labels={"step": str(step)}))
    (tmp_path / "make.py").write_text(MAKE)
    monkeypatch.setenv("TREX_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return runs[0].short_id, runs[1].short_id


def test_it_makes_the_runs_it_needs_and_goes_on_where_it_was(trex, ends: tuple[str, str], tmp_path: Path) -> None:
    command = f"{sys.executable} {tmp_path / 'make.py'} {{value}} {{folder}}"
    words = ("bisect", *ends, "--axis", "step", "--values", *range(16))
    said = trex(*words)
    assert said.code == 3 and "Run 8 next, about 4 more runs in all." in said.out
    said = trex(*words, "--run", command, "--most", 2)
    assert said.code == 3 and "skipped 8: the command failed (exit code 2)" in said.err
    said = trex(*words, "--run", command)
    text = " ".join(said.out.split())
    assert said.code == 0 and "It begins at one of step 7, step 8, step 9" in text and "made now" in text
    assert "Why: same kernel faster or slower" in text or "conv1" in text
    data = json.loads(trex(*words, "--json").out)["sections"]
    assert data["answer"]["data"]["culprits"] == ["7", "8", "9"] and data["answer"]["data"]["next"] is None
    why = {row["value"]: row["skipped_because"] for row in data["values"]["tables"]["values"]["rows"]}
    assert "exit code 125" in why["7"] and "exit code 2" in why["8"]
    logs = [json.loads(file.read_text())["log"] for file in (tmp_path / "store" / "failures").glob("*/*.json")]
    assert ["no such file: model.onnx"] in logs


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--axis", "stepp"), "the label 'stepp'"),
        (("--axis", "driver"), "has no driver"),
        ((), "has no commit"),
        (("--axis", "step", "--metric", "speed"), "no metric 'speed'"),
        (("--axis", "step", "--run", "make"), "no {folder}"),
        (("--axis", "step", "--values", "1", "--run", "./no-such-program {folder}"), "no-such-program"),
        (("--axis", "step", "--most", "3"), "for runs that --run makes"),
        (("--axis", "step", "--run", ""), "the value is empty"),
    ],
)
def test_mistakes(trex, ends: tuple[str, str], words: tuple[str, ...], message: str) -> None:
    said = trex("bisect", *ends, *words)
    assert said.code == 2 and message in said.err


def test_equal_ends_are_refused(trex, ends: tuple[str, str], tmp_path: Path) -> None:
    store = RunStore.open(tmp_path / "store")
    run = store.add(write_engine(tmp_path / "again", "net", (0.5, 0.25)), labels={"step": "3"})
    said = trex("bisect", ends[0], run.id, "--axis", "step")
    assert said.code == 2 and "nothing to bisect" in said.err
    assert "both runs are the same" in trex("bisect", ends[0], ends[0], "--axis", "step").err


def test_a_run_that_hangs_is_stopped_and_skipped(trex, ends: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "hang.py").write_text("import time; print('waiting', flush=True); time.sleep(60)\n")
    command = f"{sys.executable} {tmp_path / 'hang.py'} {{folder}}"
    said = trex("bisect", *ends, "--axis", "step", "--values", "7", "--run", command, "--time-limit", 1)
    assert said.code == 3 and "stopped after 1 s" in said.err and "all values between both ends are skipped" in said.out
