"""Shapes that depend on data.

What it finds: operations whose output is as long as the data require (NonZero, NonMaxSuppression, Unique, Compress),
and the points at which TensorRT waits on the host for such lengths (TrainStation layers).
Why it matters: the CPU needs the length before it can launch what follows. The GPU idles meanwhile, the run cannot be
captured into a CUDA graph, and memory is allocated while it runs.
What to try: a mask and Where of full length instead of NonZero and Gather; TopK with a fixed number instead of a
threshold; EfficientNMS_TRT, which has a fixed number of boxes; the model cut into two engines at that point.
Does not apply: NonZero of constants, which is folded before the engine is built.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.counted import counted
from trex.core.layer import Role
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.operators import REGIONS
from trex.rules.rule import Rule
from trex.rules.wording import cost, names_of, shortened

_WORDS = frozenset({"nonzero", "nonmaxsuppression", "unique", "compress", "nonz"})
_NMS = frozenset({"NMS", "NonMaxSuppression"})
_NMS_WORDS = frozenset({"nonmaxsuppression"})
_TYPES = _NMS | {"NonZero"}


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    words = engine.operations.words
    causes: list[int] = []
    hidden: list[int] = []
    for position, layer in enumerate(engine.layers):
        if layer.type in _TYPES or not words[position].isdisjoint(_WORDS):
            (hidden if layer.type in REGIONS else causes).append(position)
    stations = [layer for layer in engine.plan.engine.layers if layer.role is Role.TRAIN_STATION]
    if hidden:
        yield Unchecked(
            f"{len(hidden):,} regions contain an operation of data-dependent length: how long the host waits is "
            "unknown",
            "profile with Nsight Systems (nsys profile --trace=cuda,nvtx)",
            engine.indexes(hidden),
        )
    if not causes and not stations:
        return
    of_nms = [_is_nms(engine, position) for position in causes]
    is_nms, is_only_nms = any(of_nms), bool(of_nms) and all(of_nms)
    waiting = {layer.index for layer in stations}
    positions = sorted({*causes, *(engine.position_of[index] for index in waiting if index in engine.position_of)})
    savings = engine.savings(positions)
    parts = []
    if causes:
        verb = "has an output" if len(causes) == 1 else "have outputs"
        parts.append(f"{names_of(causes, engine)} {verb} of unknown length")
    if stations:
        parts.append(f"the host waits at {counted(len(stations), 'train station')}")
    time = f": {cost(sum(savings.values()), engine)}" if savings else ""
    yield Finding(
        f"{' and '.join(parts)}{time}",
        layers=engine.indexes((*causes, *positions)),
        savings=savings,
        formula="times of the layers that compute a length or wait for one" if savings else "",
        evidence=(
            Evidence("operations of unknown length", len(causes)),
            Evidence("train stations", len(stations)),
            Evidence("first", shortened(engine.layers[causes[0]].name if causes else stations[0].name)),
        ),
        fix=(
            *(("replace NonMaxSuppression by EfficientNMS_TRT, whose outputs have a fixed length",) if is_nms else ()),
            *(() if is_only_nms else ("replace NonZero and Gather by Where with a mask of full length",)),
            *(() if is_only_nms else ("replace a threshold by TopK with a fixed number",)),
            "cut the model there into two engines, so that the first can run as a CUDA graph",
        ),
        documentation=(
            "TensorRT Developer Guide: Dynamically Shaped Output",
            "TensorRT Developer Guide: CUDA Graphs (what cannot be captured)",
            "NVIDIA/TensorRT issues 3585, 3717",
        ),
        how_to_check="trtexec --useCudaGraph captures the new engine, and its enqueue time falls",
        confidence=0.8 if causes else 0.5,
        severity=None if causes else Severity.NOTE,
    )


def _is_nms(engine: AnalyzedEngine, position: int) -> bool:
    return engine.layers[position].type in _NMS or not engine.operations.words[position].isdisjoint(_NMS_WORDS)


RULE = Rule("SHAPE003", "shapes that depend on data", Severity.WARNING, check)
