"""The per-query times hold several runs, such as batch sizes one after another.

A level one and a half times the lowest is no noise of one engine: neither a median nor a layer's time means anything
over all of them.
"""

from __future__ import annotations

from trex.core.significant import significant
from trex.rules.diagnosis_facts import DiagnosisFacts
from trex.rules.state import Description, State

_LEAST_CHANGE_PCT = 50.0
_LEAST_SHARE = 0.1


def describe(facts: DiagnosisFacts) -> Description | None:
    main = facts.engine.performance.samples.main
    if main is None:
        return None
    levels = [level for level in main.levels.levels if level.behind - level.first >= _LEAST_SHARE * main.count]
    medians = [level.median_ms for level in levels]
    if len(levels) < 2 or max(medians) < (1.0 + _LEAST_CHANGE_PCT / 100.0) * min(medians):
        return None
    times = ", ".join(significant(ms, 3) for ms in medians)
    return Description(
        f"these files hold several runs: {times} ms one after another",
        "split the times into one file per run and compare them: trex compare",
    )


STATE = State(10, describe)
