"""Times with too few measurements behind them.

What it finds: per-query times whose samples show differences of medians only above the limit, and a layer profile of
fewer iterations than the limit.
Why it matters: with few samples, two runs of one engine differ by more than the effect in question, and the times of
single layers are good for ranking only.
What to try: ``--iterations=100`` or more, ``--duration=10``; layers are timed as often as inferences run.
Does not apply: files without times; predicted times, which have error bars instead of samples.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.counted import counted
from trex.core.provenance import Provenance
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.rule import Rule, RuleLimit

_FIX = ("measure for longer: --iterations=1000 --duration=10 (seconds; both are minimums)",)
_DOCUMENTATION = ("TensorRT Developer Guide: Command-Line Programs, trtexec, --iterations and --duration",)


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    if engine.plan.provenance is Provenance.SIMULATED:
        return
    samples = engine.performance.samples
    main = samples.main
    if main is not None:
        shown = main.detectable.median_pct
        if shown is None or shown > limits["difference"]:
            what = (
                f"show no difference below {shown:.2g} %"
                if shown is not None
                else f"give no error bar of their median ({main.detectable.reason})"
            )
            independent = main.autocorrelation.effective_for_median
            yield Finding(
                f"{counted(main.count, 'sample')} of an inference {what}",
                evidence=(
                    Evidence("samples", main.count),
                    Evidence("equivalent independent samples", None if independent is None else round(independent, 1)),
                    Evidence("smallest difference they show", None if shown is None else round(shown, 2), "%"),
                ),
                fix=_FIX,
                documentation=_DOCUMENTATION,
                how_to_check="the smallest difference falls with the square root of the number of samples",
            )
    elif engine.plan.metadata.latency or engine.is_timed:
        yield Unchecked(f"how many inferences were measured: {samples.reason}", "measure with --exportTimes=FILE")
    profile = engine.plan.layer_times
    if profile is None or not engine.is_timed:
        return
    if profile.count is not None and 0 < profile.count < limits["iterations"]:
        times = "once" if profile.count == 1 else f"{profile.count} times"
        yield Finding(
            f"The layers were timed {times}: good for ranking, too few to compare",
            evidence=(Evidence("iterations of the layer profile", profile.count),),
            fix=_FIX,
            documentation=_DOCUMENTATION,
            how_to_check="medians and averages of the layers agree between two profiles",
            severity=Severity.NOTE,
        )


RULE = Rule(
    "MEAS003",
    "too few samples",
    Severity.WARNING,
    check,
    {
        "difference": RuleLimit(5.0, "%", "difference of medians that the samples must be able to show"),
        "iterations": RuleLimit(10.0, "", "least number of timings of each layer"),
    },
    is_first=True,
)
