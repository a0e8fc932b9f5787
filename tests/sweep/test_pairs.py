"""Runs that differ in one axis are pairs, and each is compared as ``trex compare`` compares it."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.simulated_examples import SIMULATED
from tests.store.small_engines import write_engine
from trex.compare.plan_diff import PlanDiff
from trex.core.errors import TrexError
from trex.engine_plan import load
from trex.store.run_store import RunStore
from trex.sweep.documents import pairs_document
from trex.sweep.pairs import RunPair, compare_pair, compare_pairs, run_pairs

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("sweep")]  # one cluster, which takes seconds to start

BASE, NEW = SIMULATED / "resnet18-int8", SIMULATED / "resnet18-int8-residual"


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    """Two batch sizes × two precisions, one of them twice, and a run without a partner."""
    store = RunStore.open(tmp_path / "store", create=True)
    for batch in ("1", "8"):
        for precision, folder in (("int8", BASE), ("residual", NEW)):
            for repetition in range(2 if (batch, precision) == ("8", "residual") else 1):
                labels = {"sweep": "s", "model": "example:net", "batch": batch, "precision": precision}
                store.add(folder, labels=labels, job_key=batch + precision, repetition=repetition)
    store.add(BASE, labels={"sweep": "s", "model": "alone.onnx", "batch": "1", "precision": "int8"}, job_key="alone")
    return store


def test_runs_of_a_model_of_before_are_no_repetitions(store, tmp_path):
    folder = shutil.copytree(NEW, tmp_path / "newer")
    for path in folder.iterdir():
        os.utime(path, (2e9, 2e9))
    labels = {"sweep": "s", "model": "example:net", "batch": "1", "precision": "int8"}
    newer = store.add(folder, labels=labels, job_key="newer", commit="c" * 40)
    first = next(iter(run_pairs(store, "s", "precision", "int8")))
    assert first.base == (newer.id,) and first.name == "net · batch 1 (commit cccccccc → none)"


def test_pairs_differ_in_one_axis(store):
    pairs = run_pairs(store, "s", "precision", "int8")
    assert [(pair.name, pair.old_value, pair.new_value) for pair in pairs] == [
        ("net · batch 1", "int8", "residual"), ("net · batch 8", "int8", "residual"),
    ]  # fmt: skip
    assert [(len(pair.base), len(pair.new)) for pair in pairs] == [(1, 1), (1, 2)]
    assert len(run_pairs(store, "s", "batch", "8")) == 2


@pytest.mark.parametrize(
    ("arguments", "problem", "hint"),
    [
        (("gone", "batch"), "no runs of a sweep 'gone'", "store list"),
        (("s", "precison"), "no axis 'precison'", "did you mean precision"),
        (("s", "batch", "9"), "no run has batch '9'", "values: 1, 8"),
        (("s", "gpu"), "no two runs", "values"),
    ],
)
def test_mistakes_have_a_next_step(store, arguments, problem, hint):
    with pytest.raises(TrexError) as caught:
        run_pairs(store, *arguments)
    assert problem in caught.value.message and hint in caught.value.hint


def test_workers_compare_as_compare_does(client, store, tmp_path):
    pairs = run_pairs(store, "s", "precision", "int8")
    (tmp_path / "store" / "runs" / pairs[1].new[0] / "run.json").write_text("{")
    first, second = compare_pairs(client, store, pairs)
    diff = PlanDiff(load(str(BASE)), load(str(NEW)))
    assert (first.base_ms, first.new_ms) == (diff.main.left_ms, diff.main.right_ms)
    assert first.change_pct == diff.main.change_pct and first.outcome == diff.main.outcome.value
    assert first.cause and first.cause_ms == max((s.difference_ms for s in diff.waterfall.steps), key=abs)
    assert second.outcome == "unknown" and "manifest" in second.reason
    document = pairs_document("s", "precision", [first, second])
    assert (
        document.sections[0].statements[0].startswith("2 pairs by precision, residual against int8: 1 predicted faster")
    )
    assert document.sections[0].tables[0].rows[0][0] == "net · batch 1" and document.sections[0].notes


def test_a_run_that_failed_is_not_faster(tmp_path):
    store = RunStore.open(tmp_path / "store", create=True)
    stage = {"name": "profile", "exit_code": 1, "stopped_by": ""}
    document = {"schema": "trex.manifest/1", "engines": [{"name": "net.engine", "stages": [stage]}]}
    ids = []
    for name, batch in (("good", 8), ("failed", 8), ("other", 4)):
        folder = write_engine(tmp_path / name)
        graph = folder / "net.engine.graph.json"
        graph.write_text(graph.read_text().replace("[1, 64, 8, 8]", f"[{batch}, 64, 8, 8]"))
        if name == "failed":
            (folder / "manifest.json").write_text(json.dumps(document))
        ids.append(store.add(folder, labels={"run": name}).id)
    good, failed, other = ids
    result = compare_pair(store.storage.where, RunPair("x", (good,), (failed,), "a", "b"))
    assert result.outcome == "unknown" and "can't be trusted" in result.reason and result.new_ms is None
    with pytest.raises(TrexError, match="not runs of one engine"):
        compare_pair(store.storage.where, RunPair("x", (good,), (good, other), "a", "b"))


def test_a_cut_profile_gives_no_cause(tmp_path):
    store = RunStore.open(tmp_path / "store", create=True)
    ids = []
    for name, ms in (("whole", (0.5, 0.25, 0.5)), ("cut", (0.5, 0.26, 0.5))):
        folder = write_engine(tmp_path / name, layer_ms=ms)
        profile = folder / "net.engine.profile.json"
        if name == "cut":
            profile.write_text(profile.read_text()[:-60])
        ids.append(store.add(folder, labels={"run": name}).id)
    result = compare_pair(store.storage.where, RunPair("x", (ids[0],), (ids[1],), "a", "b"))
    assert result.change_pct is not None and (result.cause, result.cause_ms) == ("", None)
    assert result.reason.startswith("layer times can't be trusted: new: the file is cut off")


def test_a_job_that_measured_nothing_gives_no_change(tmp_path):
    store = RunStore.open(tmp_path / "s", create=True)
    folder = write_engine(tmp_path / "one", distinct=8)
    runs = [store.add(folder, labels={"sweep": "w", "batch": batch}, job_key=batch) for batch in ("1", "2")]
    pair = RunPair("one", (runs[0].id,), (runs[1].id,), "1", "2")
    with pytest.raises(TrexError, match="one of them was not measured"):
        compare_pair(str(tmp_path / "s"), pair)


@pytest.mark.parametrize(("axis", "is_judged"), [("precision", False), ("infStreams", True)])
def test_runs_of_other_streams_are_compared_where_that_is_the_axis(axis: str, is_judged: bool, tmp_path: Path) -> None:
    store, ids = RunStore.open(tmp_path / "store", create=True), []
    for streams in ("1", "2"):
        folder = write_engine(tmp_path / streams)
        options = {"inference_options": {"Inference Streams": streams}}
        (folder / "net.engine.profile.metadata.json").write_text(json.dumps(options))
        ids.append(store.add(folder, labels={"run": streams}).id)
    result = compare_pair(store.storage.where, RunPair("x", (ids[0],), (ids[1],), "a", "b", axis))
    assert ("inference streams differ (1 vs. 2)" in result.reason) is not is_judged
