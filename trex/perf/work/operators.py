"""ONNX operator → Work: the formula of its family, and the bytes of its values.

These are the bytes that the operator would move if it ran alone. Fused into a layer, most of its values never reach
memory: a layer's bytes are those of its own tensors.
"""

from __future__ import annotations

from functools import cache

from trex.core.errors import TrexError
from trex.core.model import Model
from trex.core.operator import Operator
from trex.core.registry import Registry
from trex.perf.work.operand import Count, Formula, Operands, UnknownShape, unknown
from trex.perf.work.work import Work

FAMILIES = Registry("trex.perf.work.operator_kinds", "OPERATORS")

# Beyond what any device computes or holds: a damaged file, not a network.
_MOST_OPERATIONS = 1e30
_MOST_BYTES = 1 << 62

_AT_BUILD = Count(0, 0, reason="computed when the engine is built: no input changes it")


def operator_work(operator: Operator, model: Model) -> Work:
    """The work of one operator of the model.

    macs, other_ops: of its family's formula; None with a reason when a shape it needs is not known, or no formula is
    known for its type. An operator of constants alone is computed when the engine is built: its work is 0. Constants
    that it reads count as weights_bytes.
    """
    family, count = operator_count(operator, model)
    if count is _AT_BUILD:
        return Work("constant", 0, 0, 0, 0, 0, 1.0, "", (), count.reason)
    return _with_bytes(family, operator, model, count)


def operator_count(operator: Operator, model: Model) -> tuple[str, Count]:
    """(family, what it computes): ``operator_work`` without the bytes, in half the time."""
    constants = model.constants
    if operator.outputs and all(name in constants for name in operator.outputs if name):
        return "", _AT_BUILD
    found = formula_of(operator.qualified_type)
    if found is None:
        return "", unknown(_why_none(operator))
    family, formula = found
    try:
        count = formula(Operands(operator, model))
    except UnknownShape as error:
        count = unknown(str(error))
    except (IndexError, ZeroDivisionError, ValueError, OverflowError):
        count = unknown(f"the shapes or attributes are not those of the operator {operator.qualified_type}")
    if (count.macs or 0) > _MOST_OPERATIONS or (count.other_ops or 0) > _MOST_OPERATIONS:
        count = unknown("dimensions so large that no device could compute this operator")
    return family, count


def formula_of(qualified_type: str) -> tuple[str, Formula] | None:
    """(family, formula) of an operator type such as ``Conv`` or ``com.microsoft::Attention``; None without one."""
    return _formulas().get(qualified_type)


@cache
def _formulas() -> dict[str, tuple[str, Formula]]:
    found: dict[str, tuple[str, Formula]] = {}
    for family, plug in FAMILIES.items():
        for name, formula in plug.value.items():
            if name in found:
                raise TrexError(f"two families of operators claim {name}: {found[name][0]} and {family}")
            found[name] = (family, formula)
    return found


def _why_none(operator: Operator) -> str:
    if operator.subgraphs:
        return f"{operator.type} holds graphs of its own, which are not looked into"
    return f"no formula for operators of type {operator.qualified_type}"


def _with_bytes(family: str, operator: Operator, model: Model, count: Count) -> Work:
    weights: int | None = 0
    read: int | None = count.read
    if read is None:
        read, weights = _bytes_read(operator, model)
    written: int | None = count.written
    if written is None:
        written = _bytes_written(operator, model)
    if (read or 0) > _MOST_BYTES or (written or 0) > _MOST_BYTES:
        read = written = weights = None
    confidence = count.confidence
    if count.macs is None and count.other_ops is None and (read is not None or written is not None):
        confidence = max(confidence, 0.5)  # bytes are known
    return Work(
        family,
        count.macs,
        count.other_ops,
        read,
        written,
        weights,
        confidence,
        count.formula,
        count.terms,
        count.reason,
        count.m,
        count.n,
        count.k,
        count.batch,
    )


def _bytes_read(operator: Operator, model: Model) -> tuple[int | None, int | None]:
    """(all inputs, each once; those of them that are constants)."""
    total, weights = 0, 0
    values, constants = model.values, model.constants
    for name in operator.inputs if len(operator.inputs) < 2 else dict.fromkeys(operator.inputs):
        if name:
            value = values.get(name)
            size = None if value is None else value.size_bytes
            if size is None:
                return None, None
            total += size
            if name in constants:
                weights += size
    return total, weights


def _bytes_written(operator: Operator, model: Model) -> int | None:
    total = 0
    for name in operator.outputs:
        if name:
            value = model.values.get(name)
            size = None if value is None else value.size_bytes
            if size is None:
                return None
            total += size
    return total
