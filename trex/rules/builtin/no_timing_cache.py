"""A build that times every tactic anew.

What it finds: builds whose timing cache was local to the build, or disabled.
Why it matters: tactics that are equally fast within the timing noise are chosen at random, so each build gives another
engine: other kernels, other times, other rounding. Comparisons of two engines then contain this noise.
What to try: keep a timing cache (``--timingCacheFile=FILE``) and build at locked clocks; time each tactic more often
(``--avgTiming=16``).
Does not apply: engines that are built once. BUILD001 reports how close the two fastest tactics of a layer were, from a
verbose log.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.rule import Rule
from trex.rules.wording import METADATA_HINT, TIMING_CACHE_FIX

_LETTERS = re.compile(r"[^a-z]")
_NO_CACHE = frozenset(("local", "disable", "disabled"))


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    options = {_LETTERS.sub("", key.lower()): value for key, value in engine.plan.build_metadata.build_options.items()}
    mode, path = (str(options.get(key, "")).strip() for key in ("timingcachemode", "timingcachefile"))
    if not mode:
        if options or engine.is_timed:
            reason = "no file mentions a timing cache, so whether another build chooses the same kernels is unknown"
            yield Unchecked(reason, METADATA_HINT)
        return
    if mode.lower() not in _NO_CACHE:
        return
    subject = "The timing cache was disabled" if mode.lower() != "local" else "The timing cache was not kept"
    yield Finding(
        f"{subject}: another build times all tactics anew and may choose other kernels",
        evidence=(
            Evidence("timing cache", mode),
            Evidence("its file", path or None),
            Evidence("timings of each tactic", options.get("avgtiming")),
        ),
        fix=TIMING_CACHE_FIX,
        documentation=(
            "TensorRT Developer Guide: Optimizing Builder Performance, timing cache; deterministic tactic selection",
            "NVIDIA/TensorRT issues 1071, 3316, 4730",
        ),
        how_to_check="two builds with one timing cache choose the same tactics in every layer",
        confidence=0.6,
    )


RULE = Rule("BUILD003", "no timing cache kept", Severity.NOTE, check)
