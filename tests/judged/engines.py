"""The name of a judged engine → its plan: shared files, builds of TensorRT for RTX, simulated engines, examples."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tests.conftest import SHARED
from tests.judged.networks import NETWORKS
from tests.real_builds import BuiltFiles, Savable
from trex.engine_plan import EnginePlan, load

if TYPE_CHECKING:
    from trex.rules.lint_result import LintResult

BATCH = 8
SIMULATED = {
    "vgg16": ("A100", ()),
    "mobilenet-v2-qat": ("A10", ("int8", "fp16")),
    "resnet50": ("A100", ("fp16",)),
    "resnet18-qat": ("A100", ("int8",)),
    "efficientnet-b0": ("T4", ("fp16",)),
    "bert-base": ("A10", ("fp16",)),
    "unet": ("A10", ("fp16",)),
    "resnet50-qat": ("A100", ("int8", "fp16")),
    "alexnet": ("RTX 3090", ("fp16",)),
    "bert-base-qat": ("T4", ("int8",)),
    "efficientnet-b0-qat": ("A10", ("int8", "fp16")),
    "mobilenet-v2-qat-residual": ("A100", ("int8", "fp16")),
    "resnet18-qat-residual": ("A10", ("int8", "fp16")),
    "resnet50-v1.5": ("A10", ()),
}
"""Example network → (device, build options)."""
_LOG_SUFFIXES = (".log", ".graph.json")


class ExampleNetwork:
    """An example network with its weights."""

    def __init__(self, name: str) -> None:
        self.name = name

    def save(self, path: Path) -> Path:
        from trex.examples.network import write_network

        return write_network(self.name, path, BATCH, weights="random")


@cache
def plan_of(engine: str) -> EnginePlan | None:
    """The engine's plan; None where its files, or what builds it, are absent."""
    kind, _, name = engine.rpartition("/")
    if kind == "example":
        return load(f"example:{name}")
    if kind == "built":
        return _built(name)
    if kind == "simulated":
        return _simulated(name)
    places = [SHARED / "logs" / f"{name}{suffix}" for suffix in _LOG_SUFFIXES] if kind else [SHARED / "engines" / name]
    return next((load(place) for place in places if place.exists()), None)


@cache
def lint_of(engine: str) -> LintResult | None:
    """What ``trex lint`` finds in it, without a user's settings."""
    from trex.perf.performance import Performance
    from trex.rules.lint import lint

    plan = plan_of(engine)
    return None if plan is None else lint(Performance(plan))


def _built(name: str) -> EnginePlan | None:
    networks = {network.__name__: network for network in NETWORKS}

    def network() -> Savable:
        return networks[name]() if name in networks else ExampleNetwork(name)

    files = BuiltFiles(f"judged-{name}", network)
    if not files:
        return None
    with tempfile.TemporaryDirectory() as folder:
        for file, data in files.items():
            (Path(folder) / file).write_bytes(data)
        return load(folder)


def _simulated(name: str) -> EnginePlan | None:
    import importlib.util

    if importlib.util.find_spec("onnx") is None:
        return None
    from trex.capture.options import CaptureOptions
    from trex.capture.process import process
    from trex.examples.network import write_network

    device, words = SIMULATED[name]
    with tempfile.TemporaryDirectory() as folder:
        model, out = write_network(name, Path(folder) / f"{name}.onnx", BATCH), Path(folder) / "out"
        outcome = process(CaptureOptions(str(model), str(out), words, backend="simulated", device=device))
        assert outcome.failure is None, outcome.failure
        return load(out)
