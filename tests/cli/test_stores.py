"""Where the store is, and ``store:ID`` wherever an engine is an input."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from tests.store.small_engines import write_engine
from trex.cli.stores import store_path
from trex.core.errors import TrexError
from trex.store.adding import AddOptions, add_addresses
from trex.store.run import StoredRun
from trex.store.run_store import RunStore


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[StoredRun]:
    """Two runs of one engine in the default store."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TREX_STORE", raising=False)
    store = RunStore.open(tmp_path / "trex-store", create=True)
    times = ((0.5, 0.25), (0.5, 0.35))
    return [store.add(write_engine(tmp_path / str(n), "net", ms), commit=f"{n:07}") for n, ms in enumerate(times)]


def test_the_store_is_as_asked_else_of_the_environment_else_configured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    monkeypatch.delenv("TREX_STORE", raising=False)
    assert store_path() == "trex-store"
    (tmp_path / "a" / "trex.toml").write_text('[store]\nfolder = "runs"\n')
    assert Path(store_path()) == tmp_path / "a" / "runs"
    (tmp_path / "a" / "trex.toml").write_text("[store]\nfolder = 3\n")
    with pytest.raises(TrexError, match=r"store\.folder"):
        store_path()
    (tmp_path / "a" / "trex.toml").write_text('[store]\nfolder = "s3://bucket/runs"\n')
    with pytest.raises(TrexError, match="an address"):
        store_path()
    monkeypatch.setenv("TREX_STORE", "s3://bucket/runs")
    assert store_path() == "s3://bucket/runs" and store_path("x") == "x"


@pytest.mark.parametrize("command", ["summary", "lint", "report", "layers", "perf", "qdq"])
def test_commands_take_a_run_of_the_store(trex, runs: list[StoredRun], command: str) -> None:
    said = trex(command, f"store:{runs[0].short_id}")
    assert said.code in (0, 1) and said.out == trex(command, "0").out.replace("0/net", "net")


def test_compare_takes_runs_and_the_latest_like_the_new_one(trex, runs: list[StoredRun], tmp_path: Path) -> None:
    said = trex("compare", f"store:{runs[0].short_id}", f"store:{runs[1].short_id}")
    assert said.code == 0 and "slower" in said.out
    assert trex("compare", "store:latest", f"store:{runs[1].short_id}").out == said.out
    new = write_engine(tmp_path / "new", "net", (0.5, 0.35))
    assert "No difference" in trex("compare", "store:latest,commit=0000001", new).out
    gate = trex("compare", "store:latest,commit=0000000", new, "--fail-on", "latency>+3%")
    assert gate.code == 1 and "gate failed" in gate.err


def test_mistakes_name_the_run(trex, runs: list[StoredRun]) -> None:
    for words in (("summary", "store:ffff"), ("summary", "store:latest,model=x"), ("compare", "store:latest,a", "0")):
        said = trex(*words)
        assert said.code == 2 and "Traceback" not in said.err, words


def test_every_engine_of_an_archive_is_a_run_that_is_read_again(
    trex: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ZipFile(tmp_path / "two.tea", "w") as archive:
        for name, ms in (("a", 0.5), ("b", 0.75)):
            for file in write_engine(tmp_path / name, name, (ms, 0.25)).iterdir():
                archive.write(file, file.name)
    monkeypatch.setenv("TREX_STORE", str(tmp_path / "both"))
    store = RunStore.open(tmp_path / "both", create=True)
    runs = add_addresses(store, (str(tmp_path / "two.tea"),), AddOptions()).added
    assert {run.name: run.layer_sum_ms for run in runs} == {"a.engine": 0.75, "b.engine": 1.0}
    for run in runs:
        assert trex("summary", f"store:{run.short_id}").out.startswith(run.name)
        assert store.plan(run.id).layers_ms == run.layer_sum_ms
