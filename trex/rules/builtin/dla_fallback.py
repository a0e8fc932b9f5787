"""Layers meant for the DLA that run on the GPU.

What it finds: builder messages that layers are not supported on DLA and fall back to the GPU, and the copies between
DLA and GPU that follow.
Why it matters: each change between DLA and GPU copies and converts the activations, and a DLA loads a limited number of
parts: one unsupported layer in the middle may cost more than the DLA saves.
What to try: replace the layers by ones that DLA supports (see the guide's table), put GPU layers at the ends of the
network instead of in its middle, or run the whole network on the GPU and compare.
Does not apply: engines that were not built for DLA. Without a build log the reasons are unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.rule import Rule
from trex.rules.wording import LOG_HINT

_DLA = ("DLA", "Dla", "DlaLayer")


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    notes = [note for note in engine.plan.notes if note.code == "dla-fallback"]
    parts = frozenset(engine.of_type(*_DLA))
    copies = [
        position
        for position in engine.flow.copies
        if parts and not parts.isdisjoint((*engine.before(position), *engine.after(position)))
    ]
    rest = len(engine.layers) - len(parts) - len(copies)
    if not notes:
        if parts and rest and not engine.has_build_log:
            yield Unchecked(f"there is no build log, so why {rest:,} layers run on the GPU is unknown", LOG_HINT)
        return
    savings = engine.savings(copies)
    yield Finding(
        notes[0].message if len(notes) == 1 else f"{notes[0].message}; and {len(notes) - 1:,} more reasons",
        layers=engine.indexes(copies),
        savings=savings,
        formula="time of the copies between DLA and GPU, gone if all layers run on one of them" if savings else "",
        evidence=(
            *(Evidence("builder message", note.message) for note in notes[:5]),
            Evidence("parts on the DLA", len(parts)),
            Evidence("copies between DLA and GPU", len(copies)),
        ),
        fix=(
            "replace these layers by ones that DLA supports, or move them to the start or end of the network",
            "assign whole parts to the GPU by hand: --layerDeviceTypes=LAYER:GPU",
            "compare with the whole network on the GPU: without --useDLACore",
        ),
        documentation=(
            "TensorRT Developer Guide: Working with DLA, supported layers and restrictions; GPU fallback mode",
            "NVIDIA/TensorRT issues 2318, 3365, 3438",
        ),
        how_to_check="the new build log has no such message, and the engine has fewer parts and copies",
        confidence=0.9,
    )


RULE = Rule("BUILD005", "layers that fell back from DLA to GPU", Severity.WARNING, check)
