#!/usr/bin/env python3
"""Writes the example engines of ``trex/examples`` with the simulated builder; ``--check`` only lists stale files.

The output is deterministic. Exit codes: 0 fresh or written, 1 stale (with ``--check``).
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY))

from trex.core.data_type import DataType  # noqa: E402
from trex.core.release import Release  # noqa: E402
from trex.examples.network import write_network  # noqa: E402
from trex.perf.recognize import find_device  # noqa: E402
from trex.simulator.artifacts import (  # noqa: E402
    build_metadata,
    engine_samples,
    graph_bytes,
    profile_bytes,
    query_rows,
    run_metadata,
    timing_bytes,
)
from trex.simulator.simulation import simulate  # noqa: E402
from trex.simulator.target import Target  # noqa: E402

EXAMPLES = REPOSITORY / "trex" / "examples"
DEVICE = "NVIDIA A100-SXM4-40GB"
NOISE = "0"


@dataclass(frozen=True)
class Example:
    """subject: a short description. network: one of ``trex examples``. types: allowed in addition to FP32."""

    name: str
    subject: str
    network: str
    batch: int
    types: frozenset[DataType]
    release: Release


HALF, QUANTIZED = frozenset({DataType.FP16}), frozenset({DataType.FP16, DataType.INT8})
ENGINES = (
    Example("resnet18-fp16", "ResNet18 in FP16, batch 32", "resnet18-fp16", 32, HALF, Release(10, 4, 0)),
    Example(
        "resnet18-int8",
        "ResNet18 quantized at convolutions only, batch 32",
        "resnet18-qat",
        32,
        QUANTIZED,
        Release(8, 6, 0),
    ),
    Example(
        "resnet18-int8-residual",
        "ResNet18 quantized at shortcuts, too, batch 32",
        "resnet18-qat-residual",
        32,
        QUANTIZED,
        Release(8, 6, 0),
    ),
    Example("transformer-fp16", "BERT-base in FP16, batch 8 of 128 tokens", "bert-base", 8, HALF, Release(10, 4, 0)),
)


def example_files() -> dict[str, bytes]:
    """Path inside ``trex/examples`` → bytes, for every file of every example."""
    files: dict[str, bytes] = {}
    with tempfile.TemporaryDirectory() as folder:
        for example in ENGINES:
            model = write_network(example.network, Path(folder) / f"{example.network}.onnx", batch=example.batch)
            for ending, data in _files(example, model).items():
                files[f"{example.name}/{example.name}{ending}"] = data
    return files


def _files(example: Example, model: Path) -> dict[str, bytes]:
    target = Target(find_device(DEVICE), example.release, example.types)
    engine = simulate(str(model), target).engine
    layers, compute = engine_samples(engine, NOISE)
    rows = query_rows(engine, compute)
    return {
        ".graph.json": graph_bytes(engine),
        ".profile.json": profile_bytes(engine, layers),
        ".timing.json": timing_bytes(rows),
        ".profile.metadata.json": _with_subject(run_metadata(engine, rows), example.subject),
        ".build.metadata.json": _with_subject(build_metadata(engine), example.subject),
    }


def _with_subject(metadata: bytes, subject: str) -> bytes:
    document = json.loads(metadata)
    document["simulated"]["subject"] = subject
    return (json.dumps(document, indent=1) + "\n").encode()


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
    files = example_files()
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
