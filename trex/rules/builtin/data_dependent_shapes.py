"""Shapes that depend on data.

What it finds: operations whose output is as long as the data say (NonZero, NonMaxSuppression, Unique, Compress), and
the points at which TensorRT waits on the host for such lengths (TrainStation layers).
Why it matters: the CPU must learn the length before it can launch what follows. The GPU stands still meanwhile, the run
cannot be captured into a CUDA graph, and memory is allocated while it runs.
What to try: a mask and Where of full length in place of NonZero and Gather; TopK with a fixed number in place of a
threshold; EfficientNMS_TRT, which has a fixed number of boxes; the model cut into two engines at that place.
Does not apply: to NonZero of constants, which is folded away before the engine is built.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from trex.core.layer import Role
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.rule import Rule
from trex.rules.wording import listed, main_operation, priced, shortened

_WORDS = frozenset({"nonzero", "nonmaxsuppression", "unique", "compress", "nonz"})
_TYPES = frozenset({"NonZero", "NMS", "NonMaxSuppression"})
_FORMULA = "times of the layers that wait for a length or make one"
_DOCUMENTATION = (
    "TensorRT Developer Guide: Dynamically Shaped Output",
    "TensorRT Developer Guide: CUDA Graphs (what cannot be captured)",
    "NVIDIA/TensorRT issues 3585 and 3717",
)


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterable[Finding | CannotTell]:
    words = seen.operations.words
    causes: list[int] = []
    hidden: list[int] = []
    for place, layer in enumerate(seen.layers):
        if layer.type in _TYPES or not words[place].isdisjoint(_WORDS):
            (hidden if layer.type in ("Myelin", "ForeignNode") else causes).append(place)
    stations = [layer for layer in seen.plan.all_layers if layer.role is Role.TRAIN_STATION]
    if hidden:
        yield CannotTell(
            f"{len(hidden):,} regions hold an operation whose length depends on data: how long the host waits is not "
            "told",
            "profile with Nsight Systems (nsys profile --trace=cuda,nvtx)",
            tuple(seen.layers[place].index for place in hidden),
        )
    if not causes and not stations:
        return
    stand = {layer.index for layer in stations}
    places = sorted({*causes, *(seen.place_of[index] for index in stand if index in seen.place_of)})
    at_stake = seen.stake(places)
    parts = []
    if causes:
        parts.append(
            f"{listed(main_operation(seen.layers[place]) for place in causes)} have an output of unknown length"
        )
    if stations:
        parts.append(f"the host waits at {len(stations):,} train stations")
    taken = f" ({priced(sum(at_stake.values()), seen.total_ms)})" if at_stake else ""
    yield Finding(
        f"{' and '.join(parts)}{taken}",
        tuple(seen.layers[place].index for place in (*causes, *(each for each in places if each not in causes))),
        at_stake,
        _FORMULA if at_stake else "",
        (
            Evidence("operations of unknown length", len(causes)),
            Evidence("train stations", len(stations)),
            Evidence("first", shortened(seen.layers[causes[0]].name if causes else stations[0].name)),
        ),
        (
            "replace NonZero and Gather by Where with a mask of full length",
            "replace a threshold by TopK with a fixed number, or NonMaxSuppression by EfficientNMS_TRT",
            "cut the model there into two engines, so that the first may run as a CUDA graph",
        ),
        _DOCUMENTATION,
        "trtexec --useCudaGraph captures the new engine, and its enqueue time falls",
        0.8 if causes else 0.5,
        None if causes else Severity.NOTE,
    )


RULE = Rule("SHAPE003", "shapes that depend on data", Severity.WARNING, check)
