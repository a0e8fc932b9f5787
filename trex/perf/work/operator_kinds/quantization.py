"""Quantization and dequantization, with stored or dynamic scales.

Formula: no MACs. Other operations per value: QuantizeLinear 2 (multiplication by the inverse scale, rounding with
clipping), 3 with a zero point; DequantizeLinear 1 (multiplication by the scale), 2 with a zero point. A zero point that
is known to be 0 does not count. DynamicQuantizeLinear 5: minimum and maximum to find the scale, then as QuantizeLinear.

Source: ONNX operator specification, QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear.

Does not hold for: operators that an engine fuses into the adjacent kernels.
"""

from __future__ import annotations

from functools import partial

from trex.perf.work.operand import Count, Formula, Operands, per_input


def _shifted(operands: Operands, operations: int) -> Count:
    numbers = operands.numbers(2)
    is_shifted = operands.has(2) and (numbers is None or any(numbers))
    return per_input(operands, operations + is_shifted)


OPERATORS: dict[str, Formula] = {
    "QuantizeLinear": partial(_shifted, operations=2),
    "DequantizeLinear": partial(_shifted, operations=1),
    "DynamicQuantizeLinear": partial(per_input, operations=5),
    "com.microsoft::QuantizeLinear": partial(_shifted, operations=2),
    "com.microsoft::DequantizeLinear": partial(_shifted, operations=1),
}
