"""One layer for the same operators in both engines, with a slower kind of kernel now.

What it finds: layers that lost their tensor cores against the baseline, and layers that are slower with a kernel of
another family, algorithm or tile.
Why it matters: the builder chose another tactic: after an upgrade one may be missing or lose by noise, or the builds
timed it at different clocks.
What to try: build again with locked clocks and the baseline's timing cache; allow the baseline's tactic sources
(``--tacticSources``); a higher ``--builderOptimizationLevel``.
Does not apply: without a baseline; layers that were split or fused differently (DIFF002); layers that compute in
another type (DIFF003); kernels of unknown families.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.tactic import Tactic
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.baseline_match import LOSS_FORMULA
from trex.rules.finding import Evidence, Finding, Severity
from trex.rules.rule import Rule
from trex.rules.wording import main_operation


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding]:
    match, baseline = engine.baseline_match, engine.baseline
    if match is None or baseline is None:
        return
    for group in match.groups:
        here, there = match.kernels(group)
        if len(here) != 1 or len(there) != 1:
            continue
        layer, old = engine.layers[here[0]], baseline.layers[there[0]]
        new_kernel, old_kernel = engine.kernels[here[0]], baseline.kernels[there[0]]
        if layer.tactic == old.tactic or layer.compute.data_type is not old.compute.data_type:
            continue
        lost_cores = old_kernel.tensor_core is True and new_kernel.tensor_core is False
        is_slower = match.is_slower(group)
        changes = _changes(new_kernel, old_kernel)
        if not (lost_cores or (is_slower and changes)):
            continue
        savings = match.loss(group) if is_slower else {}
        what = "lost the tensor cores" if lost_cores else f"has another kernel ({', '.join(changes)})"
        finding = Finding(
            f"{main_operation(layer)} {what} against the baseline",
            layers=(layer.index,),
            savings=savings,
            formula=LOSS_FORMULA if savings else "",
            evidence=(
                Evidence("kernel here", layer.tactic),
                Evidence("kernel in the baseline", old.tactic),
                *group.times,
            ),
            fix=(
                "build again at locked clocks, with the baseline's timing cache if the release is the same: "
                "--timingCacheFile=FILE",
                "let the builder try more: --builderOptimizationLevel=4, and the baseline's tactic sources: "
                "--tacticSources",
            ),
            documentation=(
                "TensorRT Developer Guide: Optimizing Builder Performance, timing cache; tactic selection heuristic",
            ),
            how_to_check="with the baseline's tactic the layer takes as long as in the baseline",
            confidence=0.9 if is_slower else 0.6,
            severity=Severity.WARNING if is_slower or lost_cores else Severity.NOTE,
        )
        yield match.qualified(finding) if is_slower else finding


def _changes(new: Tactic, old: Tactic) -> list[str]:
    """What both names state differently, in words; nothing if a family is unknown."""
    if not new.family or not old.family:
        return []
    pairs = (
        ("family", new.family, old.family),
        ("library", new.library, old.library),
        ("algorithm", new.algorithm, old.algorithm),
        ("written for", new.sm and f"SM {new.sm}", old.sm and f"SM {old.sm}"),
        ("tile", new.tile and _tile_text(new.tile), old.tile and _tile_text(old.tile)),
        ("split-K", str(new.split_k), str(old.split_k)),
        ("stages", new.stages, old.stages),
    )
    return [f"{name} {now} instead of {before}" for name, now, before in pairs if now and before and now != before]


def _tile_text(tile: tuple[int, int, int | None]) -> str:
    return "×".join(str(extent) for extent in tile if extent is not None)


RULE = Rule("DIFF004", "other kernel than in the baseline", Severity.WARNING, check)
