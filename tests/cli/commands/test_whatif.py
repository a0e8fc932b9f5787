"""``trex whatif``."""

from __future__ import annotations

from pathlib import Path

from tests.fuzz.targets import model_bytes
from tests.simulated_examples import SIMULATED


def test_a_folder_is_no_model(trex) -> None:
    result = trex("whatif", str(SIMULATED / "resnet18-fp16"))
    assert result.code == 2
    assert "a prediction needs an ONNX model; this is a folder" in result.err and "trex whatif MODEL.onnx" in result.err


def test_what_the_prediction_does_not_understand_is_noted(trex, tmp_path: Path) -> None:
    import onnx

    model = onnx.load_model_from_string(model_bytes())
    model.graph.node[0].op_type = "Strange"
    (tmp_path / "x.onnx").write_bytes(model.SerializeToString())
    result = trex("whatif", str(tmp_path / "x.onnx"), "shapes=x:2x3", "--device", "A100", "T4")
    assert result.code == 0 and result.out.count("(operators-not-known)") == 1
    assert "1 layer of unknown work (100 % of the predicted time)" in result.out
    assert " 100.0\n" in result.out, "none of it is judged"
