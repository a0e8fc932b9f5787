"""Recurrent networks over a whole sequence: RNN, GRU and LSTM, in one or both directions.

Formula: macs = directions · steps · batch · gates · hidden · (input + hidden), gates = 1, 3 and 4. Other operations per
hidden value, step and direction, with the sigmoid as 4 and the hyperbolic tangent as 1: RNN 2 (sum of both GEMMs,
tanh), GRU 17 (three sums, two sigmoids, tanh, reset multiplication, and the blend 1 − z, two multiplications, a sum),
LSTM 22 (four sums, three sigmoids, two tanh, and three multiplications and a sum for the cell and the output); one more
per gate with biases (the second bias of GRU's hidden gate with linear_before_reset is not counted).

Source: ONNX operator specification, RNN, GRU, LSTM, with their default activations.

Does not hold for: other activations, which change the other operations only; sequences shorter than the longest.
"""

from __future__ import annotations

from functools import partial

from trex.perf.work.operand import Count, Formula, Operands


def _recurrent(operands: Operands, gates: int, operations: int) -> Count:
    source, recurrence = operands.shape(0), operands.shape(2)
    first, second, size = source
    steps, batch = (second, first) if operands.integer("layout", 0) else (first, second)
    directions, rows, hidden = recurrence
    if rows != gates * hidden:
        raise ValueError("weights of other gates")
    per_value = operations + (gates if operands.has(3) else 0)
    values = directions * steps * batch * hidden
    return Count(values * gates * (size + hidden), values * per_value)


OPERATORS: dict[str, Formula] = {
    "RNN": partial(_recurrent, gates=1, operations=2),
    "GRU": partial(_recurrent, gates=3, operations=17),
    "LSTM": partial(_recurrent, gates=4, operations=22),
}
