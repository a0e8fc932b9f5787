"""Address → EnginePlan. An address is any file of an engine, a stem, a folder, an archive or ``example:NAME``."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from trex.core.errors import TrexError
from trex.core.steps import in_steps
from trex.ingest.artifacts import read_artifacts
from trex.ingest.files import EngineFiles, find_engines
from trex.plan.baselines import is_baseline_file, load_baseline
from trex.plan.engine_plan import EnginePlan

EXAMPLE = "example:"

_LISTED = 8

Plan = TypeVar("Plan", bound=EnginePlan)
PathLike = str | os.PathLike[str]


def example_addresses() -> tuple[str, ...]:
    """``example:NAME`` of every bundled engine."""
    from trex.examples import names

    return tuple(EXAMPLE + name for name in names())


def find_plans(address: PathLike) -> tuple[EngineFiles, ...]:
    """The files of every engine at the address, paired but not read. Raises TrexError if there is none."""
    text = os.fspath(address)
    if not text.startswith(EXAMPLE):
        return find_engines(text)
    from trex.examples import folder

    name = text.removeprefix(EXAMPLE)
    return tuple(replace(files, name=name) for files in find_engines(str(folder(name))))


def load_plan(
    plan_type: type[Plan],
    address: PathLike,
    name: str | None = None,
    profile_id: int | None = None,
    profiling_file: PathLike | None = None,
    onnx_file: PathLike | None = None,
) -> Plan:
    """The plan of the only engine at the address, or of a baseline file.

    profiling_file: a layer profile that replaces the one next to the graph. onnx_file: the model that the engine was
    built from.

    Raises TrexError if there is no engine, or more than one.
    """
    if is_baseline_file(os.fspath(address)):
        return load_baseline(plan_type, os.fspath(address), name)
    engines = find_plans(address)
    if len(engines) > 1:
        raise _ambiguous(engines, os.fspath(address))
    files = engines[0] if profiling_file is None else replace(engines[0], profile=os.fspath(profiling_file))
    return plan_type.from_artifacts(read_artifacts(files), name, profile_id, onnx_file)


def load_repetitions(plan_type: type[Plan], address: PathLike, onnx_file: PathLike | None = None) -> tuple[Plan, ...]:
    """The plans of all runs of one engine at the address: of its only engine, or of a folder with several, such as
    ``run1/``, ``run2/`` and ``run3/``, if their layers have the same names, write the same types and shapes, and ran at
    the same shapes where the files contain these.

    Raises TrexError if there is no engine, or if there are different ones.
    """
    engines = () if is_baseline_file(os.fspath(address)) else find_plans(address)
    if len(engines) < 2:
        return (load_plan(plan_type, address, onnx_file=onnx_file),)
    plans = tuple(
        plan_type.from_artifacts(read_artifacts(files), None, None, onnx_file) for files in in_steps("run", engines)
    )
    shapes = {run for plan in plans if (run := _run_shapes(plan))}
    if len(shapes) > 1 or any(_written(plan) != _written(plans[0]) for plan in plans[1:]):
        raise _ambiguous(engines, os.fspath(address))
    return plans


def _written(plan: EnginePlan) -> Counter[object]:
    """What the layers write, by name: other types or shapes under the same names are another precision or batch."""
    return Counter(
        (layer.name, tuple((tensor.data_type, tensor.shape) for tensor in layer.outputs))
        for layer in plan.working_layers
    )


def _run_shapes(plan: EnginePlan) -> frozenset[tuple[str, str]]:
    """The shapes that a run of dynamic shapes was given; empty if unknown."""
    options = plan.metadata.inference_options.items()
    return frozenset((name, str(value)) for name, value in options if "shape" in name.lower())


def _ambiguous(engines: tuple[EngineFiles, ...], address: str) -> TrexError:
    folder = address if Path(address).is_dir() else os.path.dirname(address)  # noqa: PTH120 (Path would rewrite it)
    paths = [os.path.relpath(files.paths[0], folder or ".") for files in engines]
    listed = "".join(f"\n    {path}" for path in paths[:_LISTED])
    more = f"\n    and {len(paths) - _LISTED} more" if len(paths) > _LISTED else ""
    return TrexError(f"{len(engines)} engines here; choose one:{listed}{more}", where=address)
