"""EnginePlan → its batch size: how many items one inference takes."""

from __future__ import annotations

import re

from trex.core.shape import Shape
from trex.perf.run_flags import run_flags
from trex.plan.engine_plan import EnginePlan

_NUMBER = re.compile("[0-9]{1,18}")


def batch_size(plan: EnginePlan) -> int | None:
    """The first dimension that all inputs of two and more dimensions share, from the shapes of the run where it is
    dynamic; None if they differ or it is unknown.
    """
    sizes = {shape[0] for shape in shapes_of_inputs(plan) if shape is not None and len(shape) > 1}
    (size,) = sizes if len(sizes) == 1 else (None,)
    return size if size is not None and size > 0 else None


def shapes_of_inputs(plan: EnginePlan) -> tuple[Shape | None, ...]:
    """The shape of each input: the engine's, or the run's where that is dynamic or unknown; None if both are unknown.
    An engine whose inputs are unknown has those of the run.
    """
    inputs, _ = plan.binding_tensors()
    given = run_flags(plan.metadata.inference_options).shapes or {}
    if not inputs:
        return tuple(map(_read, given.values()))
    return tuple(
        _read(given[tensor.name])
        if tensor.name in given and (tensor.shape is None or None in tensor.shape)
        else tensor.shape
        for tensor in inputs
    )


def _read(text: str) -> Shape:
    return tuple(map(int, _NUMBER.findall(text)))
