"""A build that times every tactic anew.

What it finds: builds whose timing cache was local to the build, or switched off, and few timings of each tactic.
Why it matters: tactics that are equally fast within the noise of timing are chosen by chance, so each build makes
another engine: other kernels, other times, other rounding. Comparisons of two engines compare two throws, too.
What to try: keep a timing cache (``--timingCacheFile=FILE``) and build at locked clocks; more timings of each tactic
(``--avgTiming=16``).
Does not apply: to engines that are built once. How far the two fastest tactics of a layer were apart tells BUILD001,
from a verbose log.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.rule import Rule

_LETTERS = re.compile(r"[^a-z]")
_NO_CACHE = frozenset(("local", "disable", "disabled"))


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding | CannotTell]:
    options = {_LETTERS.sub("", key.lower()): value for key, value in seen.plan.build_metadata.build_options.items()}
    mode, path = (str(options.get(key, "")).strip() for key in ("timingcachemode", "timingcachefile"))
    if not mode:
        if options or seen.is_timed:
            yield CannotTell(
                "whether another build would choose the same kernels: no file tells of a timing cache",
                "keep the log of the build, or its metadata, beside the graph",
            )
        return
    if mode.lower() not in _NO_CACHE:
        return
    words = "the timing cache was switched off" if mode.lower() != "local" else "the timing cache was not kept"
    yield Finding(
        f"{words}: another build times all tactics anew and may choose other kernels",
        evidence=(
            Evidence("timing cache", mode),
            Evidence("its file", path or None),
            Evidence("timings of each tactic", options.get("avgtiming")),
        ),
        advice=(
            "keep a timing cache and give it to every build of this model on this GPU: --timingCacheFile=model.cache",
            "lock the clocks while building: nvidia-smi --lock-gpu-clocks=MHZ; more timings: --avgTiming=16",
        ),
        documentation=(
            "TensorRT Developer Guide: Optimizing Builder Performance, timing cache; deterministic tactic selection",
            "TensorRT issues #4730, #3316, #1071",
        ),
        proof="two builds with one timing cache choose the same tactics in every layer",
        confidence=0.6,
    )


RULE = Rule("BUILD003", "no timing cache kept", Severity.NOTE, check)
