"""Pairs of layers and what notebooks ask of them, in TREx's order and types."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from trex.classic.spelling import classic_format, dimensions_text
from trex.compare.classic_pairs import Pair, io_shapes
from trex.core.layer import Layer
from trex.core.tensor import Tensor
from trex.plan.engine_plan import EnginePlan
from trex.views.engines import tables
from trex.views.engines.names import plan_names

if TYPE_CHECKING:
    import pandas as pd

Dimensions = dict[str, list[list[int | None] | None]]


def in_classic_order(pairs: Iterable[Pair]) -> list[Pair]:
    """The pairs with a layer that only the first plan has behind the next pair of two."""
    ordered: list[Pair] = []
    waiting: list[Pair] = []
    for pair in pairs:
        if pair[1] is None:
            waiting.append(pair)
            continue
        ordered.append(pair)
        if pair[0] is not None:
            ordered += waiting
            waiting.clear()
    return ordered + waiting


def io_dimensions(layer: Layer, use_all_tensors: bool) -> Dimensions:
    """``{"inputs": [[3, 224, 224]], "outputs": [[1000]]}``: shapes without the batch; None if unknown."""
    sides = io_shapes(layer, use_all_tensors)
    lists = ([None if shape is None else list(shape) for shape in side] for side in sides)
    return dict(zip(("inputs", "outputs"), lists, strict=True))


def io_formats_text(layer: Layer) -> str:
    """``in: FP32 NCHW:[1, 3, 224, 224], out: Int8 NC/4HW4:[1, 3, 224, 224]``."""
    return ", ".join(f"{side}: {', '.join(map(_described, tensors))}" for side, tensors in _sides(layer))


def _sides(layer: Layer) -> tuple[tuple[str, Sequence[Tensor]], ...]:
    return ("in", layer.inputs), ("out", layer.outputs)


def _described(tensor: Tensor) -> str:
    return f"{classic_format(tensor)}:{dimensions_text(tensor.shape)}"


def merged(left: EnginePlan, right: EnginePlan, pairs: Iterable[Pair]) -> pd.DataFrame:
    """``tables.merged`` with the names of the layers in columns called like the plans."""
    import pandas as pd

    table: pd.DataFrame = tables.merged(left, right, pairs)
    table.columns = pd.Index([*table.columns[:-2], *plan_names((left, right))])
    return table


def aligned(
    left: EnginePlan, right: EnginePlan, pairs: Sequence[Pair], layer_type: str | None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """``tables.side_by_side`` with the columns ``id`` and ``name`` in front.

    id: position in ``plan.layers``, None where a plan has no such layer; name is "" there.
    """
    first, second = tables.side_by_side(left, right, pairs, layer_type)
    return _identified(first, left), _identified(second, right)


def _identified(frame: pd.DataFrame, plan: EnginePlan) -> pd.DataFrame:
    import pandas as pd

    positions = {layer.index: position for position, layer in enumerate(plan.working_layers)}
    ids: list[Any] = [positions.get(index) for index in frame["layer.index"]]
    frame.insert(0, "name", frame["Name"])
    frame.insert(0, "id", pd.Series(ids, index=frame.index, dtype=object))
    return frame
