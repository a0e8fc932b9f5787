"""Layer → Gemm, cached by shapes: repeated blocks have the same ones, and a plan has 100 000 layers."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from trex.core.layer import Layer
from trex.core.shape import Shape
from trex.plan.gemm import Gemm, convolution, gemm_of, gemm_of_record

_REMEMBERED = 1 << 14


def gemm_shape_of(layer: Layer) -> Gemm | None:
    """As ``matrix_product``; layers with unusual parameters are not cached."""
    record, kind = layer.raw, layer.type
    inputs, outputs = layer.inputs, layer.outputs
    try:
        if kind == "Convolution" and type(kernel := record["Kernel"]) is list:
            source, output = inputs[0].shape, outputs[0].shape
            return _convolution(source, output, record.get("Groups"), record.get("OutMaps"), *kernel)
        if kind == "gemm" and type(first := (operands := record["Inputs"])[0]["Dimensions"]) is list:
            second = operands[1]["Dimensions"]
            return _multiplication(outputs[0].shape, len(first), len(second), *first, *second)
    except (KeyError, IndexError, TypeError):
        pass
    return gemm_of(layer)


# Typed: True and 1.0 are not the number 1 of a record, though equal to it.
@lru_cache(maxsize=_REMEMBERED, typed=True)
def _convolution(source: Shape | None, output: Shape | None, groups: Any, maps: Any, *kernel: Any) -> Gemm | None:
    return convolution(source, output, kernel, groups, maps)


@lru_cache(maxsize=_REMEMBERED, typed=True)
def _multiplication(output: Shape | None, first: int, second: int, *extents: Any) -> Gemm | None:
    shapes = list(extents[:first]), list(extents[first : first + second])
    return gemm_of_record("gemm", "gemm", {"Inputs": [{"Dimensions": shape} for shape in shapes]}, None, output)
