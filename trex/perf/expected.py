"""EnginePlan → the error bar of its prediction: the range of GPU compute times expected of a real run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from trex.core.timings import LONGEST_MS
from trex.plan.engine_plan import EnginePlan
from trex.plan.unknown_work import MODEL_KEY, UnknownWork, prediction_section, unknown_work_of

KEYS = ("expected_from_ms", "expected_to_ms")
"""Keys in the prediction's section of an engine's metadata."""


def is_predicted(plan: EnginePlan) -> bool:
    return plan.provenance.has_predicted_times


def counts_once(plan: EnginePlan) -> bool:
    """Whether the prediction counts layers once that a loop or a condition runs more often, or not at all."""
    return plan.has_jumps and is_predicted(plan)


def expected_ms(plan: EnginePlan) -> tuple[float, float] | None:
    """(lowest, highest) expected GPU compute of an inference in milliseconds, from the engine's own files; None if they
    do not contain two ascending times, or loops and conditions decide how often layers run.
    """
    return None if counts_once(plan) else written_range(plan)


def written_range(plan: EnginePlan) -> tuple[float, float] | None:
    """As ``expected_ms``, also of loops, where it is of one pass."""
    section = _section(plan)
    ends = [section.get(key) for key in KEYS]
    known = [float(end) for end in ends if isinstance(end, int | float) and not isinstance(end, bool)]
    if len(known) != len(KEYS):
        return None
    low, high = known
    return (low, high) if math.isfinite(low) and 0.0 < low <= high <= LONGEST_MS else None


NOTED_SHARE = 0.05
"""A smaller share of the time in work that no engine has judged is not mentioned."""
_LEAST_SHARE = 0.005
_MOST_KINDS = 3


def unjudged_shares(plan: EnginePlan) -> dict[str, float]:
    """Kind of work that no measured engine has judged → its share of the predicted time, from the engine's own files;
    the largest first, empty if they do not contain it.
    """
    shares = _section(plan).get("unjudged")
    if not isinstance(shares, dict):
        return {}
    known = {
        str(kind): float(share)
        for kind, share in shares.items()
        if isinstance(share, int | float) and not isinstance(share, bool) and 0.0 < share <= 1.0
    }
    return dict(sorted(known.items(), key=lambda item: -item[1]))


def unjudged_words(shares: Mapping[str, float]) -> str:
    """``93 % of the predicted time is in work that no measured engine has judged: FP16 GEMM (64 %), …``"""
    large = {kind: share for kind, share in shares.items() if share >= _LEAST_SHARE} or shares
    listed = [f"{kind} ({share:.0%})".replace("%", " %") for kind, share in list(large.items())[:_MOST_KINDS]]
    more = len(large) - len(listed)
    kinds = ", ".join(listed) + (f" and {more} more" if more else "")
    total = f"{min(sum(shares.values()), 1.0):.0%}".replace("%", " %")
    return f"{total} of the predicted time is in work that no measured engine has judged: {kinds}"


def validated_engines(plan: EnginePlan) -> int | None:
    """Number of real engines behind the error bar, from the engine's own files; None if they do not contain it."""
    count = _section(plan).get("validated_engines")
    return count if type(count) is int and count > 0 else None


def predicted_by(plan: EnginePlan) -> str | None:
    """The version of the simulator that predicted the times; None if the files do not contain it."""
    version = _section(plan).get("predicted_by")
    return version if isinstance(version, str) and version else None


def unknown_work(plan: EnginePlan) -> UnknownWork | None:
    """The part of the predicted time that is a lower bound; None without one."""
    return unknown_work_of(_section(plan))


def model_sha256(plan: EnginePlan) -> str:
    """SHA-256 of the ONNX file that the prediction is for; "" if the files do not contain it."""
    digest = _section(plan).get(MODEL_KEY)
    return digest if isinstance(digest, str) else ""


def _section(plan: EnginePlan) -> Mapping[str, Any]:
    return prediction_section(plan.metadata, plan.build_metadata)
