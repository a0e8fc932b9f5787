"""Document: fitted constants with where they come from, as the file that the package reads."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from trex.simulator.timing.constants import ASYNCHRONOUS_COPIES, Constants
from trex.simulator.timing.cross_validation import HoldOutScore, cross_validate, fit_all, intervals_of
from trex.simulator.timing.fit import MeasuredEngine, observations
from trex.simulator.timing.inference import PROFILER_SHARE
from trex.simulator.timing.parameters import (
    EARLY_WAIT,
    L2_SHARE,
    LAUNCH,
    START,
    WAIT,
    compute_name,
    launch_name,
    memory_name,
    parameters,
)
from trex.simulator.timing.time_kinds import PRODUCTS

_WHAT = (
    "Efficiencies that the performance model of the simulated builder takes, fitted to profiles of real engines; "
    "written by utils/fit_simulated_times.py, not by hand. spread: the least and the most of the fits that leave out "
    "one engine, one GPU or one compute capability. layers: how many layers met the constant, 0: it is its prior."
)


def fitted_document(measured: Sequence[MeasuredEngine], date: str) -> tuple[dict[str, Any], tuple[HoldOutScore, ...]]:
    """(the file's content, the judgments that its intervals come from). date: of the day, ``2026-01-31``."""
    constants = fit_all(measured)
    judgments = cross_validate(measured)
    refits = _refits(measured)
    counts = _counts(measured)
    entries: dict[str, Any] = {}
    capabilities = tuple(sorted({each.device.compute_capability or (0, 0) for each in measured}))
    for each in parameters(capabilities):
        entries[each.name] = {
            "value": _rounded(constants.values[each.name]),
            "unit": each.unit,
            "spread": _spread(each.name, refits),
            "prior": each.prior,
            "prior_source": each.source,
            "meaning": each.meaning,
            "layers": counts.get(each.name, 0),
        }
    for name in sorted(name for name in constants.values if name.startswith(PROFILER_SHARE)):
        entries[name] = {
            "value": _rounded(constants.values[name]),
            "unit": "share of the launch",
            "spread": _spread(name, refits),
            "meaning": f"what the profiler's events add to every kernel{name.removeprefix(PROFILER_SHARE)}: the median "
            "of the engines that tell GPU compute times",
        }
    document = {
        "what": _WHAT,
        "fitted": date,
        "engines": [
            {
                "engine": each.engine,
                "device": each.device.name,
                "compute_capability": ".".join(map(str, each.device.compute_capability or (0, 0))),
                "release": each.release,
                "layers": len(observations(each)),
            }
            for each in measured
        ],
        "constants": entries,
        "intervals": intervals_of(judgments),
        "judged": [_score_entry(each) for each in judgments],
    }
    return document, judgments


def document_text(document: dict[str, Any]) -> str:
    """The document as the text of a file, an entry a line."""
    lines = []
    for name, value in document.items():
        if isinstance(value, list) and value:
            inner = ",\n".join(f"  {_json(each)}" for each in value)
            lines.append(f" {_json(name)}: [\n{inner}\n ]")
        elif name == "constants":
            inner = ",\n".join(f"  {_json(key)}: {_json(each)}" for key, each in value.items())
            lines.append(f" {_json(name)}: {{\n{inner}\n }}")
        elif name == "intervals":
            lines.append(f" {_json(name)}: {json.dumps(value, indent=1).replace(chr(10), chr(10) + ' ')}")
        else:
            lines.append(f" {_json(name)}: {_json(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def scores_text(judgments: Sequence[HoldOutScore]) -> str:
    """The judgments as lines of text, for people."""
    lines = [
        f"{'engine':40} {'left out':12} {'distance':18} {'layers':>6} {'Spearman':>8} {'sum':>6} {'compute':>7} "
        f"{'p5':>5} {'p50':>5} {'p95':>5} {'untold':>6}"
    ]
    for each in judgments:
        compute = "" if each.compute_ratio is None else f"{each.compute_ratio:.2f}"
        low, middle, high = (each.percentiles[place] for place in (0, 2, 4))
        lines.append(
            f"{each.engine:40} {each.left_out:12} {each.distance:18} {each.layers:6d} {each.spearman:8.3f} "
            f"{each.total_ratio:6.2f} {compute:>7} {low:5.2f} {middle:5.2f} {high:5.2f} {each.untold_share:6.0%}"
        )
    return "\n".join(lines)


def _score_entry(each: HoldOutScore) -> dict[str, Any]:
    return {
        "engine": each.engine,
        "left_out": each.left_out,
        "distance": each.distance,
        "layers": each.layers,
        "spearman": round(each.spearman, 3),
        "total_ratio": round(each.total_ratio, 3),
        "compute_ratio": None if each.compute_ratio is None else round(each.compute_ratio, 3),
        "percentiles": [round(value, 2) for value in each.percentiles],
        "untold_share": round(each.untold_share, 3),
    }


def _refits(measured: Sequence[MeasuredEngine]) -> list[Constants]:
    groups = (
        lambda each: each.engine,
        lambda each: each.device.name,
        lambda each: str(each.device.compute_capability),
    )
    refits = []
    for group in groups:
        for name in sorted({group(each) for each in measured}):
            refits.append(fit_all([each for each in measured if group(each) != name]))
    return refits


def _spread(name: str, refits: Sequence[Constants]) -> list[float]:
    found = [each.values[name] for each in refits if name in each.values]
    return [_rounded(min(found)), _rounded(max(found))] if found else []


def _counts(measured: Sequence[MeasuredEngine]) -> dict[str, int]:
    """How many layers with known work met each constant."""
    counts: dict[str, int] = {}
    for engine in measured:
        for each in observations(engine):
            if not each.demand.is_known:
                continue
            names = [LAUNCH, launch_name(each.capability)]
            if each.demand.kind in PRODUCTS:
                names.append(START)
            if each.demand.steps:
                names.append(WAIT if each.capability >= ASYNCHRONOUS_COPIES else EARLY_WAIT)
            if each.demand.near_ms > 0:
                names.append(L2_SHARE)
            if each.demand.compute_ms > 0:
                names.append(compute_name(each.demand.kind))
            if each.demand.far_ms + each.demand.near_ms > 0:
                names.append(memory_name(each.demand.kind))
            for name in names:
                counts[name] = counts.get(name, 0) + 1
    return counts


def _rounded(value: float) -> float:
    return float(f"{value:.4g}")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
