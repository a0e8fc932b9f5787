"""Times of the layers of a real engine that was built without a GPU."""

from __future__ import annotations

from typing import Any

import pytest

from tests.raw_records import layer, tensor
from trex.core.errors import TrexError
from trex.perf.recognize import find_device
from trex.simulator.artifacts import query_rows, run_metadata
from trex.simulator.built_engine import has_open_shapes, with_predicted_times


def test_conditions_and_loops_are_noted() -> None:
    def codes(*layers: dict[str, Any]) -> set[str]:
        _, notes = with_predicted_times({"Layers": list(layers)}, find_device("A100"), "m.onnx", "for RTX 1.7.1")
        return {note.code for note in notes}

    kernel = layer("a", inputs=["x"], outputs=["y"])
    assert "time-of-control-flow" not in codes(kernel)
    assert "time-of-control-flow" in codes(kernel, layer("j", "cjmp"))


def test_the_run_says_whether_the_predicted_launches_are_a_graph() -> None:
    for cuda_graph, stated in ((True, b'"CUDA Graph": "Enabled"'), (False, b'"CUDA Graph": "Disabled"')):
        kernels = {"Layers": [layer("a", inputs=["x"], outputs=["y"])]}
        engine, _ = with_predicted_times(kernels, find_device("A100"), "m", "for RTX 1.7.1", cuda_graph=cuda_graph)
        assert stated in run_metadata(engine, query_rows(engine))


def graph(batch: int, kind: str = "PointWiseV2", size: int = 64) -> dict[str, Any]:
    wires = [tensor(name, (batch, size)) for name in ("x", "s", "y")]
    call = {"Name": "shapes", "LayerType": "shape_call", "Inputs": [], "Outputs": []}
    layers = [layer("a", kind, [wires[0]], [wires[1]]), layer("b", kind, [wires[1]], [wires[2]])]
    return {"Layers": [call, *layers] if batch < 0 else layers, "Bindings": ["x", "y"]}


def test_an_engine_of_open_shapes_has_the_times_of_one_for_one_shape() -> None:
    device = find_device("A100")
    assert has_open_shapes(graph(-1)) and not has_open_shapes(graph(8))
    alone, _ = with_predicted_times(graph(8), device, "m.onnx", "for RTX 1.7.1")
    built, notes = with_predicted_times(graph(-1), device, "m.onnx", "for RTX 1.7.1", sized=graph(8))
    assert built.layer_ms == (None, *alone.layer_ms) and built.compute_ms == alone.compute_ms
    assert "x 8x64" in next(note for note in notes if note.code == "time-at-one-shape").message


def test_only_the_first_profile_has_times() -> None:
    device, two = find_device("A100"), graph(-1)
    two["Layers"] += [{**one, "Name": f"{one['Name']} [profile 1]"} for one in two["Layers"]]
    alone, _ = with_predicted_times(graph(8), device, "m.onnx", "for RTX 1.7.1")
    built, _ = with_predicted_times(two, device, "m.onnx", "for RTX 1.7.1", sized=graph(8))
    assert built.layer_ms == (None, *alone.layer_ms, None, None, None)


@pytest.mark.parametrize("other", [graph(8, kind="Softmax"), graph(8, size=32), {"Layers": graph(8)["Layers"][:1]}])
def test_times_of_other_layers_are_refused(other: dict[str, Any]) -> None:
    with pytest.raises(TrexError, match="has other layers than the engine for all"):
        with_predicted_times(graph(-1), find_device("A100"), "m.onnx", "for RTX 1.7.1", sized=other)


def test_open_shapes_alone_have_no_times() -> None:
    with pytest.raises(TrexError, match="open shape of x, y") as caught:
        with_predicted_times(graph(-1), find_device("A100"), "m.onnx", "for RTX 1.7.1")
    assert "equal minShapes" in (caught.value.hint or "")
