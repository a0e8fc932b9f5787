"""Kernels that were chosen by less than timing can tell.

What it finds: layers whose two fastest tactics were closer to one another, when the builder timed them, than its
timings repeat: a verbose log of the build tells the times of all.
Why it matters: the builder takes the fastest of one measurement. Where two are equal within the noise, the next build
may take the other one: other kernels, other rounding, other layouts around them. What then differs between two engines
was thrown, not made.
What to try: keep a timing cache and give it to every build (``--timingCacheFile=FILE``); lock the clocks while
building; more timings of each tactic (``--avgTiming=16``).
Does not apply: to layers whose tactics the log does not time, as those of Myelin or from a timing cache; engines that
are built once. It costs at most the margin: both kernels are about equally fast.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.counted import counted
from trex.core.tactic_trial import TacticTrial
from trex.rules.analyzed_engine import Inspected
from trex.rules.build_log import has_build_log
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.rule import Limit, Rule
from trex.rules.wording import listed, main_operation, share

_MOST_TOLD = 8
_VERBOSE = "trtexec --verbose … 2>&1 | tee build.log, beside the graph"


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding | CannotTell]:
    trials = seen.plan.build_metadata.trials or seen.plan.metadata.trials
    if not trials:
        what = "its log tells no times of tactics" if has_build_log(seen.plan) else "there is no log of it"
        yield CannotTell(f"how narrowly the build chose its kernels: {what}", _VERBOSE)
        return
    told = {(trial.layer, trial.tactic): trial for trial in trials}
    found: list[tuple[int, TacticTrial]] = []
    for place, layer in enumerate(seen.layers):
        if layer.tactic_value is not None and (trial := told.get((layer.name, layer.tactic_value))) is not None:
            found.append((place, trial))
    if not found:
        yield CannotTell(
            "how narrowly the build chose its kernels: the log times tactics of layers of other names",
            "give the log of this engine's own build",
        )
        return
    close = sorted((each for each in found if each[1].margin_pct < limits["margin"]), key=lambda e: e[1].margin_pct)
    if close:
        yield _finding(seen, close, len(found), limits["margin"])


def _finding(seen: Inspected, close: list[tuple[int, TacticTrial]], timed: int, margin: float) -> Finding:
    names = listed(f"{main_operation(seen.layers[place])} ({trial.margin_pct:.2g} %)" for place, trial in close)
    verb = counted(len(close), "kernel was", "kernels were")
    time = sum(ms for place, _ in close if (ms := seen.times[place]) == ms)
    part = share(time, seen.total_ms) if time else ""
    return Finding(
        f"{verb} chosen by less than {margin:g} %, of {timed} that the log tells of: {names}; another build may choose "
        "others",
        layers=tuple(seen.layers[place].index for place, _ in close),
        formula="told, not counted: the next fastest kernel takes about as long",
        evidence=(
            *(
                Evidence(
                    main_operation(seen.layers[place]),
                    f"{trial.fastest_ms:.6g} ms, the next {trial.second_ms:.6g} ms, of {trial.tried} tactics",
                )
                for place, trial in close[:_MOST_TOLD]
            ),
            Evidence("share of the engine's time", part or None),
        ),
        advice=(
            "keep a timing cache and give it to every build of this model on this GPU: --timingCacheFile=model.cache",
            "lock the clocks while building: nvidia-smi --lock-gpu-clocks=MHZ; more timings: --avgTiming=16",
        ),
        documentation=(
            "TensorRT Developer Guide: Optimizing Builder Performance, timing cache; deterministic tactic selection",
            "NVIDIA/TensorRT issues 568, 1071, 3316, 4730",
        ),
        proof="build twice without a timing cache: these layers have other tactics in some of the builds",
        confidence=0.7,
    )


RULE = Rule(
    "BUILD001",
    "kernels chosen within the noise",
    Severity.NOTE,
    check,
    {"margin": Limit(2.0, "%", "by which the fastest tactic must lead to be a choice and not chance")},
)
