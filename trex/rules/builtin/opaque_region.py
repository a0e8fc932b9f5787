"""Much of the time is in layers without details.

What it finds: regions that a compiler turned into one layer (``{ForeignNode[a...b]}``, Myelin, DLA, loops) and that
take a fifth of the time or more, or make up nearly all of an engine of few layers.
Why it matters: a region may contain hundreds of operations; no rule sees their types, kernels, reformats or fusions.
What to try: build with TensorRT 10, whose layer information contains the kernels of regions; on 8.x mark a few inner
tensors as outputs, which splits the region, or record the kernels with Nsight Systems (``nsys profile
--trace=cuda,nvtx``); load the plan with its ONNX model for the region's MACs. Loops in ONNX (Loop, Scan, If) keep a
region together: unroll them if their length is known.
Does not apply: to regions of one operation, and not to speed: a region is often faster than its separate operations.
The finding has no savings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.counted import counted
from trex.core.layer import Layer
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.operators import DLA, OPAQUE_TYPES, operations_of
from trex.rules.rule import Rule, RuleLimit
from trex.rules.wording import PROFILE_HINT, cost, layer_name, listed

_OF_BUILDER = (
    "build with TensorRT 10 and --profilingVerbosity=detailed, which lists the kernels of regions",
    "nsys profile --trace=cuda,nvtx trtexec --loadEngine=MODEL.engine (without --useCudaGraph)",
)
_OF_MODEL = "mark inner tensors as outputs (polygraphy surgeon extract or --mark) to split the region"
_OF_DLA = "build for the GPU, without --useDLACore, and compare: no release lists what runs on the DLA"
_LOOPS = frozenset({"loop", "scan", "if", "loopoutput", "triplimit", "recurrence", "iterator"})


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    positions = [p for p in engine.of_type(*OPAQUE_TYPES) if not _is_one_operation(engine.layers[p])]
    if not positions:
        return
    times = engine.times
    if engine.is_timed and (untimed := [position for position in positions if times[position] != times[position]]):
        yield Unchecked(
            f"the profile has no time of {counted(len(untimed), 'region')} without details",
            PROFILE_HINT,
            engine.indexes(untimed),
        )
        positions = [position for position in positions if times[position] == times[position]]
        if not positions:
            return
    time_ms = sum(engine.savings(positions).values()) + engine.dla_ms
    share = 100 * time_ms / engine.total_ms if engine.is_timed else None
    is_small = len(engine.layers) <= limits["layers"]
    if share is None and not is_small and 2 * len(positions) < len(engine.layers):
        yield Unchecked(
            f"{counted(len(positions), 'region')} of one layer each; without a profile their time is unknown",
            PROFILE_HINT,
            engine.indexes(positions),
        )
        return
    if share is not None and share < limits["share"]:
        return
    ordered = sorted(positions, key=lambda position: -(times[position] if times[position] > 0 else 0.0))
    names = listed(layer_name(engine.layers[position]) for position in ordered[:3])
    regions = f"{counted(len(positions), 'region')} without details"
    amount = f"among {counted(len(engine.layers), 'layer')}"
    if share is not None:
        amount = f"{'takes' if len(positions) == 1 else 'take'} {cost(time_ms, engine)}"
    loops = sum(not _LOOPS.isdisjoint(engine.operations.words[position]) for position in ordered)
    is_dla = all(engine.layers[position].type == DLA for position in positions)
    builder = ("export the layer information with detailed profiling verbosity",) if engine.is_for_rtx else _OF_BUILDER
    yield Finding(
        f"{regions} {amount}: {names}",
        layers=engine.indexes(ordered),
        evidence=(
            Evidence("regions", len(positions)),
            Evidence("layers", len(engine.layers)),
            Evidence("share of the time", share, "%"),
            *((Evidence("of it in GPU layers that wait for the DLA", engine.dla_ms, "ms"),) if engine.dla_ms else ()),
            Evidence("ONNX operators inside", sum(len(engine.layers[p].origins) for p in positions) or None),
            Evidence("regions with a loop", loops),
        ),
        fix=(
            *(("unroll loops of known length before exporting to ONNX",) if loops else ()),
            *((_OF_DLA,) if is_dla else (*builder, _OF_MODEL)),
            "trex … --onnx MODEL.onnx shows the region's MACs",
        ),
        documentation=(
            "TensorRT Developer Guide: Engine Inspector",
            "NVIDIA/TensorRT issues 1925, 4157 (one layer for a whole model, loops inside)",
            "TensorRT Developer Guide: Profiling with Nsight Systems",
        ),
        how_to_check="" if is_dla else "the layer information of the new engine lists the kernels of the region",
        about_ms=time_ms,
    )


def _is_one_operation(layer: Layer) -> bool:
    """``{ForeignNode[Identity_1]}``: its name hides nothing."""
    return layer.name.startswith("{ForeignNode[") and "..." not in layer.name and len(operations_of(layer)) == 1


RULE = Rule(
    "OPAQ001",
    "time in regions without details",
    Severity.WARNING,
    check,
    {
        "share": RuleLimit(20.0, "%", "least share of the time"),
        "layers": RuleLimit(3.0, "", "most layers of an engine that is reported without a profile, too"),
    },
)
