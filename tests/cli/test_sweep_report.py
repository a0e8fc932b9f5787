"""``trex sweep report`` and ``trex sweep gate``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.store.small_engines import write_engine
from trex.store.run_store import RunStore

OLD, NEW = "a" * 40, "b" * 40


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """2 × 2 configurations at two commits; fp32 got slower."""
    folder = tmp_path_factory.mktemp("sweep")
    store = RunStore.open(folder / "store", create=True)
    for commit in (OLD, NEW):
        for precision, ms in (("fp16", 0.4), ("fp32", 0.8 if commit == OLD else 1.0)):
            for option in ("a", "b"):
                labels = {"sweep": "ci", "model": "net", "precision": precision, "options": option}
                engine = write_engine(folder / f"{commit[0]}-{precision}-{option}", "net", (ms, 0.1))
                store.add(engine, labels=labels, commit=commit)
    return folder / "store"


def test_report(trex, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    said = trex("sweep", "report", "ci", "--store", store, "--where", "main_ms < 0.9")
    text = " ".join(said.out.split())
    assert said.code == 0 and "of 2 configurations with main_ms < 0.9: fp16" in text
    assert "precision fp16 fp32" in text and max(map(len, said.out.splitlines())) <= 80
    file = tmp_path / "accuracy.csv"
    file.write_text("precision,accuracy\nfp16,70\nfp32,71\n")
    data = json.loads(trex("sweep", "report", "ci", "--store", store, "--column", file, "--json").out)
    assert data["schema"] == "trex.sweep/1"
    objectives = data["sections"]["answer"]["data"]["objectives"]
    assert objectives[-1] == {"column": "accuracy", "higher_is_better": True}
    for ending in ("html", "ipynb", "xlsx"):
        assert trex("sweep", "report", "ci", "--store", store, "-o", tmp_path / f"r.{ending}").code == 0, ending
    assert "'ci'" not in trex("sweep", "report", "c1", "--store", store).out


def test_gate(trex, store: Path) -> None:
    words = ("sweep", "gate", "ci", "--store", store, "--commit", NEW, "--base", OLD)
    assert trex(*words, "--fail-on", "layer-sum>+50%").code == 0
    said = trex(*words, "--fail-on", "layer-sum>+3%")
    assert said.code == 1 and "2 failed, 0 inconclusive, 2 passed." in said.out
    data = json.loads(trex(*words, "--fail-on", "layer-sum>+3%", "--json").out)["sections"]
    assert data["gate"]["data"]["failed"] == 2
    assert {row["result"] for row in data["gate"]["tables"]["configurations"]["rows"]} == {"failed", "passed"}


@pytest.mark.parametrize(
    "words",
    [
        ("report",), ("report", "other"), ("report", "ci", "--where", "a b"), ("report", "ci", "--best-by", "x"),
        ("gate",), ("gate", "ci", "--commit", "ccc"), ("gate", "ci", "--fail-on", "speed>1%"),
    ],
)  # fmt: skip
def test_mistakes(trex, store: Path, words: tuple[str, ...]) -> None:
    said = trex("sweep", words[0], *words[1:], "--store", store)
    assert said.code == 2 and said.err.startswith("trex sweep: ") and "try:" in said.err
