"""What is measured of the simulated builder, in a process of its own: see ``child``. Imports are inside, as there."""

from __future__ import annotations

from time import perf_counter, process_time
from typing import Any


def measure_simulated(path: str, types: str) -> dict[str, Any]:
    """From an ONNX file to a predicted engine on an A100, after the same of a small one. types: ``FP16+INT8``.

    read_s: by the clock, as shapes are inferred in a process of its own. cpu_s: of this process, from there on.
    """
    import tempfile
    from pathlib import Path

    from tests.benchmarks.grown_networks import write_grown
    from trex.core.data_type import DataType
    from trex.ingest.onnx_model import read_model
    from trex.perf.recognize import find_device
    from trex.simulator.simulation import simulate_model
    from trex.simulator.target import Target

    target = Target(find_device("A100"), allowed=frozenset(DataType[name] for name in types.split("+")))
    with tempfile.TemporaryDirectory() as folder:
        simulate_model(read_model(str(write_grown("encoder", 50, Path(folder)))), target)
    start = perf_counter()
    model = read_model(path)
    read_s, start_cpu = perf_counter() - start, process_time()
    simulation = simulate_model(model, target)
    return {
        "seconds": perf_counter() - start,
        "cpu_s": process_time() - start_cpu,
        "read_s": read_s,
        "operators": len(model.operators),
        "layers": len(simulation.draft.steps),
    }


def measure_passes(path: str, types: str) -> dict[str, Any]:
    """The processor's seconds of each pass, {name: seconds}."""
    from trex.core.collector import collector_paused
    from trex.core.data_type import DataType
    from trex.ingest.onnx_model import read_model
    from trex.perf.recognize import find_device
    from trex.simulator.builder import passes_in_order
    from trex.simulator.draft_editor import DraftEditor
    from trex.simulator.initial_draft import initial_draft
    from trex.simulator.target import Target

    target = Target(find_device("A100"), allowed=frozenset(DataType[name] for name in types.split("+")))
    seconds = {}
    with collector_paused():
        draft = initial_draft(read_model(path), target)
        for plug in passes_in_order():
            start = process_time()
            editor = DraftEditor(draft, plug.name)
            plug.value.edit(editor)
            draft = editor.done()
            seconds[plug.name] = process_time() - start
    return {"seconds": seconds}
