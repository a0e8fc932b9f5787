"""What a log has of layers whose file lacks it."""

from __future__ import annotations

from pathlib import Path

from tests.ingest.test_artifacts import log_of_rows
from tests.raw_records import layer, tensor
from trex.ingest.graph_json import engine_from_documents
from trex.ingest.logs.trtexec_log import read_log
from trex.ingest.rows_from_log import with_rows

NO_TYPE = "N/A due to dynamic shapes"


def test_a_log_completes_an_engine_of_names_alone(tmp_path: Path) -> None:
    """In the order of the graph, by name and occurrence; what the log lacks stays a name."""
    run = next(iter(read_log(log_of_rows("b", "a", "a"), "m.log").runs))
    names = engine_from_documents([{"Layers": ["a", "b", "other", "a"], "Bindings": ["x", "y"]}], "m.graph.json")
    engine = with_rows(names, run)
    assert [layer.name for layer in engine.layers] == ["a", "b", "other", "a"]
    assert [layer.precision for layer in engine.layers] == ["FP16", "FP16", "Unknown", "FP16"]
    (note,) = [note for note in engine.notes if note.code == "layers-from-log"]
    assert "3 of 4 layers are from m.log" in note.message
    few = engine_from_documents([{"Layers": ["a", *"cdef"]}], "m.graph.json")
    assert with_rows(few, run) is few and with_rows(names, None) is names


def test_types_that_the_graph_lacks_come_from_the_log() -> None:
    rows = [
        "Layer(CaskConvolution): a, Tactic: 0x1, x (Half[-1,8]) -> t (Half[-1,8])",
        "Layer(PointWiseV2): b, Tactic: 0x0, t (Half[-1,8]) -> y (Float[-1,8])",
    ]
    lines = ["[V] [TRT] Engine Layer Information:", *rows, ""]
    (run,) = read_log("\n".join(lines).encode(), "m.log").runs
    records = [
        layer("a", "CaskConvolution", [tensor("x", (-1, 8), NO_TYPE)], [tensor("t", (-1, 8), NO_TYPE)], Groups=1),
        layer("b", "PointWiseV2", [tensor("t", (-1, 8), NO_TYPE)], [tensor("y", (-1, 8))]),
    ]
    graph = engine_from_documents([{"Layers": records, "Bindings": ["x", "y"], "Extra": 1}], "m.graph.json")
    engine = with_rows(graph, run)
    assert [t.precision for item in engine.layers for t in (*item.inputs, *item.outputs)] == ["FP16"] * 4
    assert engine.layers[1].outputs[0].format.label == "NCHW", "what the file has stays"
    assert engine.layers[0].raw["Groups"] == 1 and engine.extra["Extra"] == 1 and engine.verbosity == "detailed"
    (note,) = [note for note in engine.notes if note.code == "types-from-log"]
    assert "types of 3 tensors are from m.log" in note.message
    assert "unknown-data-type" not in {note.code for note in engine.notes}


def test_files_with_all_types_are_left_alone() -> None:
    (run,) = read_log(log_of_rows("a"), "m.log").runs
    graph = engine_from_documents([{"Layers": [layer("a", "kgen", ["x"], ["y"])], "Bindings": ["x", "y"]}])
    assert with_rows(graph, run) is graph
