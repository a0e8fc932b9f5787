"""Layers that compute in a wider type than in the baseline.

What it finds: groups of the same operators whose main layer computed in fewer bits in the baseline (FP16 where it is
FP32 now, INT8 where it is FP16).
Why it matters: twice the bits are twice the bytes and at most half the rate of GEMMs; one such layer also makes
adjacent layers convert.
What to try: compare the precision flags and the types in both models; check whether the layer was moved on purpose for
its range (casts, ``--layerPrecisions``, strongly typed export); otherwise constrain it
(``--precisionConstraints=obey``).
Does not apply: without a baseline; types of equal width (FP16 and BF16); layers whose type is unknown, or known only
from their neighbors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.baseline_match import LOSS_FORMULA, compute_bits
from trex.rules.finding import Evidence, Finding, Severity
from trex.rules.operators import COPIES
from trex.rules.rule import Rule
from trex.rules.wording import main_operation

_LEAST_CONFIDENCE = 0.5


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding]:
    match, baseline = engine.baseline_match, engine.baseline
    if match is None or baseline is None:
        return
    for group in match.groups:
        main, before = match.mains(group)
        layer, old = engine.layers[main], baseline.layers[before]
        bits, old_bits = compute_bits(layer), compute_bits(old)
        if bits is None or old_bits is None or bits <= old_bits or COPIES.intersection((layer.type, old.type)):
            continue
        confidence = min(layer.compute.confidence, old.compute.confidence)
        if confidence < _LEAST_CONFIDENCE:
            continue
        is_slower = match.is_slower(group)
        savings = match.loss(group)
        finding = Finding(
            f"{main_operation(layer)} computes in {layer.precision}, in the baseline in {old.precision}",
            layers=engine.indexes((main, *group.here)),
            main_layers=(layer.index,),
            savings=savings,
            formula=LOSS_FORMULA if savings else "",
            evidence=(
                Evidence("precision here", layer.precision),
                Evidence("precision in the baseline", old.precision),
                Evidence("known from", layer.compute.evidence),
                *group.times,
            ),
            fix=(
                "compare the precision flags (--fp16, --int8, --best) and the casts in both models",
                f"up to TensorRT 10: --precisionConstraints=obey --layerPrecisions={main_operation(layer)}:"
                f"{old.precision.lower()}; strongly typed: change the type in the model",
            ),
            documentation=("TensorRT Developer Guide: Reduced Precision; Strongly Typed Networks",),
            how_to_check=f"the layer computes in {old.precision} again and takes as long as in the baseline",
            confidence=confidence * (0.95 if is_slower else 0.8),
            severity=Severity.WARNING if is_slower else Severity.NOTE,
        )
        yield match.qualified(finding) if savings else finding


RULE = Rule("DIFF003", "wider type than in the baseline", Severity.WARNING, check)
