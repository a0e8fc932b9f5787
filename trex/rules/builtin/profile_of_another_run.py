"""Files that were measured or built at different times, read as one engine.

What it finds: records of the layer profile that name no layer, layers without a record, and a trace whose median is not
that of trtexec's own summary.
Why it matters: times of another engine, or of another run, stand beside the layers as if they were theirs; layers
without a time are in no sum.
What to try: export graph, profile, trace and log in one run of the very engine.
Does not apply: layers of other optimization profiles, and layers that do no work on the device.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from trex.core.counted import counted
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.rule import Limit, Rule

_ADVICE = (
    "one run writes all: trtexec --loadEngine=ENGINE --exportLayerInfo=M.graph.json --exportProfile=M.profile.json "
    "--exportTimes=M.timing.json --profilingVerbosity=detailed --separateProfileRun",
)
_DOCUMENTS = ("TensorRT Developer Guide: Command-Line Programs, trtexec",)


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding | CannotTell]:
    join = seen.plan.join
    other = next(
        (each for each in seen.performance.reconciliation.differences if each.first == "GPU compute of the trace"), None
    )
    if other is not None:
        yield Finding(
            other.sentence[:1].lower() + other.sentence[1:].rstrip("."),
            evidence=(Evidence("trace / summary", other.ratio),),
            advice=_ADVICE,
            documentation=_DOCUMENTS,
            proof="files of one run agree to the last digit that trtexec prints",
        )
    if join is None:
        return
    if not seen.is_timed:
        yield CannotTell("whether the profile is of this engine: it has no times", "export it again")
        return
    lost = [record for record in join.unmatched if (record.average_ms or 0.0) > 0.0]
    lost_ms = sum(record.average_ms or 0.0 for record in lost)
    if lost and 100.0 * lost_ms / (lost_ms + seen.total_ms) >= limits["share"]:
        names = ", ".join(record.name for record in lost[:3])
        yield Finding(
            f"{counted(len(lost), 'profile record finds', 'profile records find')} no layer ({names}"
            f"{', …' if len(lost) > 3 else ''}): {lost_ms:.4g} ms that no layer has",
            evidence=(Evidence("time without a layer", lost_ms, "ms"), Evidence("records without a layer", len(lost))),
            advice=_ADVICE,
            documentation=_DOCUMENTS,
            proof="every record of a profile of this engine names one of its layers",
        )
    untimed = np.flatnonzero(np.isnan(seen.times_ms))
    if len(untimed) and 100.0 * len(untimed) / len(seen.layers) >= limits["share"]:
        yield Finding(
            f"{len(untimed):,} of {counted(len(seen.layers), 'layer has', 'layers have')} no time in the profile",
            tuple(seen.layers[place].index for place in untimed),
            evidence=(Evidence("layers without a time", len(untimed)), Evidence("layers", len(seen.layers))),
            advice=_ADVICE,
            documentation=_DOCUMENTS,
            proof="a profile of this engine times every layer that does work",
        )


RULE = Rule(
    "MEAS005",
    "files of different runs",
    Severity.WARNING,
    check,
    {"share": Limit(1.0, "%", "of the profile's time, or of the layers, from which on it is told")},
    is_first=True,
)
