"""Times of one run that cannot all be right: another unit, or damaged numbers.

What it finds: a layer profile, per-query times and trtexec's summary that differ by a factor of more than 100 on the
time of one inference, or of two runs; totals that contradict averages, percentages that contradict the profile's own
times; layers that are faster than the GPU can be, or all a hundred times slower than it is; more than a hundredth of
the queries without a usable time; times of a run that failed, crashed or was stopped, of other shapes, or of
files that name two GPUs.
Why it matters: every time, share and saving in the report rests on these numbers. A file in µs or s that is read as
ms has no wrong number of its own.
What to try: export the files again from one run of trtexec; convert times of other tools to milliseconds.
Does not apply: files without a second time of the same inference, of an unknown GPU; the overhead of timing layers,
which at most doubles the sum of real engines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.timings import MISSING_TIMES
from trex.perf.roofline import FASTER_THAN_POSSIBLE
from trex.plan.time_notes import COPIED_QUERIES, SHARES_CONTRADICT, TIMES_CONTRADICT, TWO_RUNS
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.rule import Rule

AGAINST_GPU = "The times contradict the GPU: "
"""How findings of this kind begin."""
_BEGIN = {
    TIMES_CONTRADICT: "The times contradict each other: ",
    TWO_RUNS: "The times contradict each other: ",
    COPIED_QUERIES: "The times contradict each other: ",
    MISSING_TIMES: "The times are incomplete: ",
    SHARES_CONTRADICT: "In the profile, ",
    FASTER_THAN_POSSIBLE: AGAINST_GPU,
}


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    contradicted = frozenset(engine.performance.contradicted)
    for note in dict.fromkeys((*engine.performance.notes, *engine.performance.roofline.notes)):
        is_time = note in contradicted
        begin = _BEGIN.get(note.code, "The times can't be trusted: " if is_time else None)
        if begin is not None and (is_time or note.code != TWO_RUNS):
            yield Finding(
                f"{begin}{note.message}",
                evidence=(Evidence("where", note.where or None),),
                fix=(note.hint,),
                how_to_check="without contradictions, this finding is gone",
                confidence=0.95,
                severity=Severity.ERROR if is_time else Severity.WARNING,
                is_first=True,
            )


RULE = Rule("MEAS004", "times that contradict each other", Severity.ERROR, check, is_first=True)
