#!/usr/bin/env python3
"""Writes the five ONNX models of the Q/DQ walk-through of ResNet18; a thin launcher.

python3 utils/export_walkthrough.py models --batch 32

The models: FP32; FP16; with Q/DQ at convolutions and classifier (``qat``), also at shortcuts (``qat-residual``), and
also before the global pooling (``qat-residual-qgap``). If PyTorch and torchvision are installed, they export the
network and the quantizers are inserted into the export. Otherwise, or with ``--framework onnx``, the ONNX helper
writes it, with the names in the published engines' models. Weights are random; nothing is downloaded. The export by
PyTorch is tested with a mock, not with PyTorch. ``trex examples`` writes other networks.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from trex.capture.outputs import make_folder
from trex.cli import console
from trex.core.errors import TrexError, missing_extra
from trex.core.whole_file import write_whole
from trex.examples.network import WEIGHTS, write_network
from trex.examples.quantize import quantize

__all__ = ["export_walkthrough"]

# File → (variant of the network, whether shortcuts are quantized, whether the pooling is); None: no Q/DQ.
_MODELS: dict[str, tuple[str, tuple[bool, bool] | None]] = {
    "resnet18-fp32": ("resnet18", None),
    "resnet18-fp16": ("resnet18-fp16", None),
    "resnet18-qat": ("resnet18-qat", (False, False)),
    "resnet18-qat-residual": ("resnet18-qat-residual", (True, False)),
    "resnet18-qat-residual-qgap": ("resnet18-qat-residual-qgap", (True, True)),
}
_FRAMEWORKS = ("auto", "pytorch", "onnx")


def export_walkthrough(
    folder: str | Path, batch: int | None = 1, framework: str = "auto", weights: str = "random", seed: int = 0
) -> list[Path]:
    """Creates the folder, writes the five models and returns their paths. batch: None leaves it symbolic.

    framework: ``pytorch``, ``onnx``, or the first one installed (``auto``). weights: ``none`` leaves weights out; only
    the ONNX helper can do that. Raises TrexError.
    """
    if framework not in _FRAMEWORKS:
        raise TrexError(f"there is no framework {framework!r}", f"one of {', '.join(_FRAMEWORKS)}")
    has_torch = all(map(find_spec, ("torch", "torchvision")))
    if framework == "pytorch" and not has_torch:
        raise TrexError("PyTorch or torchvision is not installed", "pip install torch torchvision, or --framework onnx")
    if framework == "pytorch" and weights == "none":
        raise TrexError("PyTorch exports a model with its weights", "leave --weights out, or --framework onnx")
    make_folder(Path(folder))
    paths = {name: Path(folder, f"{name}.onnx") for name in _MODELS}
    if framework == "pytorch" or (framework == "auto" and has_torch and weights == "random"):
        _export_by_pytorch(paths, batch, seed)
    else:
        for name, path in paths.items():
            write_network(_MODELS[name][0], path, batch, weights=weights)
    return list(paths.values())


def _export_by_pytorch(paths: dict[str, Path], batch: int | None, seed: int) -> None:
    """torchvision's ResNet18 by the TorchScript exporter; ``trex.examples`` uses the same names."""
    import torch
    import torchvision

    try:
        import onnx
    except ImportError as error:
        raise missing_extra("onnx", "onnx", "inserting Q/DQ into an ONNX model") from error
    torch.manual_seed(seed)
    network = torchvision.models.resnet18(weights=None).eval()
    image = torch.randn(batch or 1, 3, 224, 224)
    how = {"opset_version": 17, "input_names": ["input"], "output_names": ["output"], "dynamo": False}
    if batch is None:
        how["dynamic_axes"] = {"input": {0: "batch"}, "output": {0: "batch"}}
    torch.onnx.export(network, (image,), str(paths["resnet18-fp32"]), **how)
    plain = onnx.load(str(paths["resnet18-fp32"]))
    for name, (_, quantized) in _MODELS.items():
        if quantized is not None:
            model = quantize(plain, residuals=quantized[0], pooling=quantized[1])
            write_whole(paths[name], model.SerializeToString())
    torch.onnx.export(network.half(), (image.half(),), str(paths["resnet18-fp16"]), **how)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(";")[0], allow_abbrev=False)
    parser.add_argument("folder", help="output folder")
    parser.add_argument("--batch", type=int, default=1, help="batch size; 0 leaves the dimension symbolic")
    parser.add_argument(
        "--framework", choices=_FRAMEWORKS, default="auto", help="what exports the models (default: auto)"
    )
    parser.add_argument(
        "--weights", choices=WEIGHTS, default="random", help="none: small files that only trex can read"
    )
    options = parser.parse_args(argv)
    try:
        for path in export_walkthrough(options.folder, options.batch or None, options.framework, options.weights):
            console.say(str(path))
    except TrexError as error:
        console.complain(f"{parser.prog}: {error}")
        return 2
    return 0


if __name__ == "__main__":
    with console.read_to_the_end():
        sys.exit(main())
