"""ONNX operator → Count: its MACs and other operations, by the formula of its family."""

from __future__ import annotations

from functools import cache

from trex.core.errors import TrexError
from trex.core.model import Model
from trex.core.operator import Operator
from trex.core.registry import Registry
from trex.perf.work.layer_work import MOST_OPERATIONS
from trex.perf.work.operand import Count, Formula, Operands, UnknownShape, unknown

FAMILIES = Registry("trex.perf.work.operator_kinds", "OPERATORS", kind=dict)

_AT_BUILD = Count(0, 0, "computed when the engine is built: no input changes it")


def operator_count(operator: Operator, model: Model) -> Count:
    """The work of one operator of the model, without its bytes.

    None with a reason if a shape is unknown or its type has no formula. An operator of constants alone is computed at
    build time: its work is 0.
    """
    if operator.outputs and all(name in model.constants for name in operator.outputs if name):
        return _AT_BUILD
    entry = formula_of(operator.qualified_type)
    if entry is None:
        return unknown(_why_none(operator))
    try:
        count = entry[1](Operands(operator, model))
    except UnknownShape as error:
        return unknown(str(error))
    except (IndexError, ZeroDivisionError, ValueError, OverflowError):
        return unknown(f"the shapes or attributes are not those of the operator {operator.qualified_type}")
    if (count.macs or 0) > MOST_OPERATIONS or (count.other_ops or 0) > MOST_OPERATIONS:
        return unknown("dimensions so large that no device could compute this operator")
    return count


def formula_of(qualified_type: str) -> tuple[str, Formula] | None:
    """(family, formula) of an operator type such as ``Conv`` or ``com.microsoft::Gelu``; None without one."""
    return _formulas().get(qualified_type)


@cache
def _formulas() -> dict[str, tuple[str, Formula]]:
    formulas: dict[str, tuple[str, Formula]] = {}
    for family, plug in FAMILIES.items():
        for name, formula in plug.value.items():
            if name in formulas:
                raise TrexError(f"two families of operators claim {name}: {formulas[name][0]} and {family}")
            formulas[name] = (family, formula)
    return formulas


def _why_none(operator: Operator) -> str:
    if operator.subgraphs:
        return f"{operator.type} has subgraphs, which are not analyzed"
    return f"no formula for operators of type {operator.qualified_type}"
