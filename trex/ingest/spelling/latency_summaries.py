"""Lines of a performance summary → those whose figures can be times, and a Note on the others."""

from __future__ import annotations

from collections.abc import Mapping

from trex.core.metadata import LatencySummary
from trex.core.note import Note
from trex.core.timings import LONGEST_MS


def possible_summaries(
    latency: Mapping[str, LatencySummary], where: str
) -> tuple[dict[str, LatencySummary], tuple[Note, ...]]:
    """One figure that is negative, or longer than the longest time, is damage of its whole line; so is a percentile
    above 100.
    """
    possible = {key: summary for key, summary in latency.items() if _is_possible(summary)}
    impossible = [repr(key) for key in latency if key not in possible]
    if not impossible:
        return possible, ()
    names = ", ".join(impossible[:5])
    message = f"the summary of {names} has figures that are no times in ms, or no percentiles; it was left out"
    return possible, (Note("summary-impossible", message, "", where, "problem"),)


def _is_possible(summary: LatencySummary) -> bool:
    ends = (summary.minimum_ms, summary.maximum_ms, summary.mean_ms, summary.median_ms)
    figures = [*ends, *summary.percentiles.values()]
    return all(map(_is_time, figures)) and all(0.0 <= label <= 100.0 for label in summary.percentiles)


def _is_time(figure: float | None) -> bool:
    return figure is None or 0.0 <= figure <= LONGEST_MS
