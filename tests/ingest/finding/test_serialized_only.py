"""The error for a serialized engine alone: real, simulated, or another file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trex.core.errors import TrexError
from trex.ingest.files import find_engines
from trex.ingest.finding.serialized_only import no_layers

SIMULATED = {
    "schema": "trex.simulated-engine/1",
    "statement": "simulated",
    "model": "my net.onnx",
    "device": {"Selected Device": "NVIDIA A100-SXM4-80GB"},
    "release": "10.4.0",
    "graph": {"Layers": [{"Name": "conv" * 2000, "LayerType": "Convolution"}]},
}


def simulated(folder: Path, **changed: object) -> Path:
    path = folder / "my net.onnx.engine"
    path.write_text(json.dumps({**SIMULATED, **changed}), encoding="utf-8")
    return path


def test_a_simulated_engine_says_what_it_is_and_what_is_missing(tmp_path: Path) -> None:
    path = simulated(tmp_path)
    for asked in (path, tmp_path, tmp_path / "my net"):
        with pytest.raises(TrexError) as error:
            find_engines(asked)
        assert error.value.where == str(path)
        assert "a simulated engine" in error.value.message
        assert "bring my net.onnx.engine.graph.json, my net.onnx.engine.profile.json" in error.value.hint
        assert f"trex process '{path}' {tmp_path} --profile-engine --backend simulated" in error.value.hint


def test_in_the_folder_that_one_is_in_the_command_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = simulated(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert f"trex process '{path.name}' . --profile-engine" in no_layers(path.name).hint


def test_a_real_engine_and_other_files(tmp_path: Path) -> None:
    (tmp_path / "a.engine").write_bytes(b"ftrt" + bytes(20) + bytes([10, 4, 0, 26]) + bytes(100))
    error = no_layers(str(tmp_path / "a.engine"))
    assert "a serialized TensorRT 10.4.0.26 engine" in error.message and "trtexec --loadEngine=" in error.hint
    (tmp_path / "a.monitor.json").write_text('{"schema": "trex.monitor/1"}', encoding="utf-8")
    assert "GPU telemetry" in no_layers(str(tmp_path / "a.monitor.json")).message
    (tmp_path / "a.txt").write_text("{", encoding="utf-8")
    assert "a file without layers" in no_layers(str(tmp_path / "a.txt")).message
