"""Sums of layer times: medians and averages are never one series, and layers count whether they were timed or not."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.store.small_engines import write_engine
from trex.store.history import history_of
from trex.store.run_store import RunStore


@pytest.mark.parametrize("without", [range(0), range(8, 16), range(16)])
def test_runs_without_medians(store: RunStore, tmp_path: Path, without: range) -> None:
    """As an exporter of one's own writes them: averages are 2 % above the medians."""
    for number in range(16):
        folder = write_engine(tmp_path / str(number), layer_ms=(0.5 + 0.001 * (number * 7 % 5), 0.25))
        path = folder / "net.engine.profile.json"
        count, *records = json.loads(path.read_text())
        for record in records:
            record["averageMs"] *= 1.02
            record["timeMs"] *= 1.02
            if number in without:
                del record["medianMs"]
        path.write_text(json.dumps([count, *records]))
        os.utime(path, (1e9 + number, 1e9 + number))
        store.add(folder, commit=f"{number:07x}")
    found = history_of(store, "net", metrics=["layer-sum"])
    (series,) = found.series
    assert not series.changes and len(series.values) == 16
    is_mixed = len(without) == 8
    assert series.values[0] == pytest.approx(0.75 * (1.02 if without else 1.0))
    assert ["layer-averages" in note.code for note in found.notes if "sums" in note.message] == [True] * is_mixed


def test_layers_are_as_many_without_a_profile(store: RunStore, shared_engines: Path) -> None:
    """TensorRT 10.4 timed a layer of ResNet-18 that does no work."""
    whole = shared_engines / "trt10.4-resnet18-fp16-rtx3060"
    graph = next(whole.glob("*.graph.json"))
    assert store.add(whole).layers == store.add(graph, labels={"files": "graph"}).layers == 24
