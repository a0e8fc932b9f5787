"""Attention: the blocks of an engine that compute softmax(Q·Kᵀ)·V as several kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trex.core.data_type import DataType
from trex.core.tensor import Tensor
from trex.plan.listed_operands import product_type
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.neighbors import shortest_path
from trex.rules.operators import MATRIX_PRODUCTS

_NEAR = 4
"""How many layers away the GEMMs of attention may be where only names are known."""

_MOST_SHAPES = 16
"""A softmax of a real engine writes tensors of one or two shapes; pairs of more are not compared."""


@dataclass(frozen=True, slots=True)
class AttentionBlock:
    """Positions of the kernels of one block. first, second: of the two GEMMs; softmax: of the softmax.

    before: kernels between the first GEMM and the softmax; after: between the softmax and the second GEMM.
    """

    first: int
    softmax: int
    second: int
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()

    @property
    def positions(self) -> tuple[int, ...]:
        return tuple(sorted({self.first, *self.before, self.softmax, *self.after, self.second}))

    @property
    def between(self) -> tuple[int, ...]:
        """The kernels that a fused block does not have: all but the GEMMs."""
        return tuple(position for position in self.positions if position not in (self.first, self.second))


def unfused_blocks(engine: AnalyzedEngine) -> list[AttentionBlock]:
    """Every softmax over the last axis between two GEMMs of activations, with the kernels between them."""
    operations = engine.operations
    blocks: list[AttentionBlock] = []
    taken: set[int] = set()
    for position in range(len(engine.layers)):
        if position in taken or not operations.is_softmax(position):
            continue
        up = shortest_path(position, engine.before, operations.multiplies_activations, operations.may_be_in_attention)
        down = shortest_path(position, engine.after, operations.multiplies_activations, operations.may_be_in_attention)
        if up and down and up[-1] != down[-1] and _is_over_keys(engine.layers[position].outputs):
            block = AttentionBlock(up[-1], position, down[-1], tuple(reversed(up[:-1])), tuple(down[:-1]))
            taken.update(block.positions)
            blocks.append(block)
    return blocks


def named_blocks(engine: AnalyzedEngine) -> tuple[list[AttentionBlock], list[int]]:
    """(blocks, other softmaxes) of layers that have only a name. They are in execution order.

    A softmax belongs to attention if a GEMM is among the few layers before it and among those after it.
    """
    blocks: list[AttentionBlock] = []
    others: list[int] = []
    for position, layer in enumerate(engine.layers):
        if layer.inputs or layer.outputs or not engine.operations.is_softmax(position):
            continue
        first = _nearest_product(engine, range(position - 1, position - 1 - _NEAR, -1))
        second = _nearest_product(engine, range(position + 1, position + 1 + _NEAR))
        if first is None or second is None:
            others.append(position)
        else:
            blocks.append(AttentionBlock(first, position, second))
    return blocks, others


def _nearest_product(engine: AnalyzedEngine, positions: range) -> int | None:
    return next((p for p in positions if 0 <= p < len(engine.layers) and _is_named_product(engine, p)), None)


def _is_named_product(engine: AnalyzedEngine, position: int) -> bool:
    return product_type(engine.layers[position]) in MATRIX_PRODUCTS or any(
        word.endswith(("bmm", "einsum")) for word in engine.operations.words[position]
    )


@dataclass(frozen=True, slots=True)
class AttentionShape:
    """What a block's tensors state, None if unknown. types: of the operands of the first and the second GEMM."""

    head_size: int | None
    queries: int | None
    keys: int | None
    types: tuple[DataType, DataType]


def shape_of(engine: AnalyzedEngine, block: AttentionBlock) -> AttentionShape:
    """Q and K as (…, tokens, width), scores as (…, queries, keys)."""
    first, second, softmax = (engine.layers[position] for position in (block.first, block.second, block.softmax))
    scores = next((tensor.shape for tensor in softmax.inputs if tensor.shape and len(tensor.shape) >= 2), None)
    if scores is None and first.outputs:
        scores = first.outputs[0].shape
    queries, keys = (scores[-2], scores[-1]) if scores is not None and len(scores) >= 2 else (None, None)
    gemm = engine.performance.works[block.first].gemm
    width = None if gemm is None else gemm.k
    if width is None and first.inputs and first.inputs[0].shape:
        width = first.inputs[0].shape[-1]
    return AttentionShape(width, queries, keys, (_operand_type(first.inputs), _operand_type(second.inputs)))


def _is_over_keys(outputs: Sequence[Tensor]) -> bool:
    """False for a softmax that sums over another axis than the last: what it computes is not attention.

    Of a kernel that writes exponentials and their sums, that is the one axis in which the sums have length 1.
    """
    shapes = list(dict.fromkeys(tensor.shape for tensor in outputs if tensor.shape))[:_MOST_SHAPES]
    for sums, whole in ((a, b) for a in shapes for b in shapes if len(a) == len(b)):
        axes = [axis for axis, pair in enumerate(zip(sums, whole)) if pair[0] != pair[1]]
        if len(axes) == 1 and sums[axes[0]] == 1 and axes[0] < len(sums) - 1:
            return False
    return True


def _operand_type(inputs: Sequence[Tensor]) -> DataType:
    """The common type of the two operands, the wider if they differ."""
    types = [tensor.data_type for tensor in inputs[:2] if tensor.data_type.is_known]
    return max(types, key=lambda type_: type_.bits or 0, default=DataType.UNKNOWN)
