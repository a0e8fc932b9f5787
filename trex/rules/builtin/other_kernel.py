"""One layer for the same operators in both engines, and a slower kind of kernel here.

What it finds: layers that lost their tensor cores against the baseline, and layers that are slower with a kernel of
another family, algorithm or tile.
Why it matters: the builder chose another tactic: after an upgrade one may be gone or lose by noise, in another build it
was timed at other clocks.
What to try: build again with locked clocks and the baseline's timing cache; allow the tactic sources of the baseline
(``--tacticSources``); a higher ``--builderOptimizationLevel``.
Does not apply: without a baseline; to layers that were split or fused differently (lost fusions); to layers that
compute in another type; to kernels whose names are of no known family.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.tactic import Tactic
from trex.rules.analyzed_engine import Inspected
from trex.rules.baseline_match import kernels
from trex.rules.finding import Evidence, Finding, Severity
from trex.rules.rule import Rule
from trex.rules.wording import main_operation


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding]:
    against = seen.against
    if against is None:
        return
    for group in against.groups:
        here, there = kernels(seen, group.here), kernels(against.there, group.there)
        if len(here) != 1 or len(there) != 1:
            continue
        layer, old = seen.layers[here[0]], against.there.layers[there[0]]
        new_kernel, old_kernel = seen.kernels[here[0]], against.there.kernels[there[0]]
        if layer.tactic == old.tactic or layer.compute.data_type is not old.compute.data_type:
            continue
        lost_cores = old_kernel.tensor_core is True and new_kernel.tensor_core is False
        is_slower = against.is_slower(group)
        changes = _changes(new_kernel, old_kernel)
        if not (lost_cores or (is_slower and changes)):
            continue
        stake = against.loss(group) if is_slower else {}
        what = "lost the tensor cores" if lost_cores else f"has another kernel ({', '.join(changes)})"
        found = Finding(
            f"{main_operation(layer)} {what} against the baseline",
            (layer.index,),
            stake,
            "t · (1 − t of the group in the baseline / t of the group here)" if stake else "",
            (
                Evidence("kernel here", layer.tactic),
                Evidence("kernel in the baseline", old.tactic),
                Evidence("time here", group.here_ms if group.here_ms == group.here_ms else None, "ms"),
                Evidence("time in the baseline", group.there_ms if group.there_ms == group.there_ms else None, "ms"),
            ),
            (
                "build again at locked clocks, with the timing cache of the baseline where the release is the same: "
                "--timingCacheFile=FILE",
                "let the builder try more: --builderOptimizationLevel=4, and the tactic sources of the baseline: "
                "--tacticSources",
            ),
            ("TensorRT Developer Guide: Optimizing Builder Performance, timing cache; tactic selection heuristic",),
            "a build with the baseline's tactic for this layer takes what the baseline took",
            0.9 if is_slower else 0.6,
            Severity.WARNING if is_slower or lost_cores else Severity.NOTE,
        )
        yield against.told(found) if is_slower else found


def _changes(new: Tactic, old: Tactic) -> list[str]:
    """In words what both names tell and tell differently; nothing when a family is not known."""
    if not new.family or not old.family:
        return []
    pairs = (
        ("family", new.family, old.family),
        ("library", new.library, old.library),
        ("algorithm", new.algorithm, old.algorithm),
        ("written for", new.sm and f"SM {new.sm}", old.sm and f"SM {old.sm}"),
        ("tile", new.tile and _x(new.tile), old.tile and _x(old.tile)),
        ("split-K", str(new.split_k), str(old.split_k)),
        ("stages", new.stages, old.stages),
    )
    return [f"{name} {now} instead of {then}" for name, now, then in pairs if now and then and now != then]


def _x(tile: tuple[int, int, int | None]) -> str:
    return "×".join(str(each) for each in tile if each is not None)


RULE = Rule("DIFF004", "other kernel than in the baseline", Severity.WARNING, check)
