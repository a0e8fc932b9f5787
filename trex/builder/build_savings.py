"""Tactics → what would shorten the next build, as far as the log says: a timing cache, sources, fewer tactics."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from trex.builder.build_statements import GENERATION, duration, time_by_runner
from trex.builder.tactics import Tactics
from trex.core.build_log import TIMED
from trex.core.counted import counted
from trex.core.duration import seconds_words

_SOURCES = {"Cudnn": "CUDNN", "Cublas": "CUBLAS"}
_LEVEL = re.compile(r"--builderOptimizationLevel=(\d)")
MAX_TACTICS = 32


@dataclass(frozen=True, slots=True)
class Saving:
    """option: of trtexec. seconds: at most so many, NaN if the log does not say. words: what and why, with limits."""

    option: str
    seconds: float
    words: str


def savings(tactics: Tactics, build: int) -> tuple[Saving, ...]:
    """The largest first; what the log does not say comes last."""
    result = [
        *_timing_cache(tactics, build),
        *_strategies(tactics, build),
        *_sources(tactics, build),
        *_fewer_tactics(tactics, build),
    ]
    return tuple(sorted(result, key=lambda saving: (math.isnan(saving.seconds), -saving.seconds)))


def _timing_cache(tactics: Tactics, build: int) -> Iterator[Saving]:
    spent = duration(tactics, build)
    if not spent.timings:
        return
    time = "the timing" if math.isnan(spent.timing_s) else f"up to {seconds_words(spent.timing_s)}"
    cached = f"; in this build {counted(spent.cached, 'runner')} had cached times" if spent.cached else ""
    yield Saving("--timingCacheFile=FILE", spent.timing_s, f"saves {time} for the same network and GPU{cached}")


def _strategies(tactics: Tactics, build: int) -> Iterator[Saving]:
    """Passes whose engine was not kept; and that the log contains nothing on other levels."""
    passes = [(index, one) for index, one in enumerate(tactics.log.passes) if one.build == build]
    dropped = {index for index, one in passes if not one.is_chosen}
    level = _LEVEL.search(tactics.log.builds[build].command_line)
    if dropped:
        known = [row.seconds for row in tactics.log.phases if row.strategy_pass in dropped and row.phase == GENERATION]
        seconds = math.fsum(known) if known else math.nan
        lost = counted(len(dropped), "backend strategy was", "backend strategies were")
        at_level = f" at level {level[1]}" if level else ""
        time = f" ({seconds_words(seconds)})" if known else ""
        words = f"{lost} built and not kept{at_level}{time}; the log does not say which level skips them"
        yield Saving("--builderOptimizationLevel=N", seconds, words)
    elif duration(tactics, build).timings:
        yield Saving(
            "--builderOptimizationLevel=N",
            math.nan,
            "a lower level times fewer tactics; which ones, the log does not say",
        )


def _sources(tactics: Tactics, build: int) -> Iterator[Saving]:
    """Runners of cuDNN and cuBLAS, by their names."""
    runners = time_by_runner(tactics, build)
    is_known = not math.isnan(duration(tactics, build).timing_s)
    for start, source in _SOURCES.items():
        own = runners[runners["runner"].astype(str).str.startswith(start)]
        if own.empty:
            continue
        seconds = float(own["seconds"].sum()) if is_known else math.nan
        time = seconds_words(seconds) if is_known else counted(int(own["timings"].sum()), "timing")
        chosen = int(own["chosen"].sum())
        result = f"chosen {counted(chosen, 'time')}" if chosen else "never chosen"
        yield Saving(f"--tacticSources=-{source}", seconds, f"leaves out {', '.join(own['runner'])}: {time}, {result}")


def _fewer_tactics(tactics: Tactics, build: int) -> Iterator[Saving]:
    runners = tactics.runners
    own = runners[(runners["build"] == build) & (runners["status"] == TIMED) & (runners["tried"] > MAX_TACTICS)]
    if own.empty:
        return
    left_out = own["tried"] - MAX_TACTICS
    seconds = float((own["seconds"] * left_out / own["tried"]).sum())
    if math.isnan(duration(tactics, build).timing_s):
        seconds = math.nan
    about = "" if math.isnan(seconds) else f", about {seconds_words(seconds)}"
    words = (
        f"leaves out {int(left_out.sum()):,} timings if it counts per runner{about}; the log does not say whether the "
        "chosen ones would be timed"
    )
    yield Saving(f"--maxTactics={MAX_TACTICS}", seconds, words)
