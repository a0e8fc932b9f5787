"""Times of one run that cannot all be right: another unit, or damaged numbers.

What it finds: a layer profile, per-query times and trtexec's summary that differ by a factor of more than 100 on the
time of one inference, totals that contradict averages, percentages that contradict the profile's own times.
Why it matters: every time, share and saving in the report rests on these numbers. A file in µs or s that is read as
ms has no wrong number of its own.
What to try: export the files again from one run of trtexec; convert times of other tools to milliseconds.
Does not apply: files without a second time of the same inference; the overhead of timing layers, which at most doubles
the sum of real engines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.plan.time_units import SHARES_CONTRADICT, TIMES_CONTRADICT
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.rule import Rule


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    for note in engine.plan.notes:
        if note.code in (TIMES_CONTRADICT, SHARES_CONTRADICT):
            is_time = note.code == TIMES_CONTRADICT
            yield Finding(
                f"The times contradict each other: {note.message}" if is_time else f"In the profile, {note.message}",
                evidence=(Evidence("where", note.where or None),),
                fix=(note.hint,),
                how_to_check="without contradictions, this finding is gone",
                confidence=0.95,
                severity=Severity.ERROR if is_time else Severity.WARNING,
                is_first=True,
            )


RULE = Rule("MEAS004", "times that contradict each other", Severity.ERROR, check, is_first=True)
