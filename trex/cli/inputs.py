"""Command-line words → EnginePlan."""

from __future__ import annotations

from trex.cli import console
from trex.plan.baselines import BASELINE, find_baseline
from trex.plan.engine_plan import EnginePlan
from trex.plan.loading import load_plan as load


def load_plan(path: str, profiling_json: str = "", profile_id: int = -1, onnx: str = "") -> EnginePlan:
    """The one engine at ``path``, with the layer profile and the ONNX model that are named. Raises TrexError."""
    profile = None if profile_id < 0 else profile_id
    with console.patience(f"reading {path}"):
        return load(EnginePlan, path, None, profile, profiling_json or None, onnx or None)


def load_base(path: str, new: EnginePlan, folder: str, onnx: str = "") -> EnginePlan:
    """The engine to compare with: as above, or ``baseline:KEY``, a run that the folder keeps."""
    if not path.startswith(BASELINE):
        return load_plan(path, onnx=onnx)
    from trex.compare.baseline import key_of

    return load_plan(find_baseline(folder, path.removeprefix(BASELINE), key_of(new)).path)
