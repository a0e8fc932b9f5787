"""Operator → Window: kernel, stride and padding of a convolution or pooling; and the zero padding of a Pad."""

from __future__ import annotations

from trex.core.frozen import frozen
from trex.core.model import Model
from trex.core.operator import Operator
from trex.simulator.draft import BuildStep, NetworkDraft
from trex.simulator.operator_attributes import integers, text


@frozen
class Window:
    """One number for each spatial dimension. before, after: padding."""

    kernel: tuple[int, ...] = ()
    stride: tuple[int, ...] = ()
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    dilation: tuple[int, ...] = ()


def window_of(operator: Operator | None, draft: NetworkDraft) -> Window:
    """Of a convolution or pooling. A global pooling's window is the whole extent.

    Source: ONNX's operators Conv and MaxPool: pads list all beginnings, then all ends; with auto_pad SAME an output has
    ⌈extent / stride⌉ values, with an odd padding value at the end (SAME_UPPER) or the beginning (SAME_LOWER).
    """
    if operator is None:
        return Window()
    source = draft.shape_of(operator.inputs[0]) if operator.inputs else None
    extents = () if source is None else source[2:]
    if operator.type.startswith("Global"):
        kernel = tuple(extent or 0 for extent in extents)
        ones, zeros = (1,) * len(kernel), (0,) * len(kernel)
        return Window(kernel, ones, zeros, zeros, ones)
    kernel = integers(operator, "kernel_shape")
    if not kernel and len(operator.inputs) > 1:
        weights = draft.model.value(operator.inputs[1])
        kernel = () if weights is None or weights.shape is None else tuple(size or 0 for size in weights.shape[2:])
    space = len(kernel)
    stride = _fitting(integers(operator, "strides"), (1,) * space, least=1)
    dilation = _fitting(integers(operator, "dilations"), (1,) * space, least=1)
    pads = _fitting(integers(operator, "pads"), (0,) * (2 * space))
    before, after = pads[:space], pads[space:]
    auto = text(operator, "auto_pad", "NOTSET")
    if auto in ("SAME_UPPER", "SAME_LOWER") and len(extents) == space and None not in extents:
        before, after = _same(extents, kernel, stride, dilation, is_upper=auto == "SAME_UPPER")
    return Window(kernel, stride, before, after, dilation)


def zero_padding(model: Model, step: BuildStep) -> tuple[int, ...] | None:
    """All beginnings, then all ends, one for each dimension; None for another operator, mode, value or unknown pads.

    Source: ONNX's operator Pad; before opset 11 pads and value were attributes.
    """
    main = step.main
    if main is None or main.type != "Pad" or main.domain or main.attributes.get("mode", "constant") != "constant":
        return None
    if "pads" in main.attributes:
        return _for_each_dimension(main.attributes["pads"]) if not main.attributes.get("value", 0) else None
    if len(main.inputs) < 2 or (len(main.inputs) > 3 and main.inputs[3]):
        return None
    if len(main.inputs) > 2 and main.inputs[2]:
        value = model.value(main.inputs[2])
        if value is None or value.numbers is None or any(value.numbers):
            return None
    pads = model.value(main.inputs[1])
    return None if pads is None else _for_each_dimension(pads.numbers)


def _for_each_dimension(pads: object) -> tuple[int, ...] | None:
    """None for what are no pads: none, an odd number of them, floats."""
    if not isinstance(pads, tuple) or not pads or len(pads) % 2:
        return None
    whole = tuple(int(item) for item in pads if isinstance(item, int))
    return whole if len(whole) == len(pads) else None


def _fitting(given: tuple[int, ...], default: tuple[int, ...], *, least: int | None = None) -> tuple[int, ...]:
    """The default if they are not as many or too small: shape inference, which checks this, may not have run."""
    is_valid = len(given) == len(default) and (least is None or all(number >= least for number in given))
    return given if is_valid else default


def _same(
    extents: tuple[int | None, ...],
    kernel: tuple[int, ...],
    stride: tuple[int, ...],
    dilation: tuple[int, ...],
    *,
    is_upper: bool,
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    before, after = [], []
    for extent, size, step, apart in zip(extents, kernel, stride, dilation, strict=True):
        outputs = -(-(extent or 0) // step)
        total = max(0, (outputs - 1) * step + apart * (size - 1) + 1 - (extent or 0))
        less, more = total // 2, total - total // 2
        before.append(less if is_upper else more)
        after.append(more if is_upper else less)
    return tuple(before), tuple(after)
