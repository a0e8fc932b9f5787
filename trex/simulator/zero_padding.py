"""Zero padding: whether a Pad adds zeros only, and how many on each side."""

from __future__ import annotations

from trex.core.model import Model
from trex.simulator.draft import BuildStep
from trex.simulator.fusion import integers


def zero_padding(model: Model, step: BuildStep) -> tuple[int, ...] | None:
    """All beginnings, then all ends, one for each dimension; None for another operator, mode, value or unknown pads.

    Source: ONNX's operator Pad; before opset 11 pads and value were attributes.
    """
    main = step.main
    if main is None or main.type != "Pad" or main.domain or main.attributes.get("mode", "constant") != "constant":
        return None
    if "pads" in main.attributes:
        return integers(main, "pads") if not main.attributes.get("value", 0) else None
    if len(main.inputs) < 2 or (len(main.inputs) > 3 and main.inputs[3]):
        return None
    if len(main.inputs) > 2 and main.inputs[2]:
        value = model.value(main.inputs[2])
        if value is None or value.numbers is None or any(value.numbers):
            return None
    pads = model.value(main.inputs[1])
    return None if pads is None or pads.numbers is None else tuple(int(each) for each in pads.numbers)
