"""``p99_ms <= 5 and device_memory_bytes <= 2e9`` → which rows of a table fit."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from trex.core.errors import TrexError
from trex.core.near_names import did_you_mean

if TYPE_CHECKING:
    import pandas as pd

EXAMPLE = 'for example: --where "p99_ms <= 5 and device_memory_bytes <= 2e9"'
_LONGEST, _DEEPEST = 2000, 50
_COMPARE: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_COMPUTE: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


@dataclass(frozen=True)
class Fit:
    """fits: per row. is_unknown: per row, whether a value that decides is unknown; such a row does not fit. columns:
    that the constraint names.
    """

    fits: np.ndarray
    is_unknown: np.ndarray
    columns: tuple[str, ...]


def fit(frame: pd.DataFrame, text: str) -> Fit:
    """Columns, numbers, texts in quotes, comparisons, ``+ - * /``, ``and``, ``or``, ``not``, ``in``; nothing else runs.

    Raises TrexError for anything else, and for unknown columns.
    """
    if len(text) > _LONGEST:
        raise TrexError("the constraint is longer than 2,000 characters", EXAMPLE)
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise TrexError("the constraint is no expression", EXAMPLE, excerpt=text) from error
    reader = _Reader(frame, text)
    fits, is_unknown = reader.truth(tree.body, 0)
    return Fit(fits & ~is_unknown, is_unknown, tuple(dict.fromkeys(reader.columns)))


class _Reader:
    """Evaluates the tree; an unknown operand makes a comparison unknown, as in SQL."""

    def __init__(self, frame: pd.DataFrame, text: str) -> None:
        self.frame = frame
        self.text = text
        self.columns: list[str] = []
        self.none = np.zeros(len(frame), dtype=bool)

    def truth(self, node: ast.expr, depth: int) -> tuple[np.ndarray, np.ndarray]:
        """(true, unknown) per row."""
        if depth > _DEEPEST:
            raise self.error("is too deeply nested")
        if isinstance(node, ast.BoolOp):
            parts = [self.truth(value, depth + 1) for value in node.values]
            is_and = isinstance(node.op, ast.And)
            # An unknown part decides nothing where another part decides.
            decided = [(~true if is_and else true) & ~unknown for true, unknown in parts]
            is_decided = np.logical_or.reduce(decided)
            is_unknown = np.logical_or.reduce([unknown for _, unknown in parts]) & ~is_decided
            return ~is_decided & ~is_unknown if is_and else is_decided, is_unknown
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            true, unknown = self.truth(node.operand, depth + 1)
            return ~true & ~unknown, unknown
        if isinstance(node, ast.Compare):
            return self._comparison(node, depth)
        raise self.error("is not true or false for each configuration")

    def _comparison(self, node: ast.Compare, depth: int) -> tuple[np.ndarray, np.ndarray]:
        true, unknown = ~self.none, self.none.copy()
        left, left_unknown = self.value(node.left, depth + 1)
        for kind, right_node in zip(node.ops, node.comparators, strict=True):
            if isinstance(kind, ast.In | ast.NotIn):
                if not isinstance(right_node, ast.Tuple | ast.List):
                    raise self.error("has no list after in")
                result = self.none
                for item in right_node.elts:
                    result = result | self._compared(operator.eq, left, self._constant(item))
                true &= ~result if isinstance(kind, ast.NotIn) else result
                unknown |= left_unknown
                return true & ~unknown, unknown
            if type(kind) not in _COMPARE:
                raise self.error("has a comparison that is not known here")
            right, right_unknown = self.value(right_node, depth + 1)
            missing = left_unknown | right_unknown
            unknown |= missing
            true &= self._compared(_COMPARE[type(kind)], left, right) | missing
            left, left_unknown = right, right_unknown
        return true & ~unknown, unknown

    def _compared(self, compare: Callable[[Any, Any], Any], left: Any, right: Any) -> np.ndarray:
        if len({np.asarray(side).dtype.kind in "US" for side in (left, right)}) > 1:
            raise self.error("compares a number with a text")
        with np.errstate(invalid="ignore"):
            return np.array(np.broadcast_to(compare(left, right), len(self.frame)), dtype=bool)

    def value(self, node: ast.expr, depth: int) -> tuple[Any, np.ndarray]:
        """(number, text or one per row; unknown per row)."""
        if depth > _DEEPEST:
            raise self.error("is too deeply nested")
        if isinstance(node, ast.Constant):
            return self._constant(node), self.none
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            value, unknown = self.value(node.operand, depth + 1)
            return self._computed(operator.sub, 0.0, value, unknown)
        if isinstance(node, ast.BinOp) and type(node.op) in _COMPUTE:
            left, left_unknown = self.value(node.left, depth + 1)
            right, right_unknown = self.value(node.right, depth + 1)
            return self._computed(_COMPUTE[type(node.op)], left, right, left_unknown | right_unknown)
        if isinstance(node, ast.Name):
            return self._column(node.id)
        raise self.error("contains more than columns, numbers and comparisons")

    def _computed(
        self, compute: Callable[[Any, Any], Any], left: Any, right: Any, unknown: np.ndarray
    ) -> tuple[Any, np.ndarray]:
        """A result that is not finite, as of a division by zero, is unknown, too."""
        try:
            with np.errstate(all="ignore"):
                result = compute(np.asarray(left, dtype=float), np.asarray(right, dtype=float))
        except (TypeError, ValueError) as error:
            raise self.error("computes with a text") from error
        return result, unknown | ~np.isfinite(result)

    def _constant(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float | str | bool):
            try:
                return node.value if isinstance(node.value, str) else float(node.value)
            except OverflowError as error:
                raise self.error("contains a number that is too large") from error
        raise self.error("contains a value that is neither a number nor a text")

    def _column(self, name: str) -> tuple[Any, np.ndarray]:
        matches = [column for column in self.frame.columns if str(column).lower() == name.lower()]
        chosen = name if name in self.frame.columns else matches[0] if len(matches) == 1 else None
        if chosen is None:
            names = list(map(str, self.frame.columns))
            raise TrexError(
                f"there is no column {name!r}", did_you_mean(name, names, f"columns: {', '.join(names[:30])}")
            )
        self.columns.append(str(chosen))
        column = self.frame[chosen]
        is_number = column.dtype.kind in "iufb"
        unknown = column.isna().to_numpy(dtype=bool)
        if is_number:
            return column.to_numpy(dtype=float, na_value=np.nan), unknown
        return column.map(lambda value: "" if value is None or value != value else str(value)).to_numpy(str), unknown

    def error(self, what: str) -> TrexError:
        return TrexError(f"the constraint {what}", EXAMPLE, excerpt=self.text)
