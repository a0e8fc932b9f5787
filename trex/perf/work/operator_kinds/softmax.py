"""Softmax, its logarithm and the hard maximum, along one axis.

Formula: no MACs. Other operations = values · 5: maximum, subtraction, exponential, sum and division (for the logarithm
a second subtraction); 2 for Hardmax (a comparison to find it, one to mark it).

Source: ONNX operator specification, Softmax, LogSoftmax, Hardmax.

Does not hold for: kernels that compute in one pass and correct the sum (online softmax), which do more.
"""

from __future__ import annotations

from functools import partial

from trex.perf.work.operand import Formula, per_input

OPERATORS: dict[str, Formula] = {
    "Softmax": partial(per_input, operations=5),
    "LogSoftmax": partial(per_input, operations=5),
    "Hardmax": partial(per_input, operations=2),
}
