"""Layers meant for the DLA that run on the GPU.

What it finds: the builder's messages that layers are not supported on DLA and fall back to the GPU, and the copies
between DLA and GPU that come of it.
Why it matters: each change between DLA and GPU copies and converts the activations, and a DLA loads only so many parts:
one unsupported layer in the middle may cost more than the DLA saves.
What to try: replace the layers by ones that DLA runs (see the guide's table), set them to GPU at the network's ends
instead of its middle, or run the whole network on the GPU and compare.
Does not apply: engines that were not built for DLA. Without a log the reasons are not told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.rules.analyzed_engine import Inspected
from trex.rules.build_log import has_build_log
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.rule import Rule

_DLA = ("DLA", "Dla", "DlaLayer")
_REFORMATS = ("Reformat", "MyelinReformat")
_DOCUMENTS = (
    "TensorRT Developer Guide: Working with DLA, supported layers and restrictions; GPU fallback mode",
    "TensorRT issues #3438, #3365, #2318",
)


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding | CannotTell]:
    notes = [note for note in seen.plan.notes if note.code == "dla-fallback"]
    parts = frozenset(seen.of_type(*_DLA))
    copies = [
        place
        for place in seen.of_type(*_REFORMATS)
        if parts and not parts.isdisjoint((*seen.before(place), *seen.after(place)))
    ]
    rest = len(seen.layers) - len(parts) - len(copies)
    if not notes:
        if parts and rest and not has_build_log(seen.plan):
            yield CannotTell(
                f"why {rest:,} layers beside the DLA's run on the GPU: there is no log of the build",
                "trtexec --verbose … 2>&1 | tee build.log, beside the graph",
            )
        return
    stake = seen.stake(copies)
    yield Finding(
        notes[0].message if len(notes) == 1 else f"{notes[0].message}; and {len(notes) - 1:,} more reasons",
        tuple(seen.layers[place].index for place in copies),
        stake,
        "Σ t of the copies between DLA and GPU, which would go if all layers ran on one of both" if stake else "",
        (
            *(Evidence("the builder says", note.message) for note in notes[:5]),
            Evidence("parts on the DLA", len(parts)),
            Evidence("copies between DLA and GPU", len(copies)),
        ),
        (
            "replace these layers by ones that DLA runs, or move them to the beginning or the end of the network",
            "set whole stretches to the GPU by hand: --layerDeviceTypes=LAYER:GPU",
            "compare with the whole network on the GPU: without --useDLACore",
        ),
        _DOCUMENTS,
        "the log of the new build has no such message, and the engine fewer parts and copies",
        0.9,
    )


RULE = Rule("BUILD005", "layers that fell back from DLA to GPU", Severity.WARNING, check)
