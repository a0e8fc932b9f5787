"""utils/export_walkthrough.py: the five models, by the ONNX helper and by a mock of PyTorch."""

from __future__ import annotations

import sys
from functools import partial
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests import launchers
from trex.core.errors import TrexError
from trex.examples.network import make_network, write_network
from trex.ingest.onnx_model import read_model

onnx = pytest.importorskip("onnx")

NAMES = ("resnet18-fp32", "resnet18-fp16", "resnet18-qat", "resnet18-qat-residual", "resnet18-qat-residual-qgap")
# Convolutions and the classifier have two quantizers each, eight additions one, the pooling one.
QUANTIZERS = (0, 0, 42, 50, 51)


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return launchers.script("export_walkthrough")


def quantizers(paths: list[Path]) -> tuple[int, ...]:
    return tuple(sum(op.type == "QuantizeLinear" for op in read_model(path).operators) for path in paths)


def test_five_models_by_the_onnx_helper(script: ModuleType, tmp_path: Path) -> None:
    paths = script.export_walkthrough(tmp_path / "models", 32, "onnx", "none")
    assert [path.stem for path in paths] == list(NAMES)
    assert quantizers(paths) == QUANTIZERS
    assert paths[0].read_bytes() == make_network("resnet18", 32).SerializeToString()
    assert sum(path.stat().st_size for path in paths) < 300_000


@pytest.fixture
def exported(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """A mock of PyTorch and torchvision, which exports our own network; the arguments of each export."""
    calls: list[dict[str, Any]] = []

    def export(network: Any, arguments: Any, path: str, **how: Any) -> None:
        calls.append({"network": network.type, "shape": arguments[0].shape, **how})
        variant = "resnet18-fp16" if network.type == "half" else "resnet18"
        write_network(variant, path, None if how.get("dynamic_axes") else arguments[0].shape[0], names="paths")

    def network(type: str = "float") -> Any:
        return SimpleNamespace(type=type, eval=lambda: network(type), half=lambda: network("half"))

    def tensor(*shape: int) -> Any:
        return SimpleNamespace(shape=shape, half=lambda: tensor(*shape))

    modules: dict[str, dict[str, Any]] = {
        "torch": {"manual_seed": lambda seed: None, "randn": tensor, "onnx": SimpleNamespace(export=export)},
        "torchvision": {"models": SimpleNamespace(resnet18=lambda weights: network())},
    }
    for name, attributes in modules.items():
        module = ModuleType(name)
        module.__spec__ = ModuleSpec(name, None)
        module.__dict__.update(attributes)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(onnx, "load", partial(onnx.load, load_external_data=False))
    return calls


@pytest.mark.parametrize("batch", (8, None))
def test_pytorch_exports_and_quantizers_are_inserted(
    batch: int | None, script: ModuleType, exported: list[dict[str, Any]], tmp_path: Path
) -> None:
    paths = script.export_walkthrough(tmp_path, batch)
    assert [(call["network"], call["shape"], call["opset_version"]) for call in exported] == [
        ("float", (batch or 1, 3, 224, 224), 17),
        ("half", (batch or 1, 3, 224, 224), 17),
    ]
    assert quantizers(paths) == QUANTIZERS
    assert all(read_model(path).inputs[0].shape == (batch, 3, 224, 224) for path in paths)


def test_without_pytorch_the_helper_writes(script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script, "find_spec", lambda name: None)
    assert quantizers(script.export_walkthrough(tmp_path, weights="none")) == QUANTIZERS
    with pytest.raises(TrexError, match="PyTorch or torchvision is not installed"):
        script.export_walkthrough(tmp_path, framework="pytorch")


def test_what_cannot_be_done_is_told(script: ModuleType, exported: list[dict[str, Any]], tmp_path: Path) -> None:
    with pytest.raises(TrexError, match="no framework 'keras'"):
        script.export_walkthrough(tmp_path, framework="keras")
    with pytest.raises(TrexError, match="with its weights"):
        script.export_walkthrough(tmp_path, framework="pytorch", weights="none")
    assert exported == []


def test_the_command_line(script: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "out"
    assert script.main([str(folder), "--batch", "0", "--framework", "onnx", "--weights", "none"]) == 0
    assert capsys.readouterr().out.splitlines() == [str(folder / f"{name}.onnx") for name in NAMES]
    (tmp_path / "file").touch()
    assert script.main([str(tmp_path / "file" / "models"), "--framework", "onnx"]) == 2
    assert "try: " in capsys.readouterr().err
