"""ONNX operators and the formula of their work."""

from __future__ import annotations

from utils.scaffold import Scaffold

SCAFFOLD = Scaffold(
    folder="perf/work/operator_kinds",
    plug='''\
"""$title: one sentence on what these operators compute.

Formula: no MACs. Other operations = output values · 2.

Source: ONNX operator specification, or the specification of the domain.

Does not hold for: the cases in which a kernel does more or less.
"""

from __future__ import annotations

from functools import partial

from trex.perf.work.operand import Formula, per_input

OPERATORS: dict[str, Formula] = {"com.example::$camel": partial(per_input, operations=2)}
''',
    test='''\
"""Work of the operators of ``$name``, computed by hand."""

from __future__ import annotations

from trex.core.data_type import DataType
from trex.core.model import Model
from trex.core.operator import Operator, Value
from trex.perf.work.operators import operator_count


def test_operations() -> None:
    x, y = (Value(name, (2, 8), DataType.FP32) for name in "xy")
    operator = Operator(0, "node", "$camel", "com.example", ("x",), ("y",))
    work = operator_count(operator, Model((operator,), {"x": x, "y": y}, (x,), (y,)))
    assert (work.macs, work.other_ops) == (0, 2 * 8 * 2)
''',
    related=("tests/perf/work/test_plan_works.py",),
)
