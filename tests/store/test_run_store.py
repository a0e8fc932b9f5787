"""Runs in a store are the plans that were added."""

from __future__ import annotations

from pathlib import Path

import pytest

import trex
from trex.core.errors import TrexError
from trex.store.run_store import RunStore


def test_a_run_is_added_once(tmp_path: Path) -> None:
    store = RunStore.open(tmp_path / "store", create=True)
    run = store.add("example:resnet18-int8", labels={"sweep": "s"}, job_key="k", repetition=2)
    assert store.add("example:resnet18-int8", labels={"sweep": "s"}, job_key="k", repetition=2) == run
    assert store.has_job("k") and store.has_job("k", 2)
    assert not store.has_job("k", 1) and not store.has_job("other")
    assert store.run(run.id[:5]) == run
    plan = store.plan(run.id)
    assert run.layer_sum_ms == plan.layers_ms == pytest.approx(store.frame("layers")["time_ms"].sum())
    assert len(store.frame("runs")) == 1
    assert len(store.copy_files(run.id, tmp_path / "files")) == len(run.artifacts)
    again = trex.load(tmp_path / "files")
    assert again.layers_ms == plan.layers_ms


def test_a_removed_run_comes_back_when_it_is_added(tmp_path: Path) -> None:
    store = trex.Store(tmp_path, create=True)
    run = store.add("example:resnet18-int8", job_key="k")
    store.remove(run.id)
    assert store.runs.empty and store.layers.empty and not store.has_job("k")
    with pytest.raises(TrexError, match="no run"):
        store.run(run.id)
    assert store.add("example:resnet18-int8", job_key="k").id == run.id
    assert len(store.runs) == 1 and store.has_job("k")
