"""Most of the time lies in layers that nobody can look into.

What it finds: regions that a compiler made one layer of (``{ForeignNode[a...b]}``, Myelin, DLA, loops) and that take a
third of the time or more, or make up nearly all of an engine of few layers.
Why it matters: inside there may be hundreds of operations; no rule sees their types, kernels, reformats or fusions.
What to try: TensorRT 10 tells the kernels of a region one by one, so build there; on 8.x mark a few inner tensors as
outputs, which splits the region, or record the kernels with Nsight Systems (``nsys profile --trace=cuda,nvtx``); load
the plan with its ONNX model, which tells the region's multiply-adds. Loops in ONNX (Loop, Scan, If) keep a region
together: unroll them where their length is known.
Does not apply: as advice for speed by itself: a region is often faster than its operations would be apart. Nothing is
priced.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.rule import Limit, Rule
from trex.rules.wording import listed, priced, shortened

REGIONS = ("Myelin", "ForeignNode", "DLA", "Loop", "If", "Conditional")
_LOOPS = frozenset({"loop", "scan", "if", "loopoutput", "triplimit", "recurrence", "iterator"})
_DOCUMENTATION = (
    "TensorRT Developer Guide: Engine Inspector",
    "NVIDIA/TensorRT issues 4157 and 1925: one layer for a whole model, loops inside",
    "TensorRT Developer Guide: Profiling with Nsight Systems",
)


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterable[Finding | CannotTell]:
    places = seen.of_type(*REGIONS)
    if not places:
        return
    time_ms = sum(seen.stake(places).values())
    share = 100 * time_ms / seen.total_ms if seen.is_timed else None
    few = len(seen.layers) <= limits["layers"]
    if share is None and not few and 2 * len(places) < len(seen.layers):
        yield CannotTell(
            f"{len(places):,} regions are told as one layer each; without a profile nobody knows how much they take",
            "profile the engine",
            tuple(seen.layers[place].index for place in places),
        )
        return
    if share is not None and share < limits["share"]:
        return
    ordered = sorted(places, key=lambda place: -float(seen.times_ms[place] if seen.times_ms[place] > 0 else 0.0))
    names = listed(shortened(seen.layers[place].name) for place in ordered[:3])
    taken = f"take {priced(time_ms, seen.total_ms)}" if share is not None else f"are all of {len(seen.layers):,} layers"
    loops = [place for place in ordered if not _LOOPS.isdisjoint(seen.operations.words[place])]
    yield Finding(
        f"{len(places):,} regions told as one layer each {taken}; what happens inside is not told: {names}",
        tuple(seen.layers[place].index for place in ordered),
        evidence=(
            Evidence("regions", len(places)),
            Evidence("layers", len(seen.layers)),
            Evidence("share of the time", share, "%"),
            Evidence("ONNX operators inside", _operators(seen, places)),
            Evidence("regions with a loop", len(loops)),
        ),
        advice=_advice(bool(loops)),
        documentation=_DOCUMENTATION,
        proof="the layer information of the new engine tells the kernels of the region one by one",
        confidence=1.0,
        severity=None if share is None or share >= limits["most"] else Severity.NOTE,
    )


def _operators(seen: Inspected, places: Iterable[int]) -> int | None:
    return sum(len(seen.layers[place].origins) for place in places) or None


def _advice(loops: bool) -> tuple[str, ...]:
    advice = (
        "build with TensorRT 10 and --profilingVerbosity=detailed: its regions tell their kernels",
        "nsys profile --trace=cuda,nvtx trtexec --loadEngine=MODEL.engine (without --useCudaGraph)",
        "mark inner tensors as outputs (polygraphy surgeon extract or --mark) to split the region at a place of choice",
        "trex … --onnx MODEL.onnx tells the region's multiply-adds",
    )
    return ("unroll loops of known length before exporting to ONNX", *advice) if loops else advice


RULE = Rule(
    "OPAQ001",
    "time inside regions that tell nothing",
    Severity.WARNING,
    check,
    {
        "share": Limit(30.0, "%", "least share of the time"),
        "most": Limit(50.0, "%", "share of the time from which it is a warning"),
        "layers": Limit(3.0, "", "an engine of so few layers is opaque without a profile, too"),
    },
)
