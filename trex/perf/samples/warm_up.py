"""Samples → WarmUp: how many initial samples differ from the rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trex.core.counted import counted
from trex.perf.samples.autocorrelation import local_time
from trex.perf.samples.series import Floats, block_medians
from trex.perf.samples.spread import NORMAL_MAD

FEWEST = 50
BLOCK = 5
_BLOCKS = 10_000
_SIGMAS = 4.0
_LEAST_SHARE = 0.002
_AT_ONCE = 0.7


@dataclass(frozen=True, slots=True)
class WarmUp:
    """samples: number of initial samples that differ, 0 for none, None if unknown (reason says why).

    head_ms, rest_ms: medians of them and of the rest, None without two parts.
    """

    samples: int | None
    head_ms: float | None = None
    rest_ms: float | None = None
    reason: str = ""

    @property
    def excess_pct(self) -> float | None:
        """How much slower the initial samples are than the rest, in percent of the rest."""
        if self.head_ms is None or not self.rest_ms:
            return None
        return 100.0 * (self.head_ms / self.rest_ms - 1.0)


def warm_up_of(values: Floats) -> WarmUp:
    """The initial samples to leave out by the marginal standard error rule, MSER-5 (White 1997; White, Cobb and Spratt
    2000, A comparison of five steady-state truncation heuristics for simulation), with three changes.

    The rule cuts where Σ (y_i − ȳ)² / (k − d)² over the k − d remaining blocks is smallest. Here y are medians of five
    samples instead of means, so that one spike is no warm-up. The cut counts only if the medians before and after it
    differ by 0.2 % and by four standard errors, since on steady samples the rule cuts at random; and only within the
    first quarter and if the next blocks are at the level of the rest, since otherwise the rule has found a drift or a
    change of level (see ``trend``, ``change_points``). Blocks are longer than five samples if there would be more than
    10 000 of them.
    """
    if len(values) < FEWEST:
        return WarmUp(None, reason=f"{counted(len(values), 'sample')}: too few to detect a warm-up (at least {FEWEST})")
    length = max(BLOCK, -(-len(values) // _BLOCKS))
    medians = block_medians(values, length)
    count = len(medians)
    shifted = (medians - medians[-1])[::-1]
    remaining = np.arange(1, count + 1)
    squares = np.cumsum(shifted * shifted) - np.cumsum(shifted) ** 2 / remaining
    errors = (np.maximum(squares, 0.0) / remaining**2)[::-1]
    quarter = count // 4
    cut = int(np.argmin(errors[: quarter + 1]))
    if not 0 < cut < quarter:
        return WarmUp(0)
    head, rest = medians[:cut], medians[cut:]
    head_ms, rest_ms = float(np.median(head)), float(np.median(rest))
    noise = NORMAL_MAD * float(np.median(np.abs(rest - rest_ms))) * local_time(rest) ** 0.5
    difference = abs(head_ms - rest_ms)
    if difference < _LEAST_SHARE * rest_ms or difference < _SIGMAS * noise * (1 / cut + 1 / len(rest)) ** 0.5:
        return WarmUp(0)
    if abs(head_ms - float(np.median(rest[:cut]))) < _AT_ONCE * difference:
        # The next blocks still approach the level of the rest.
        return WarmUp(0)
    return WarmUp(cut * length, head_ms, rest_ms)
