"""The command ``trex store``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.store.small_engines import write_engine
from trex.store.run_store import RunStore

HOSTILE = "e\x1b[2Jvil::error::<b>"


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Engines: a/, b/ and below deep/; bad/ is damaged, and notes/ has none."""
    monkeypatch.setenv("TREX_STORE", str(tmp_path / "store"))
    root = tmp_path / "engines"
    write_engine(root / "a", "net", (0.5, 0.25))
    write_engine(root / "b", HOSTILE, (0.75,))
    write_engine(root / "deep" / "er", "other", (2.0,))
    write_engine(root / "bad", "broken")
    (root / "bad" / "broken.engine.graph.json").write_text('{"Layers": [{"Name"')
    (root / "notes").mkdir()
    (root / "notes" / "README.md").write_text("mine")
    return root


def test_a_day_with_a_store(trex, folders, tmp_path):
    said = trex("store", "list")
    assert said.code == 2 and "no run store" in said.err and "trex store add" in said.err
    said = trex("store", "add", folders / "a", folders / "b", folders / "bad", folders / "none", "--label", "x=y")
    assert said.code == 1 and said.out.startswith("2 runs added, 2 failed")
    assert "broken.engine.graph.json" in said.out and "no such file" in said.out and "\x1b" not in said.out
    said = trex("store", "add", folders / "a", "--label", "x=y")
    assert said.code == 0 and said.out.startswith("0 runs added, 1 known already")
    said = trex("store", "list")
    assert (
        "2 runs of 2 models on 0 GPUs" in said.out
        and "\x1b" not in said.out
        and max(map(len, said.out.split("\n"))) <= 80
    )
    rows = json.loads(trex("store", "list", "--json").out)["sections"]["runs"]["tables"]["runs"]["rows"]
    assert len(rows) == 2 and {row["layer_sum_ms"] for row in rows} == {0.75} and rows[0]["labels"] == {"x": "y"}
    assert "1 run of 1 model" in trex("store", "list", "--model", "NE*", "--label", "x=y").out
    assert "No runs" in trex("store", "list", "--label", "x=z").out
    run = next(row["id"] for row in rows if row["model"] == "net")
    said = trex("store", "show", run[:6])
    assert said.code == 0 and "net.engine.graph.json" in said.out and "layer_sum_ms" in said.out
    said = trex("store", "query", "SELECT model, sum(time_ms) AS ms, labels FROM layers JOIN runs USING (id, model) "
                                  "GROUP BY ALL ORDER BY 2", "--format", "csv")  # fmt: skip
    assert said.out.splitlines()[0] == "model,ms,labels" and "\x1b" not in said.out and len(said.out.splitlines()) == 3
    for sql in ("DROP TABLE runs", f"SELECT * FROM read_text('{folders}/notes/README.md')", "SELECT x FROM runs"):
        said = trex("store", "query", sql)
        assert said.code == 2 and said.out == "" and "Traceback" not in said.err
    assert trex("store", "compact").code == 0 and trex("store", "fsck").code == 0
    assert trex("store", "export", tmp_path / "runs.tar", "--run", run).code == 0
    assert trex("store", "rm", run).code == 0 and "1 run of 1 model" in trex("store", "list").out
    assert trex("store", "gc").out.startswith("0 files removed") and "too young" in trex("store", "gc").out
    assert trex("store", "import", tmp_path / "runs.tar").out.startswith("1 run imported")
    assert trex("store", "fsck").out.startswith("2 runs, no problems")


def test_every_engine_below_a_folder(trex, folders):
    for jobs in (2, 1):
        said = trex("store", "add", "--recursive", folders, "--jobs", jobs, "--json")
        added = json.loads(said.out)["sections"]["added"]
        counts = added["data"]
        assert (counts["added"] + counts["known"], counts["failed"], said.code) == (3, 1, 1)
        (failed,) = added["tables"]["failed"]["rows"]
        assert "broken" in failed["folder"]


def test_damage_is_found_and_repaired(trex, folders, tmp_path):
    trex("store", "add", folders / "a")
    (path,) = (tmp_path / "store").glob("tables/layers/*/*/*.parquet")
    path.write_bytes(b"PAR1")
    said = trex("store", "query", "SELECT * FROM layers")
    assert said.code == 2 and path.name in said.err and "fsck --repair" in said.err
    said = trex("store", "fsck", "--json")
    assert said.code == 1 and path.name in said.out
    said = trex("store", "fsck", "--repair")
    assert said.code == 0 and "rows of 1 run were made again" in said.out
    assert (tmp_path / "store" / "damaged").is_dir()
    few = trex("store", "query", "SELECT * FROM range(2000)", "--limit", "2").out
    assert trex("store", "list", "-n", "9" * 30).code == 0
    assert few.startswith("2 rows and more: -o FILE writes all") and "…" not in few
    assert trex("store", "query", "SELECT count(*) FROM layers", "-f", "csv").out.split() == ["count_star()", "2"]


def test_the_tables_are_documented(trex):
    said = trex("store", "query")
    assert said.code == 0 and "gpu_compute_ms" in said.out and "one finding of `trex lint`" in said.out


@pytest.mark.parametrize(
    "words",
    [("add",), ("list", "x"), ("show",), ("show", "a", "b"), ("rm",), ("export",), ("import",), ("fsck", "x"),
     ("export", "-"), ("query", "SELECT 1", "SELECT 2"), ("add", "x", "--label", "y"), ("dance",)],
)  # fmt: skip
def test_misuse_says_what_is_right(trex, folders, words):
    said = trex("store", *words)
    assert said.code == 2 and said.out == "" and "trex store" in said.err


def test_an_option_that_the_action_ignores_is_an_error(trex, tmp_path):
    for words in (("gc", "--grace", "nan"), ("gc", "--grace", "-5"), ("gc", "--store", "")):
        assert trex("store", *words).code == 2
    missing = tmp_path / "new"
    said = trex("store", "add", "nowhere", "--store", str(missing))
    assert said.code == 2 and "nowhere: no such file" in said.err and not missing.exists()
    said = trex("store", "rm", "0123", "--dry-run", "--store", str(tmp_path))
    assert said.code == 2 and "--dry-run means nothing to trex store rm" in said.err


SWAP = {"source": "x.new", "installed": [], "removed": [], "inode": 1}


def test_a_stored_run_keeps_what_its_folder_said(trex, tmp_path, monkeypatch):
    monkeypatch.setenv("TREX_STORE", str(tmp_path / "store"))
    for name in ("good", "failed"):
        write_engine(tmp_path / name)
    (tmp_path / "failed" / ".trex.run").mkdir()
    (tmp_path / "failed" / ".trex.run" / "swap.json").write_text(json.dumps(SWAP))
    failed = RunStore.open(tmp_path / "store", create=True).add(tmp_path / "failed")
    assert trex("compare", tmp_path / "good", f"store:{failed.id}", "--fail-on", "compute>+5%").code == 3
