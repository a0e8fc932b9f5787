"""Files of different runs or builds, read as one engine.

What it finds: records of the layer profile that match no layer, layers without a record, and per-query times whose
median differs from trtexec's own summary.
Why it matters: layers then carry times of another engine or another run; layers without a time are in no sum.
What to try: export graph, profile, per-query times and log in one run of the same engine.
Does not apply: layers of other optimization profiles, and layers that do no work on the device.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from trex.core.counted import counted
from trex.perf.reconciliation import PER_QUERY_COMPUTE
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.rule import Rule, RuleLimit

_FIX = (
    "export everything in one run: trtexec --loadEngine=ENGINE --exportLayerInfo=M.graph.json "
    "--exportProfile=M.profile.json --exportTimes=M.timing.json --profilingVerbosity=detailed --separateProfileRun",
)
_DOCUMENTATION = ("TensorRT Developer Guide: Command-Line Programs, trtexec",)


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    join = engine.plan.join
    differences = engine.performance.reconciliation.differences
    other = next((item for item in differences if item.first == PER_QUERY_COMPUTE), None)
    if other is not None:
        yield Finding(
            other.sentence.rstrip("."),
            evidence=(Evidence("per-query median / summary", other.ratio),),
            fix=_FIX,
            documentation=_DOCUMENTATION,
            how_to_check="files of one run agree to the last digit that trtexec prints",
        )
    if join is None:
        return
    if not engine.is_timed:
        yield Unchecked("the profile contains no times, so whether it is of this engine is unknown", "export it again")
        return
    lost = [record for record in join.unmatched if (record.average_ms or 0.0) > 0.0]
    lost_ms = sum(record.average_ms or 0.0 for record in lost)
    if lost and 100.0 * lost_ms / (lost_ms + engine.total_ms) >= limits["share"]:
        names = ", ".join(record.name for record in lost[:3]) + (", …" if len(lost) > 3 else "")
        yield Finding(
            f"{counted(len(lost), 'profile record matches', 'profile records match')} no layer ({names}): "
            f"{lost_ms:.4g} ms is missing in the layers",
            evidence=(Evidence("time without a layer", lost_ms, "ms"), Evidence("records without a layer", len(lost))),
            fix=_FIX,
            documentation=_DOCUMENTATION,
            how_to_check="every record of a profile of this engine names one of its layers",
        )
    untimed = np.flatnonzero(np.isnan(engine.times_ms)).tolist()
    if untimed and 100.0 * len(untimed) / len(engine.layers) >= limits["share"]:
        yield Finding(
            f"{len(untimed):,} of {counted(len(engine.layers), 'layer has', 'layers have')} no time in the profile",
            layers=engine.indexes(untimed),
            evidence=(Evidence("layers without a time", len(untimed)), Evidence("layers", len(engine.layers))),
            fix=_FIX,
            documentation=_DOCUMENTATION,
            how_to_check="a profile of this engine times every layer that does work",
        )


RULE = Rule(
    "MEAS005",
    "files of different runs",
    Severity.WARNING,
    check,
    {"share": RuleLimit(1.0, "%", "least share of the profile's time, or of the layers")},
    is_first=True,
)
