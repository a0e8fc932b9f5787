#!/usr/bin/env python3
"""Fits the simulated builder's times to real engines and writes ``trex/simulator/timing/fitted.json``.

Reads engines with profiles from ``../shared/engines`` or TREX_SHARED/engines, one folder each. ``--dry-run`` prints how
well each engine is predicted by constants that were fitted without it, and writes nothing. Exit code 0, also without
engines.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY))

from trex.simulator.published import published_sums  # noqa: E402
from trex.simulator.real_engines import measured_of, real_plans  # noqa: E402
from trex.simulator.timing.constants import ASYNCHRONOUS_COPIES, FILE, Constants  # noqa: E402
from trex.simulator.timing.cross_validation import (  # noqa: E402
    HoldOutScore,
    JudgedSum,
    cross_validate,
    fit_all,
    intervals_of,
    judged_work,
)
from trex.simulator.timing.fit import MeasuredEngine, observations  # noqa: E402
from trex.simulator.timing.parameters import (  # noqa: E402
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
from trex.simulator.timing.prediction import PROFILER_SHARE  # noqa: E402
from trex.simulator.timing.time_kinds import GEMMS  # noqa: E402

SHARED = Path(os.environ.get("TREX_SHARED", REPOSITORY.parent / "shared"))
_WHAT = (
    "Efficiencies of the simulated builder's time model, fitted to profiles of real engines; written by "
    "utils/fit_simulated_times.py, not by hand. spread: the range over fits without one engine, one GPU or one compute "
    "capability. layers: number of layers that depend on the constant; with 0 it is its prior, or that of the kind "
    "it is like."
)


def fitted_document(
    measured: Sequence[MeasuredEngine], date: str, published: Sequence[JudgedSum] = ()
) -> tuple[dict[str, Any], tuple[HoldOutScore, ...]]:
    """(the file's content, the scores behind its intervals). date: of the day, ``2026-01-31``. published: inferences
    that widen the intervals.
    """
    constants = fit_all(measured)
    scores = cross_validate(measured)
    refits = _refits(measured)
    counts = _counts(measured)
    entries: dict[str, Any] = {}
    capabilities = tuple(sorted({engine.device.compute_capability or (0, 0) for engine in measured}))
    for parameter in parameters(capabilities):
        entries[parameter.name] = {
            "value": _rounded(constants.values[parameter.name]),
            "unit": parameter.unit,
            "spread": _spread(parameter.name, refits),
            "prior": parameter.prior,
            "prior_source": parameter.source,
            "meaning": parameter.meaning,
            "layers": counts.get(parameter.name, 0),
        }
    for name in sorted(name for name in constants.values if name.startswith(PROFILER_SHARE)):
        entries[name] = {
            "value": _rounded(constants.values[name]),
            "unit": "share of the launch",
            "spread": _spread(name, refits),
            "meaning": f"added by the profiler's events to every kernel{name.removeprefix(PROFILER_SHARE)}: the median "
            "of the engines with GPU compute times",
        }
    document = {
        "what": _WHAT,
        "fitted": date,
        "engines": [
            {
                "engine": engine.engine,
                "device": engine.device.name,
                "compute_capability": ".".join(map(str, engine.device.compute_capability or (0, 0))),
                "release": engine.release,
                "layers": len(observations(engine)),
            }
            for engine in measured
        ],
        "constants": entries,
        "judged": judged_work(measured),
        "intervals": intervals_of(scores, published),
    }
    return document, scores


def document_text(document: dict[str, Any]) -> str:
    """The document as the text of a file, one entry per line."""
    lines = []
    for name, value in document.items():
        if isinstance(value, list) and value:
            inner = ",\n".join(f"  {_json(item)}" for item in value)
            lines.append(f" {_json(name)}: [\n{inner}\n ]")
        elif name in ("constants", "judged"):
            inner = ",\n".join(f"  {_json(key)}: {_json(item)}" for key, item in value.items())
            lines.append(f" {_json(name)}: {{\n{inner}\n }}")
        elif name == "intervals":
            lines.append(f" {_json(name)}: {json.dumps(value, indent=1).replace(chr(10), chr(10) + ' ')}")
        else:
            lines.append(f" {_json(name)}: {_json(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def scores_text(scores: Sequence[HoldOutScore]) -> str:
    """The scores as a table of text."""
    lines = [f"{'engine':40} {'left out':12} {'distance':18} {'Spearman':>8} {'sum':>6} {'compute':>7}"]
    for score in scores:
        compute = "" if score.compute_ratio is None else f"{score.compute_ratio:.2f}"
        rank = "" if score.spearman is None else f"{score.spearman:.3f}"
        lines.append(
            f"{score.engine:40} {score.left_out:12} {score.distance:18} {rank:>8} {score.total_ratio:6.2f} {compute:>7}"
        )
    return "\n".join(lines)


def _refits(measured: Sequence[MeasuredEngine]) -> list[Constants]:
    groups: tuple[Callable[[MeasuredEngine], str], ...] = (
        lambda engine: engine.engine,
        lambda engine: engine.device.name,
        lambda engine: str(engine.device.compute_capability),
    )
    refits = []
    for group in groups:
        for name in sorted({group(engine) for engine in measured}):
            refits.append(fit_all([engine for engine in measured if group(engine) != name]))
    return refits


def _spread(name: str, refits: Sequence[Constants]) -> list[float]:
    values = [constants.values[name] for constants in refits if name in constants.values]
    return [_rounded(min(values)), _rounded(max(values))] if values else []


def _counts(measured: Sequence[MeasuredEngine]) -> dict[str, int]:
    """The number of layers with known work that depend on each constant."""
    counts: dict[str, int] = {}
    for engine in measured:
        for observation in observations(engine):
            demand, capability = observation.demand, observation.capability
            if not demand.is_known:
                continue
            names = [LAUNCH, launch_name(capability)]
            if demand.kind in GEMMS:
                names.append(START)
            if demand.steps:
                names.append(WAIT if capability >= ASYNCHRONOUS_COPIES else EARLY_WAIT)
            if demand.near_ms > 0:
                names.append(L2_SHARE)
            if demand.compute_ms > 0:
                names.append(compute_name(demand.kind))
            if demand.far_ms + demand.near_ms > 0:
                names.append(memory_name(demand.kind))
            for name in names:
                counts[name] = counts.get(name, 0) + 1
    return counts


def _rounded(value: float) -> float:
    return float(f"{value:.4g}")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--dry-run", action="store_true", help="write nothing; print the accuracy of predictions")
    parser.add_argument("--engines", type=Path, default=SHARED / "engines", help="folder of real engines")
    options = parser.parse_args(arguments)
    if not options.engines.is_dir():
        print(f"there are no real engines in {options.engines}: the constants stay as they are")
        return 0
    measured, left_out = measured_of(real_plans(options.engines))
    if not measured:
        print(f"no engine in {options.engines} has layer times and a known GPU: the constants stay as they are")
        return 0
    document, scores = fitted_document(measured, date.today().isoformat(), published_sums(measured))
    print(scores_text(scores))
    for line in left_out:
        print(line)
    if not options.dry_run:
        FILE.write_text(document_text(document), encoding="utf-8")
        print(f"written: {FILE.relative_to(REPOSITORY)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
