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
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY))

from trex.simulator.published import (  # noqa: E402
    PublishedInference,
    judged_sums,
    observed_sums,
    published_inferences,
)
from trex.simulator.real_engines import measured_of, real_plans  # noqa: E402
from trex.simulator.timing.constants import ASYNCHRONOUS_COPIES, FILE, Constants  # noqa: E402
from trex.simulator.timing.cross_validation import (  # noqa: E402
    HoldOutScore,
    cross_validate,
    document_of,
    fit_all,
    intervals_of,
    judged_work,
)
from trex.simulator.timing.demand import Demand  # noqa: E402
from trex.simulator.timing.fit import MeasuredEngine, ObservedSum, observations  # noqa: E402
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
    "Efficiencies of the simulated builder's time model, fitted to profiles of real engines and to published times; "
    "written by utils/fit_simulated_times.py, not by hand. spread: the range over fits without one engine, one GPU, "
    "one compute capability or one family's published times. published: number of these times. layers, figures: number "
    "of layers and of published times that depend on the constant; with none it is its prior, or that of its like."
)


def fitted_document(
    measured: Sequence[MeasuredEngine], date: str, published: Sequence[PublishedInference] = ()
) -> tuple[dict[str, Any], tuple[HoldOutScore, ...]]:
    """(the file's content, the scores behind its intervals). date: of the day, ``2026-01-31``."""
    sums = observed_sums(published)
    constants = fit_all(measured, sums)
    scores = cross_validate(measured, sums)
    refits = _refits(measured, sums)
    layers, figures = _counts(measured, sums)
    entries: dict[str, Any] = {}
    capabilities = {engine.device.compute_capability or (0, 0) for engine in measured}
    for parameter in parameters(tuple(sorted(capabilities | {one.capability for one in sums}))):
        entries[parameter.name] = {
            "value": _rounded(constants.values[parameter.name]),
            "unit": parameter.unit,
            "spread": _spread(parameter.name, refits),
            "prior": parameter.prior,
            "prior_source": parameter.source,
            "meaning": parameter.meaning,
            "layers": layers[parameter.name],
            "figures": figures[parameter.name],
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
        "published": [
            dict(zip(("family", "device", "precision"), group)) | {"figures": number}
            for group, number in sorted(Counter(one.group for one in sums).items())
        ],
        "constants": entries,
        "judged": judged_work(measured),
        "intervals": intervals_of(scores, judged_sums(published, measured, document_of(measured, sums=sums))),
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


def _refits(measured: Sequence[MeasuredEngine], sums: Sequence[ObservedSum]) -> list[Constants]:
    groups: tuple[Callable[[MeasuredEngine], str], ...] = (
        lambda engine: engine.engine,
        lambda engine: engine.device.name,
        lambda engine: str(engine.device.compute_capability),
    )
    refits = []
    for group in groups:
        for name in sorted({group(engine) for engine in measured}):
            refits.append(fit_all([engine for engine in measured if group(engine) != name], sums))
    for family in sorted({one.group[0] for one in sums}):
        refits.append(fit_all(measured, [one for one in sums if one.group[0] != family]))
    return refits


def _spread(name: str, refits: Sequence[Constants]) -> list[float]:
    values = [constants.values[name] for constants in refits if name in constants.values]
    return [_rounded(min(values)), _rounded(max(values))] if values else []


def _counts(measured: Sequence[MeasuredEngine], sums: Sequence[ObservedSum]) -> tuple[Counter[str], Counter[str]]:
    """(layers with known work that depend on each constant, published times that do)."""
    layers: Counter[str] = Counter()
    for engine in measured:
        for row in observations(engine):
            if row.demand.is_known:
                layers.update(_names(row.demand, row.capability))
    figures = Counter(name for one in sums for name in {n for d in one.demands for n in _names(d, one.capability)})
    return layers, figures


def _names(demand: Demand, capability: tuple[int, int]) -> Iterator[str]:
    """The constants that a time depends on."""
    yield LAUNCH
    yield launch_name(capability)
    if demand.kind in GEMMS:
        yield START
    if demand.steps:
        yield WAIT if capability >= ASYNCHRONOUS_COPIES else EARLY_WAIT
    if demand.near_ms > 0:
        yield L2_SHARE
    if demand.compute_ms > 0:
        yield compute_name(demand.kind)
    if demand.far_ms + demand.near_ms > 0:
        yield memory_name(demand.kind)


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
    document, scores = fitted_document(measured, date.today().isoformat(), published_inferences())
    print(scores_text(scores))
    for line in left_out:
        print(line)
    if not options.dry_run:
        FILE.write_text(document_text(document), encoding="utf-8")
        print(f"written: {FILE.relative_to(REPOSITORY)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
