"""Command-line words → EnginePlan: the input options that commands share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trex.cli import console
from trex.core.options import count, option

if TYPE_CHECKING:
    from trex.perf.device import Device
    from trex.plan.engine_plan import EnginePlan

PATH_HELP = "a file of the engine, a stem, a folder, a .tea archive, example:NAME or store:ID"
DEVICE_HELP = "the GPU, by name or device file (default: as reported)"
_GROUP = "engine files"
_STORE, _LATEST = "store:", "store:latest"


@dataclass(frozen=True, kw_only=True)
class EngineOptions:
    """Which engine a command is about."""

    path: str = option(help=PATH_HELP)
    profiling_json: str = option(
        "", "the layer profile, when it is not next to the graph", flags=("-pj", "--profiling_json"), metavar="FILE",
        group=_GROUP,
    )  # fmt: skip
    profile_id: int = option(-1, "optimization profile (default: the first)", metavar="N", convert=count, group=_GROUP)


def plan_of(options: EngineOptions, onnx: str = "") -> EnginePlan:
    """The engine that the options name. onnx: its model. Raises TrexError when it cannot be read."""
    return load_plan(options.path, options.profiling_json, options.profile_id, onnx)


def load_plan(path: str, profiling_json: str = "", profile_id: int = -1, onnx: str = "") -> EnginePlan:
    """The one engine at ``path``, with the layer profile and the ONNX model that are named. Raises TrexError."""
    from trex.plan.engine_plan import EnginePlan
    from trex.plan.loading import load_plan as load

    profile = None if profile_id < 0 else profile_id
    with console.patience(f"reading {path}"):
        if path.startswith(_STORE):
            from trex.cli.stores import load_stored

            return load_stored(
                path, lambda folder: load(EnginePlan, folder, None, profile, profiling_json or None, onnx or None)
            )
        return load(EnginePlan, path, None, profile, profiling_json or None, onnx or None)


def load_runs(path: str, onnx: str = "") -> tuple[EnginePlan, ...]:
    """All runs of one engine at ``path``: one, or those of a folder with several. Raises TrexError."""
    from trex.plan.engine_plan import EnginePlan
    from trex.plan.loading import load_repetitions

    if path.startswith(_STORE):
        return (load_plan(path, onnx=onnx),)
    with console.patience(f"reading {path}"):
        return load_repetitions(EnginePlan, path, onnx or None)


def named_device(name: str) -> Device | None:
    """The GPU that ``--device`` names; None for "". Raises TrexError for an unknown one."""
    from trex.perf.known_devices import find_device

    return find_device(name) if name else None


def load_base(path: str, new: EnginePlan, folder: str, onnx: str = "") -> tuple[EnginePlan, ...]:
    """The runs of the engine to compare with: at a path; ``baseline:KEY``, a run kept in the folder; or
    ``store:latest``, the latest run like the new one in the store, with the other repetitions of its job.
    """
    from trex.plan.baselines import BASELINE, find_baseline

    if path.startswith(_LATEST):
        from trex.cli.stores import latest_like

        with console.patience(f"reading {path}"):
            return latest_like(path, new)
    if not path.startswith(BASELINE):
        return load_runs(path, onnx)
    from trex.compare.baseline import key_of

    return (load_plan(find_baseline(folder, path.removeprefix(BASELINE), key_of(new)).path),)
