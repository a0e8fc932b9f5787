"""``trex whatif``."""

from __future__ import annotations

from tests.simulated_examples import SIMULATED


def test_a_folder_is_no_model(trex) -> None:
    result = trex("whatif", str(SIMULATED / "resnet18-fp16"))
    assert result.code == 2
    assert "a prediction needs an ONNX model; this is a folder" in result.err and "trex whatif MODEL.onnx" in result.err
