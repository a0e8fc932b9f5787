"""EnginePlan → its batch size: how many items one inference takes."""

from __future__ import annotations

from collections.abc import Sequence

from trex.core.tensor import Tensor
from trex.perf.run_flags import run_flags
from trex.plan.engine_plan import EnginePlan


def batch_size(plan: EnginePlan) -> int | None:
    """The first dimension that all inputs of two and more dimensions share, from the shapes of the run where it is
    dynamic; None if they differ or it is unknown.
    """
    inputs, _ = plan.binding_tensors()
    given = run_flags(plan.metadata.inference_options).shapes or {}
    sizes = {_first(tensor, given.get(tensor.name, "")) for tensor in _batched(inputs)}
    (size,) = sizes if len(sizes) == 1 else (None,)
    return size


def _batched(inputs: Sequence[Tensor]) -> Sequence[Tensor]:
    return [tensor for tensor in inputs if tensor.shape is not None and len(tensor.shape) > 1]


def _first(tensor: Tensor, given: str) -> int | None:
    size = tensor.shape[0] if tensor.shape else None
    if size is None:
        first = given.partition("x")[0]
        size = int(first) if first.isdigit() else None
    return size if size is not None and size > 0 else None
