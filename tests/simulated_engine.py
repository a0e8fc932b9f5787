"""Files of engines with predicted times as ``trex process`` leaves them, made without ONNX's package."""

from __future__ import annotations

import json
from pathlib import Path

from tests.simulator.models import small_cnn, target
from trex.core.data_type import DataType
from trex.perf.recognize import find_device
from trex.simulator.artifacts import (
    build_metadata,
    graph_bytes,
    profile_bytes,
    query_rows,
    run_metadata,
    timing_bytes,
)
from trex.simulator.built_engine import with_predicted_times
from trex.simulator.engine_file import SimulatedEngine, write_engine
from trex.simulator.simulation import simulate_model


def write_simulated(folder: Path) -> Path:
    """As of ``--backend simulated``; the folder."""
    engine = simulate_model(small_cnn(), target("A100", DataType.FP16)).engine
    _write(folder, engine, {"graph": graph_bytes(engine), "build.metadata": build_metadata(engine)})
    write_engine(engine, folder / "small.engine")
    return folder


def write_built_on_cpu(folder: Path) -> Path:
    """As of ``--backend tensorrt-rtx --device A100``, with the layers of a simulated engine; the folder."""
    layers = simulate_model(small_cnn(), target("A100", DataType.FP16)).engine.graph
    graph = {"Layers": layers["Layers"], "Bindings": layers["Bindings"], "BuiltOnCPU": "TensorRT for RTX 1.7.1"}
    engine, _ = with_predicted_times(graph, find_device("A100"), "small.onnx", "for RTX 1.7.1")
    _write(folder, engine, {"graph": json.dumps(graph).encode()})
    return folder


def _write(folder: Path, engine: SimulatedEngine, contents: dict[str, bytes]) -> None:
    rows = query_rows(engine)
    contents |= {
        "profile": profile_bytes(engine),
        "timing": timing_bytes(rows, engine.mark),
        "profile.metadata": run_metadata(engine, rows),
    }
    for part, data in contents.items():
        (folder / f"small.engine.{part}.json").write_bytes(data)
