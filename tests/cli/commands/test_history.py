"""The command ``trex history``."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.store.small_engines import write_engine
from trex.store.run_store import RunStore

STEP = 6


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """12 runs, a day apart; from the seventh on a layer takes twice as long."""
    folder = tmp_path_factory.mktemp("history")
    store = RunStore.open(folder / "store", create=True)
    for number in range(12):
        slow = 0.5 if number >= STEP else 0.25
        engine = write_engine(folder / str(number), "net", (0.5 + 0.001 * (number * 5 % 3), slow))
        for file in engine.iterdir():
            os.utime(file, (1.78e9 + 86400 * number,) * 2)
        store.add(engine, commit=f"{number:07x}")
    return folder / "store"


def test_the_answer_comes_first(trex, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    said = trex("history", "net", "--store", store)
    lines = said.out.splitlines()
    assert (said.code, said.err) == (0, "")
    assert lines[1].startswith("Slower since 2026-") and "(0000006)" in lines[1]
    text = " ".join(said.out.split())
    assert "(+33" in text and "Confidence above 99.9 %" in text and "Layers: conv1 +0.2500 ms" in text
    assert "▁▁▁▁▁▁██████" in text and max(map(len, lines)) <= 80


def test_every_format_has_it(trex, store: Path, tmp_path: Path) -> None:
    data = json.loads(trex("history", "net", "--store", store, "--by", "commit", "--json").out)
    assert data["schema"] == "trex.history/1"
    change = data["sections"]["changes"]["tables"]["changes"]["rows"][0]
    assert change["at"] == "0000006" and change["change_pct"] == pytest.approx(33.3, abs=1.0)
    assert len(data["sections"]["runs"]["tables"]["runs"]["rows"]) == 12
    for ending in ("html", "xlsx", "ipynb", "md"):
        assert (
            trex("history", "net", "--store", store, "--metric", "compute", "-o", tmp_path / f"h.{ending}").code == 0
        ), ending
        assert (tmp_path / f"h.{ending}").stat().st_size > 500


def test_a_gate(trex, store: Path) -> None:
    assert trex("history", "net", "--store", store, "--fail-on-change").code == 1
    assert trex("history", "net", "--store", store, "--fail-on-change", "--metric", "layers").code == 0
    alone = store.parent / "alone"
    assert trex("store", "add", "example:resnet18-int8", "--store", alone).code == 0
    assert trex("history", "resnet18-int8", "--store", alone, "--fail-on-change").code == 3


def test_mistakes(trex, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "no run store" in trex("history", "net").err
    monkeypatch.setenv("TREX_STORE", str(store))
    said = trex("history", "mobilenet")
    assert said.code == 2 and "models here: net" in said.err
