"""Layers that compute in a wider type than in the baseline.

What it finds: groups of the same operators whose main layer computed in fewer bits in the baseline (FP16 where it is
FP32 now, INT8 where it is FP16).
Why it matters: twice the bits are twice the bytes and at most half the rate of products; one such layer also makes the
layers around it convert.
What to try: compare the precision flags and the types in both models; see whether a range problem moved the layer on
purpose (casts, ``--layerPrecisions``, strongly typed export); otherwise pin it (``--precisionConstraints=obey``).
Does not apply: without a baseline; to types of equal width (FP16 and BF16); to layers whose type no file
tells, or only their neighbors' types do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.rules.analyzed_engine import Inspected
from trex.rules.baseline_match import compute_bits
from trex.rules.finding import Evidence, Finding, Severity
from trex.rules.rule import Rule
from trex.rules.type_flow import COPIES
from trex.rules.wording import main_operation

_SURE = 0.5


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding]:
    against = seen.against
    if against is None:
        return
    for group in against.groups:
        main, before = against.mains(group)
        layer, old = seen.layers[main], against.there.layers[before]
        bits, old_bits = compute_bits(layer), compute_bits(old)
        if bits is None or old_bits is None or bits <= old_bits or COPIES.intersection((layer.type, old.type)):
            continue
        confidence = min(layer.compute.confidence, old.compute.confidence)
        if confidence < _SURE:
            continue
        is_slower = against.is_slower(group)
        stake = against.loss(group)
        found = Finding(
            f"{main_operation(layer)} computes in {layer.precision}, in the baseline in {old.precision}",
            (layer.index, *(seen.layers[place].index for place in group.here if place != main)),
            stake,
            "t · (1 − t of the group in the baseline / t of the group here)" if stake else "",
            (
                Evidence("precision here", layer.precision),
                Evidence("precision in the baseline", old.precision),
                Evidence("told by", layer.compute.evidence),
                Evidence("time here", group.here_ms if group.here_ms == group.here_ms else None, "ms"),
                Evidence("time in the baseline", group.there_ms if group.there_ms == group.there_ms else None, "ms"),
            ),
            (
                "compare the precision flags (--fp16, --int8, --best) and the casts in both models",
                f"up to TensorRT 10: --precisionConstraints=obey --layerPrecisions={main_operation(layer)}:"
                f"{old.precision.lower()}; strongly typed: change the type in the model",
            ),
            ("TensorRT Developer Guide: Reduced Precision; Strongly Typed Networks",),
            f"the layer computes in {old.precision} again and takes what it took",
            confidence * (0.95 if is_slower else 0.8),
            Severity.WARNING if is_slower else Severity.NOTE,
            about=(layer.index,),
        )
        yield against.told(found) if stake else found


RULE = Rule("DIFF003", "wider type than in the baseline", Severity.WARNING, check)
