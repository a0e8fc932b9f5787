"""Wording: names, times and shares in the sentences of findings, and sentences that several rules share."""

from __future__ import annotations

import math
from collections.abc import Iterable

from trex.core.layer import Layer
from trex.core.printable import clipped
from trex.core.tensor import Tensor
from trex.perf.measures import Measures
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.operators import operations_of, operator_word

PROFILE_HINT = "profile it: trtexec --loadEngine=… --dumpProfile --separateProfileRun --exportProfile=…"
PREDICT_HINT = "predict them at fixed shapes: trex process MODEL.onnx OUT --backend tensorrt-rtx --device NAME"
DETAILED_HINT = "build with --profilingVerbosity=detailed"
LOG_HINT = "keep a verbose build log next to the graph: trtexec --verbose … 2>&1 | tee build.log"
METADATA_HINT = "keep the build log, or its metadata, next to the graph"
CAPTURE_FIX = (
    "make the engine fit for a CUDA graph, which this run could not capture: no shapes that depend on data (NonZero, "
    "NMS), no loops, no plugin that synchronizes"
)
RUN_HINT = "keep trtexec's log or --exportTimes=FILE next to the profile"

QDQ_PLACEMENT = "TensorRT Developer Guide: Working with Quantized Types, Q/DQ Placement Recommendations"
TREX_BLOG = "NVIDIA Technical Blog: Exploring NVIDIA TensorRT Engines with TREx"

_MAX_NAMES = 8
_MAX_NAME_LENGTH = 80
_MAX_REPEATED = 1000
_ADDED = (
    "transpose_before_",
    "unsqueeze_node_after_",
    "squeeze_after_",
    "reshape_before_",
    "reshape_after_",
    "copied_",
)
_MAIN = ("conv", "gemm", "matmul", "linear", "addmm", "globalaveragepool", "averagepool", "maxpool", "mean")


def ms(milliseconds: float) -> str:
    """``0.0369 ms``; ``unknown time`` if it was not measured."""
    return f"{milliseconds:.3g} ms" if math.isfinite(milliseconds) else "unknown time"


def transfers(measures: Measures) -> tuple[str, float]:
    """``("to and from the GPU", milliseconds)`` of the copies whose time is known; ``("", 0.0)`` without one."""
    known = {"to": measures.h2d.ms, "from": measures.d2h.ms}
    times = {direction: ms for direction, ms in known.items() if ms is not None}
    return f"{' and '.join(times)} the GPU" if times else "", sum(times.values())


def percent(part: float, whole: float) -> str:
    """``25.4 %``, "" if unknown."""
    return f"{100 * part / whole:.1f} %" if math.isfinite(part) and math.isfinite(whole) and whole > 0 else ""


def cost(milliseconds: float, engine: AnalyzedEngine) -> str:
    """``0.279 ms (25.4 % of time)``, or ``unknown time``."""
    share = percent(milliseconds, engine.total_ms)
    return f"{ms(milliseconds)} ({share} of time)" if share else ms(milliseconds)


def cost_of(positions: Iterable[int], engine: AnalyzedEngine) -> str:
    return cost(engine.sum_ms(positions), engine)


def listed(names: Iterable[str], most: int = _MAX_NAMES) -> str:
    """``a, b and 3 more``; each name once."""
    kept = [shortened(name) for name in dict.fromkeys(names)]
    if len(kept) > most:
        return f"{', '.join(kept[:most])} and {len(kept) - most} more"
    return " and ".join((", ".join(kept[:-1]), kept[-1])) if len(kept) > 1 else "".join(kept)


def shortened(name: str) -> str:
    """A long name without its middle."""
    return name if len(name) <= _MAX_NAME_LENGTH else f"{name[:38]} … {name[-38:]}"


def repeated_name(name: str) -> str:
    """A name that many entries of a report may contain: whole, unless it is longer than names of real layers."""
    return clipped(name, _MAX_REPEATED)


def layer_name(layer: Layer) -> str:
    """The name, with its number where several layers have it: ``Sum #2`` is the second of them."""
    return f"{shortened(layer.name)}{_number(layer)}"


def _number(layer: Layer) -> str:
    return f" #{layer.occurrence + 1}" if layer.occurrence else ""


def main_operation(layer: Layer) -> str:
    """The operator by which a fused layer is known (``Conv_34``), else its name, with its number as ``layer_name``."""
    for operation in operations_of(layer):
        if (
            operator_word(operation).startswith(_MAIN)
            and not operation.endswith((".weight", ".bias"))
            and not operation.startswith(_ADDED)
        ):
            return f"{shortened(operation)}{_number(layer)}"
    return layer_name(layer)


def main_operation_of(position: int, engine: AnalyzedEngine) -> str:
    """``main_operation`` of a layer that many neighbors ask for: its name may contain thousands of operators."""
    known = engine.main_operations.get(position)
    if known is None:
        known = engine.main_operations[position] = main_operation(engine.layers[position])
    return known


def names_of(positions: Iterable[int], engine: AnalyzedEngine, most: int = _MAX_NAMES) -> str:
    """``Conv_1, Conv_2 and 3 more``: the layers' main operations."""
    return listed((main_operation_of(position, engine) for position in positions), most)


def type_and_layout(tensor: Tensor) -> str:
    """``FP16 NC/32HW32``."""
    return f"{tensor.precision} {tensor.format.label}" if tensor.format.is_known else tensor.precision


def types_and_layouts(tensors: Iterable[Tensor]) -> str:
    return ", ".join(map(type_and_layout, tensors))
