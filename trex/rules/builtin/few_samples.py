"""Times that too few measurements stand behind.

What it finds: a trace whose samples can show differences of medians only above the limit, and a layer profile of fewer
iterations than the limit.
Why it matters: with few samples two runs of one engine differ by more than what is being looked for, and the times of
single layers rank them without comparing them.
What to try: ``--iterations=100`` or more, ``--duration=10`` and the like; layers are timed as often as inferences run.
Does not apply: files that state no times at all, and predicted ones: nothing was measured, their error bars are told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.counted import counted
from trex.core.provenance import Provenance
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.rule import Limit, Rule

_ADVICE = ("measure for longer: --iterations=1000 --duration=10 (seconds; both are at least)",)
_DOCUMENTS = ("TensorRT Developer Guide: Command-Line Programs, trtexec, --iterations and --duration",)


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding | CannotTell]:
    if seen.plan.provenance is Provenance.SIMULATED:
        return
    samples = seen.performance.samples
    main = samples.main
    if main is not None:
        shown = main.detectable.median_pct
        if shown is None or shown > limits["difference"]:
            what = (
                f"show no difference below {shown:.2g} %"
                if shown is not None
                else f"do not tell how sure their median is ({main.detectable.reason})"
            )
            worth = main.autocorrelation.effective_for_median
            yield Finding(
                f"{counted(main.count, 'sample')} of an inference {what}",
                evidence=(
                    Evidence("samples", main.count),
                    Evidence("independent samples they are worth", None if worth is None else round(worth, 1)),
                    Evidence("least difference they show", None if shown is None else round(shown, 2), "%"),
                ),
                advice=_ADVICE,
                documentation=_DOCUMENTS,
                proof="the least difference falls with the root of the number of samples",
            )
    elif seen.plan.metadata.latency or seen.is_timed:
        yield CannotTell(f"how many inferences were measured: {samples.reason}", "measure with --exportTimes=FILE")
    profile = seen.plan.layer_times
    if profile is None or not seen.is_timed:
        return
    if profile.count is not None and 0 < profile.count < limits["iterations"]:
        times = "once" if profile.count == 1 else f"{profile.count} times"
        yield Finding(
            f"the layers were timed {times}: their times rank them, and compare nothing",
            evidence=(Evidence("iterations of the layer profile", profile.count),),
            advice=_ADVICE,
            documentation=_DOCUMENTS,
            proof="medians and averages of the layers agree between two profiles",
            severity=Severity.NOTE,
        )


RULE = Rule(
    "MEAS003",
    "too few samples",
    Severity.WARNING,
    check,
    {
        "difference": Limit(5.0, "%", "the least difference of medians that the samples should be able to show"),
        "iterations": Limit(10.0, "", "how often each layer should have been timed"),
    },
    is_first=True,
)
