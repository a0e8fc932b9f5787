"""Quantization and its inverse, with stored scales or with scales of the values themselves.

Formula: no multiply-adds. Other operations per value: QuantizeLinear 2 (product with the inverse scale, rounding, which
clips), 3 with a zero point that is added; DequantizeLinear 1 (product with the scale), 2 with a zero point. A zero
point that is known to be 0 is none. DynamicQuantizeLinear 5: minimum and maximum to find the scale, then as
QuantizeLinear.

Source: ONNX operator specification, QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear.

Does not hold for: operators that an engine has fused into the kernels before and behind them.
"""

from __future__ import annotations

from functools import partial

from trex.perf.work.operand import Count, Formula, Operands, per_input


def _shifted(operands: Operands, each: int) -> Count:
    numbers = operands.numbers(2)
    is_shifted = operands.has(2) and (numbers is None or any(numbers))
    return per_input(operands, each + is_shifted)


OPERATORS: dict[str, Formula] = {
    "QuantizeLinear": partial(_shifted, each=2),
    "DequantizeLinear": partial(_shifted, each=1),
    "DynamicQuantizeLinear": partial(per_input, each=5),
    "com.microsoft::QuantizeLinear": partial(_shifted, each=2),
    "com.microsoft::DequantizeLinear": partial(_shifted, each=1),
}
