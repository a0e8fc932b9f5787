"""Attributes of an ONNX operator by type; the default if it has none, or one of another type."""

from __future__ import annotations

from trex.core.operator import Operator


def integer(operator: Operator | None, name: str, default: int) -> int:
    value = None if operator is None else operator.attributes.get(name)
    return value if isinstance(value, int) else default


def real(operator: Operator | None, name: str, default: float) -> float:
    value = None if operator is None else operator.attributes.get(name)
    return value if isinstance(value, int | float) else default


def text(operator: Operator | None, name: str, default: str) -> str:
    value = None if operator is None else operator.attributes.get(name)
    return value if isinstance(value, str) else default


def integers(operator: Operator | None, name: str) -> tuple[int, ...]:
    """() by default."""
    value = None if operator is None else operator.attributes.get(name)
    return tuple(int(item) for item in value if isinstance(item, int)) if isinstance(value, tuple) else ()
