"""A simulated engine's files as ``trex process --backend simulated`` leaves them, made without ONNX's package."""

from __future__ import annotations

from pathlib import Path

from tests.simulator.models import small_cnn, target
from trex.core.data_type import DataType
from trex.simulator.artifacts import (
    build_metadata,
    graph_bytes,
    profile_bytes,
    query_rows,
    run_metadata,
    timing_bytes,
)
from trex.simulator.engine_file import write_engine
from trex.simulator.simulation import simulate_model


def write_simulated(folder: Path) -> Path:
    """Writes them; the folder."""
    engine = simulate_model(small_cnn(), target("A100", DataType.FP16)).engine
    rows = query_rows(engine)
    contents = {
        "graph": graph_bytes(engine),
        "profile": profile_bytes(engine),
        "timing": timing_bytes(rows),
        "profile.metadata": run_metadata(engine, rows),
        "build.metadata": build_metadata(engine),
    }
    for part, data in contents.items():
        (folder / f"small.engine.{part}.json").write_bytes(data)
    write_engine(engine, folder / "small.engine")
    return folder
