"""Two engines → a Note where what they write is not the same: one may lack a part of the network."""

from __future__ import annotations

from collections.abc import Iterator

from trex.core.note import Note
from trex.core.shape import shape_text
from trex.core.tensor import Tensor
from trex.plan.engine_plan import EnginePlan

OTHER_OUTPUTS = "other-outputs"
_LISTED = 3


def other_outputs(base: EnginePlan, new: EnginePlan) -> Iterator[Note]:
    """By the number of outputs and of their elements: names and flattened dimensions are the exporter's. For runs at
    equal input shapes; nothing where a size is not known.
    """
    left, right = _outputs(base), _outputs(new)
    sizes = [sorted(tensor.volume or 0 for tensor in side) for side in (left, right)]
    if all(sizes) and 0 not in (*sizes[0], *sizes[1]) and sizes[0] != sizes[1]:
        message = f"new writes {_listed(right)}, base {_listed(left)}: it may compute another function"
        yield Note(OTHER_OUTPUTS, message, "compare engines of one model", new.engine.source, "warning")


def _outputs(plan: EnginePlan) -> list[Tensor]:
    """Empty if one is not known."""
    tensors = [binding.tensor for binding in plan.engine.bindings if binding.is_input is False]
    known = [tensor for tensor in tensors if tensor is not None]
    return known if len(known) == len(tensors) else []


def _listed(tensors: list[Tensor]) -> str:
    names = [shape_text(tensor.shape) for tensor in tensors[:_LISTED]]
    return ", ".join(names) + (f" and {len(tensors) - _LISTED} more" if len(tensors) > _LISTED else "")
