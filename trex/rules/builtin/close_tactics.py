"""Kernels whose lead over the next tactic is within the timing noise.

What it finds: layers whose two fastest tactics were closer than timings repeat when the builder timed them; a verbose
build log contains the times of all tactics.
Why it matters: the builder takes the fastest of one measurement. If two are equal within the noise, the next build may
take the other one: other kernels, other rounding, other layouts around them. Such differences between two engines are
random.
What to try: keep a timing cache and use it for every build (``--timingCacheFile=FILE``); lock the clocks while
building; time each tactic more often (``--avgTiming=16``).
Does not apply: layers whose tactics the log does not time, such as those from a timing cache; engines of TensorRT for
RTX, whose kernels are chosen when they run; engines that are built once. It costs at most the margin: both kernels are
about equally fast.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.builder.ties import EngineTrials
from trex.core.counted import counted
from trex.core.tactic_trial import TacticTrial
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.rule import Rule, RuleLimit
from trex.rules.wording import LOG_HINT, listed, main_operation, percent

_MAX_SHOWN = 8


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    trials = EngineTrials(engine.plan)
    if engine.is_for_rtx:
        return
    if not trials.trials:
        what = "the build log contains no times of tactics" if engine.has_build_log else "there is no build log"
        yield Unchecked(f"{what}, so the margins of tactics are unknown", LOG_HINT)
        return
    timed = [(position, trial) for position, layer in enumerate(engine.layers) for trial in trials.of(layer)]
    if not timed:
        yield Unchecked("the tactics in the build log are of layers with other names", "use the log of this build")
        return
    close = sorted((item for item in timed if item[1].margin_pct < limits["margin"]), key=lambda e: e[1].margin_pct)
    if close:
        yield _finding(engine, close, len(timed), limits["margin"])


def _finding(engine: AnalyzedEngine, close: list[tuple[int, TacticTrial]], timed: int, margin: float) -> Finding:
    names = listed(f"{main_operation(engine.layers[position])} ({trial.margin_pct:.2g} %)" for position, trial in close)
    subject = counted(len(close), "kernel leads", "kernels lead")
    positions = [position for position, _ in close]
    return Finding(
        f"{subject} the next tactic by less than {margin:g} %, of {timed} timed in the build log: {names}; another "
        "build may choose others",
        layers=engine.indexes(positions),
        formula="no savings: the next fastest kernel takes about as long",
        evidence=(
            *(
                Evidence(
                    main_operation(engine.layers[position]),
                    f"{trial.fastest_ms:.6g} ms, the next {trial.second_ms:.6g} ms, of {trial.tried} tactics",
                )
                for position, trial in close[:_MAX_SHOWN]
            ),
            Evidence("share of the engine's time", percent(engine.sum_ms(positions), engine.total_ms) or None),
        ),
        fix=(
            "keep a timing cache and use it for every build of this model on this GPU: --timingCacheFile=model.cache",
            "then lock the clocks while building (nvidia-smi --lock-gpu-clocks=MHZ) and time tactics more often: "
            "--avgTiming=16",
        ),
        documentation=(
            "TensorRT Developer Guide: Optimizing Builder Performance, timing cache; deterministic tactic selection",
            "NVIDIA/TensorRT issues 568, 1071, 3316, 4730",
        ),
        how_to_check="build twice without a timing cache: some of these layers get other tactics",
        confidence=0.7,
    )


RULE = Rule(
    "BUILD001",
    "kernels chosen within the noise",
    Severity.NOTE,
    check,
    {"margin": RuleLimit(2.0, "%", "lead of the fastest tactic below which the choice counts as random")},
    needs_measurement=True,
)
