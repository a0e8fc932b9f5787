"""EnginePlan → its batch size: how many items one inference takes."""

from __future__ import annotations

import re

from trex.core.shape import Shape
from trex.perf.run_flags import count_of, run_flags
from trex.plan.engine_plan import EnginePlan

_NUMBER = re.compile("[0-9]{1,18}")


def batch_size(plan: EnginePlan) -> int | None:
    """The first dimension that all inputs of two and more dimensions share, from the shapes of the run where it is
    dynamic; None if they differ or it is unknown.
    """
    sizes = {shape[0] for shape in shapes_of_inputs(plan) if shape is not None and len(shape) > 1}
    (size,) = sizes if len(sizes) == 1 else (None,)
    return size if size is not None and size > 0 else None


def implicit_batch(plan: EnginePlan) -> int | None:
    """The batch of the run of an engine whose shapes leave it out (implicit batch, TensorRT up to 9); None of others.

    trtexec prints ``Batch: 1`` of every engine that it loads, so one item is implicit only if the build allows more.
    """
    flags = run_flags(plan.metadata.inference_options)
    options = (metadata.build_options.get("Max batch") for metadata in (plan.metadata, plan.build_metadata))
    allowed = [option for option in options if option is not None]
    if flags.batch is None or flags.shapes or any("explicit" in str(option).lower() for option in allowed):
        return None
    if max((flags.batch, *(count_of(option) or 1 for option in allowed))) == 1:
        return None
    shapes = [tensor.shape for tensor in plan.binding_tensors()[0]]
    has_batch = any(shape is None or None in shape or shape[:1] == (flags.batch,) for shape in shapes)
    return None if has_batch else flags.batch


def shapes_of_inputs(plan: EnginePlan) -> tuple[Shape | None, ...]:
    """The shape of each input: the engine's, or the run's where that is dynamic or unknown; None if both are unknown.
    With an implicit batch in front.

    An engine whose inputs are unknown has those of the run.
    """
    inputs, _ = plan.binding_tensors()
    given = run_flags(plan.metadata.inference_options).shapes or {}
    if batch := implicit_batch(plan):
        return tuple((batch, *(tensor.shape or ())) for tensor in inputs)
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
