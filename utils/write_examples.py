#!/usr/bin/env python3
"""Writes the example engines of ``trex/examples`` with TensorRT for RTX; ``--check`` only lists stale files.

The engines are real builds of networks that trex writes, made on a CPU; their times are predicted. The output is
deterministic. Exit codes: 0 fresh or written, 1 stale (with ``--check``), 2 without TensorRT for RTX.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY))

from trex.capture.options import CaptureOptions  # noqa: E402
from trex.capture.process import process  # noqa: E402
from trex.core.errors import TrexError  # noqa: E402
from trex.examples.network import write_network  # noqa: E402

EXAMPLES = REPOSITORY / "trex" / "examples"
DEVICE, TARGET = "NVIDIA GeForce RTX 4090", "sm89"


@dataclass(frozen=True)
class Example:
    """subject: a short description. network: one of ``trex examples``. names: of its nodes, "" for the only kind."""

    name: str
    subject: str
    network: str
    batch: int
    names: str = "paths"


ENGINES = (
    Example("resnet18-fp16", "ResNet18 in FP16, batch 32", "resnet18-fp16", 32),
    Example("resnet18-int8", "ResNet18 quantized at convolutions only, batch 32", "resnet18-qat", 32),
    Example("resnet18-int8-residual", "ResNet18 quantized at shortcuts, too, batch 32", "resnet18-qat-residual", 32),
    Example("transformer-fp16", "BERT-base in FP16, batch 8 of 128 tokens", "bert-base-fp16", 8, ""),
)


def example_files() -> dict[str, bytes]:
    """Path inside ``trex/examples`` → bytes, for every file of every example. Raises TrexError if a build fails."""
    files: dict[str, bytes] = {}
    for example in ENGINES:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{example.name}.onnx"
            model = write_network(example.network, path, batch=example.batch, weights="random", names=example.names)
            for ending, data in _built(example, model, Path(folder) / "engine").items():
                files[f"{example.name}/{example.name}{ending}"] = data
    return files


def _built(example: Example, model: Path, folder: Path) -> dict[str, bytes]:
    """The build's files, without what differs from run to run: paths, durations and memory of this machine."""
    result = process(CaptureOptions(str(model), str(folder), backend="tensorrt-rtx", device=DEVICE, target=TARGET))
    if result.failure is not None:
        raise result.failure
    outputs = result.outputs
    build, run = json.loads(outputs.build_metadata.read_bytes()), json.loads(outputs.profile_metadata.read_bytes())
    build.pop("milestones", None)
    build["model_options"]["Model"] = model.name
    build["build_options"].pop("Save engine", None)
    for metadata in (build, run):
        metadata["subject"] = example.subject
        metadata.get("built_on_cpu", {}).pop("predicted_by", None)  # changes with every line of the simulator
    return {
        ".graph.json": _json(json.loads(outputs.graph.read_bytes())),
        ".profile.json": outputs.profile.read_bytes(),
        ".timing.json": outputs.times.read_bytes(),
        ".profile.metadata.json": _json(run, 1),
        ".build.metadata.json": _json(build, 1),
    }


def _json(document: Any, indent: int | None = None) -> bytes:
    return (json.dumps(document, indent=indent, ensure_ascii=False) + "\n").encode()


def stale(files: dict[str, bytes], folder: Path = EXAMPLES) -> list[str]:
    """Files that are missing, different, or left over from a removed example."""
    different = [
        name for name, data in files.items() if not (folder / name).is_file() or (folder / name).read_bytes() != data
    ]
    left = [path.relative_to(folder).as_posix() for path in folder.glob("*/*.json")]
    return sorted([*different, *(name for name in left if name not in files)])


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if an example is stale")
    options = parser.parse_args(arguments)
    try:
        files = example_files()
    except TrexError as error:
        print(error, file=sys.stderr)
        return 2
    outdated = stale(files)
    if options.check:
        print("\n".join(f"stale: {name}" for name in outdated) or "the examples are fresh")
        if outdated:
            print("run: python utils/write_examples.py")
        return int(bool(outdated))
    for name in outdated:
        path = EXAMPLES / name
        if name in files:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(files[name])
        else:
            path.unlink()
    print(f"{len(files)} files, {sum(map(len, files.values())) / 1000:.0f} kB, {len(outdated)} changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
