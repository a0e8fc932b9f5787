"""Plans and pairs of their layers → DataFrames: a pair in one row, both sides row by row, one pair in full, facts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from trex.compare.classic_pairs import Pair
from trex.core.errors import TrexError
from trex.core.layer import Layer
from trex.core.near_names import did_you_mean
from trex.core.printable import printable
from trex.core.provenance import STATEMENT
from trex.core.tensor import Tensor
from trex.plan.attributes import layers_by_type
from trex.plan.engine_plan import EnginePlan
from trex.plan.frames import for_display, tensor_text
from trex.views.engines.names import plan_names, statement_of

ORIENTATIONS = ("vertical", "horizontal")
SPEEDUP = "speedup (2)"
NOWHERE = -1


def merged(left: EnginePlan, right: EnginePlan, pairs: Iterable[Pair]) -> pd.DataFrame:
    """One row per pair: type, average times in ms, the speed-up of the second, precisions, tactics, formats, names.

    speedup (2): time of the first over that of the second, above 1 when the second is faster; NaN where a side has no
    such layer, or a time is unknown or zero. Texts of a side without the layer are empty.
    """
    rows = [_row(left, right, pair) for pair in pairs]
    texts = [f"{item} ({side})" for item in ("in-p", "out-p", "tactic", "formats", "name") for side in (1, 2)]
    names = ["type", "avg_time (1)", "avg_time (2)", SPEEDUP, *texts]
    result: pd.DataFrame = pd.DataFrame(rows, columns=names).astype(dict.fromkeys(names[1:4], "float64"))
    return _stated(result, (left, right))


def _stated(frame: pd.DataFrame, plans: Sequence[EnginePlan]) -> pd.DataFrame:
    if statement := statement_of(plans):
        frame.attrs[STATEMENT] = statement
    return frame


def _row(left: EnginePlan, right: EnginePlan, pair: Pair) -> tuple[Any, ...]:
    layers = [
        None if index is None else plan.working_layers[index] for plan, index in zip((left, right), pair, strict=True)
    ]
    times = average_ms(left, pair[0]), average_ms(right, pair[1])
    texts = [_texts(layer) for layer in layers]
    kind = next(layer.type for layer in layers if layer is not None)
    return (kind, *times, speedup(*times), *(text for both in zip(*texts, strict=True) for text in both))


def _texts(layer: Layer | None) -> tuple[str, ...]:
    if layer is None:
        return ("",) * 5
    inputs, outputs = io_precisions(layer)
    formats = " → ".join(side or "–" for side in io_formats(layer))
    return inputs, outputs, layer.tactic or "TensorRT", formats, layer.name


def average_ms(plan: EnginePlan, index: int | None) -> float:
    """The average time of a layer in ms, NaN when it is unknown or there is no such layer."""
    time = None if index is None else plan.times[index]
    return math.nan if time is None or time.average_ms is None else time.average_ms


def speedup(left_ms: float, right_ms: float) -> float:
    """left_ms over right_ms, above 1 when the right is faster; NaN where one is unknown or zero."""
    return left_ms / right_ms if left_ms > 0.0 and right_ms > 0.0 else math.nan


def io_formats(layer: Layer) -> tuple[str, str]:
    """Types and layouts of (inputs, outputs): ``FP16 NHWC8, FP16 NCHW``."""
    return _joined(tensor_text(item) for item in layer.inputs), _joined(tensor_text(output) for output in layer.outputs)


def io_precisions(layer: Layer) -> tuple[str, str]:
    """Types of (inputs, outputs): ``INT8, FP16``."""

    def types(tensors: Sequence[Tensor]) -> str:
        return _joined(tensor.precision for tensor in tensors)

    return types(layer.inputs), types(layer.outputs)


def _joined(texts: Iterable[str]) -> str:
    return ", ".join(texts)


def side_by_side(
    left: EnginePlan, right: EnginePlan, pairs: Sequence[Pair], layer_type: str | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rows of both plans so that one row number is one pair; where a side has no such layer, a row of that type whose
    name is empty and whose numbers are NaN.

    layer_type: only pairs with a layer of this type, with its ``attr.*`` columns. Raises TrexError for one that neither
    plan has.
    """
    plans = (left, right)
    frames = [plan.new_frame() for plan in plans]
    shown = list(pairs)
    if layer_type is not None:
        frames = [
            layers_by_type(p.working_layers, p.times, frame, layer_type) for p, frame in zip(plans, frames, strict=True)
        ]
        indexes = [set(frame.index) for frame in frames]
        shown = [pair for pair in shown if pair[0] in indexes[0] or pair[1] in indexes[1]]
        if not shown:
            known = sorted({layer.type for plan in plans for layer in plan.working_layers})
            hint = did_you_mean(layer_type, known, f"types here: {', '.join(known)}")
            raise TrexError(f"neither engine has a layer of type {layer_type!r}", hint)
    kinds = [_kind(left, right, pair) for pair in shown]
    return _placed(frames[0], [pair[0] for pair in shown], kinds), _placed(
        frames[1], [pair[1] for pair in shown], kinds
    )


def _kind(left: EnginePlan, right: EnginePlan, pair: Pair) -> str:
    return left.working_layers[pair[0]].type if pair[0] is not None else right.working_layers[pair[1]].type  # type: ignore[index]


def _placed(frame: pd.DataFrame, indexes: Sequence[int | None], kinds: Sequence[str]) -> pd.DataFrame:
    result: pd.DataFrame = frame.reindex([NOWHERE if index is None else index for index in indexes]).reset_index(
        drop=True
    )
    missing = result["Name"].isna()
    result.loc[missing, "Name"] = ""
    result["type"] = result["type"].where(~missing, pd.Series(list(kinds), dtype=object))
    return result


def details(left: EnginePlan, right: EnginePlan, pair: Pair) -> pd.DataFrame:
    """All that is known of the layers of one pair: one row per fact, one column per engine, and ``differs``.

    Where only one engine has the layer, nothing differs and there is no speed-up.
    """
    names = plan_names((left, right))
    facts: dict[str, list[Any]] = {}
    for side, (plan, index) in enumerate(zip((left, right), pair, strict=True)):
        if index is None:
            continue
        table = layers_by_type(plan.working_layers, plan.times, plan.new_frame(), plan.working_layers[index].type)
        shown = for_display(table.loc[[index]])
        for name in shown.columns:
            value = shown[name].iloc[0]
            if not (value is None or value == "" or (isinstance(value, float) and math.isnan(value))):
                facts.setdefault(str(name), ["", ""])[side] = value
    are_both = None not in pair
    rows = {
        fact: [*map(_spelled, values), are_both and str(values[0]) != str(values[1])] for fact, values in facts.items()
    }
    if are_both:
        ratio = speedup(average_ms(left, pair[0]), average_ms(right, pair[1]))
        rows[SPEEDUP] = ["", _spelled(ratio), False]
    result: pd.DataFrame = pd.DataFrame.from_dict(rows, orient="index", columns=[*names, "differs"])
    return _stated(result, (left, right))


def _spelled(value: Any) -> str:
    if isinstance(value, float):
        return "–" if math.isnan(value) else f"{value:.6g}"
    return printable(str(value))


def facts_of_engines(
    plans: Sequence[EnginePlan], orientation: str, facts_of: Callable[[EnginePlan], Mapping[str, str]]
) -> pd.DataFrame:
    """``facts_of`` every engine, label → text: one column per engine when vertical, one row when horizontal.

    Raises TrexError for another orientation.
    """
    if orientation not in ORIENTATIONS:
        raise TrexError(f"{orientation!r} is no orientation", f"one of {', '.join(ORIENTATIONS)}")
    engines = [facts_of(plan) for plan in plans]
    labels = list(dict.fromkeys(label for facts in engines for label in facts))
    columns = {name: [facts.get(label, "–") for label in labels] for name, facts in zip(plan_names(plans), engines)}
    frame = pd.DataFrame(columns, index=labels, dtype=object)
    result: pd.DataFrame = frame if orientation == "vertical" else frame.T
    return result
