"""Times of the layers of a real engine that was built without a GPU."""

from __future__ import annotations

from tests.raw_records import layer
from trex.perf.recognize import find_device
from trex.simulator.built_engine import with_predicted_times


def test_conditions_and_loops_are_noted() -> None:
    def codes(*layers: dict[str, object]) -> set[str]:
        _, notes = with_predicted_times({"Layers": list(layers)}, find_device("A100"), "m.onnx", "for RTX 1.7.1")
        return {note.code for note in notes}

    kernel = layer("a", inputs=["x"], outputs=["y"])
    assert "time-of-control-flow" not in codes(kernel)
    assert "time-of-control-flow" in codes(kernel, layer("j", "cjmp"))
