"""EnginePlan → inputs of dynamic shape, and the shapes that the optimization profile allows them."""

from __future__ import annotations

from trex.core.shape import Shape, is_static
from trex.core.tensor import ShapeRange
from trex.plan.engine_plan import EnginePlan


def dynamic_inputs(plan: EnginePlan) -> dict[str, ShapeRange | None]:
    """{input: its range}; None where the input is dynamic and its range is not told. Fixed inputs are left out."""
    profile = plan.engine.profiles[0] if plan.engine.profiles else 0
    found: dict[str, ShapeRange | None] = {}
    for binding in plan.engine.bindings:
        if not binding.is_input:
            continue
        ranges = binding.profiles[profile] if profile < len(binding.profiles) else None
        is_open = binding.tensor is not None and binding.tensor.shape is not None and None in binding.tensor.shape
        is_told = ranges is not None and _is_known(ranges.minimum) and _is_known(ranges.maximum)
        is_wide = ranges is not None and is_told and ranges.minimum != ranges.maximum
        if is_open or is_wide:
            found[binding.name] = ranges
    return found


def _is_known(shape: Shape | None) -> bool:
    return shape is not None and is_static(shape)
