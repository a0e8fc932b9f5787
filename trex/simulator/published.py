"""Published inference times of networks that trex can write, and whether predictions hold for them.

Published figures have no times of layers, so they judge no kind of work; constants are fitted to their sums. Every
family of networks is predicted as if trex had never met it: constants, kinds of work and error bars come from engines
and figures of other families (leave-one-family-out).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from trex.core.data_type import DataType
from trex.core.release import Release, release_from_text
from trex.core.scratch_folder import scratch_folder
from trex.core.steps import in_steps
from trex.examples.network import write_network
from trex.ingest.onnx_model import read_model
from trex.perf.recognize import find_device
from trex.simulator.builder import build
from trex.simulator.kernel_times import kernel_times
from trex.simulator.target import OLDEST, Target
from trex.simulator.timing.constants import Constants
from trex.simulator.timing.cross_validation import JudgedSum, document_of, fit_all
from trex.simulator.timing.demand import Demand
from trex.simulator.timing.fit import MeasuredEngine, ObservedSum
from trex.simulator.timing.prediction import Inference, Prediction, inference_of, is_power_capped, predict_demands
from trex.simulator.timing.time_kinds import HOST, NOTHING

FILE = Path(__file__).resolve().parent / "published.json"
EARLIEST = Release(*OLDEST)
"""Older releases are predicted in this form."""
LEAST_JUDGED = 0.75
"""The share of the predicted time in judged kinds of work above which a figure counts for the interval of those."""
COVERAGE_GOAL = 0.9
MEDIAN_GOAL = (0.8, 1.25)
_ALLOWED = {"FP32": (), "FP16": (DataType.FP16,), "INT8": (DataType.FP16, DataType.INT8)}


@dataclass(frozen=True)
class PublishedPair:
    """A network and its published time. network: of ``trex.examples``, at this batch and length (0: its own).

    ms: of one inference. release: of TensorRT, "" if the source does not name it. source: key of ``sources``.
    """

    family: str
    network: str
    batch: int
    device: str
    precision: str
    ms: float
    source: str
    length: int = 0
    release: str = ""

    @property
    def target(self) -> Target:
        release = release_from_text(self.release) or EARLIEST
        return Target(find_device(self.device), max(release, EARLIEST), frozenset(_ALLOWED[self.precision]))


def published_pairs() -> tuple[PublishedPair, ...]:
    return tuple(PublishedPair(**entry) for entry in _document()["pairs"])


def sources() -> Mapping[str, Mapping[str, Any]]:
    """{key: title, url, how its engines differ from the networks, and the precisions that are judged only}."""
    result: Mapping[str, Mapping[str, Any]] = _document()["sources"]
    return result


def source_lines() -> list[str]:
    """Each source in words."""
    return [
        f"{source['title']}, {source['url']}" + (f" ({source['differs']})" if source["differs"] else "")
        for source in sources().values()
    ]


@dataclass(frozen=True)
class PublishedInference:
    """A pair, and the demands of the kernels of its predicted engine."""

    pair: PublishedPair
    demands: tuple[Demand, ...]

    @property
    def observed(self) -> ObservedSum:
        """What a fit takes."""
        pair, device = self.pair, self.pair.target.device
        counts = Counter(demand for demand in self.demands if demand.kind not in (NOTHING, HOST))
        group = (pair.family, device.name, pair.precision)
        return ObservedSum(group, device.compute_capability or (0, 0), counts, pair.ms)

    def predicted(self, constants: Constants) -> Prediction:
        return predict_demands(self.demands, self.pair.target.device, constants)


def observed_sums(inferences: Iterable[PublishedInference], without: str = "") -> list[ObservedSum]:
    """What constants are fitted to: the GPU's times of the kernels that the network has, without those of a family."""
    known = sources()
    return [
        one.observed
        for one in inferences
        if one.pair.family != without and one.pair.precision not in known[one.pair.source].get("judged_only", ())
    ]


def published_inferences(pairs: Sequence[PublishedPair] | None = None) -> list[PublishedInference]:
    """The predicted engine of each pair, of all by default."""
    pairs = published_pairs() if pairs is None else pairs
    models: dict[tuple[str, int, int], list[PublishedPair]] = {}
    for pair in pairs:
        models.setdefault((pair.network, pair.batch, pair.length), []).append(pair)
    inferences = {}
    with scratch_folder() as folder:
        for (network, batch, length), same in in_steps("model", models.items()):
            model = read_model(str(write_network(network, Path(folder) / "model.onnx", batch, length=length)))
            for pair in same:
                kernels = kernel_times(build(model, pair.target)).kernels
                inferences[pair] = PublishedInference(pair, tuple(layer.demand for layer in kernels.layers))
    return [inferences[pair] for pair in pairs]


def judged_sums(
    inferences: Sequence[PublishedInference], measured: Sequence[MeasuredEngine], document: Mapping[str, Any]
) -> list[JudgedSum]:
    """Those that show how sums of judged kinds of work are predicted: most of their time is in such kinds, and no power
    limit lowers the GPU's clock by an unknown amount. Each is predicted without the figures of its own family.

    document: says which engines and kinds of work are judged.
    """
    sums = []
    for family in in_steps("family", sorted({one.pair.family for one in inferences})):
        constants = Constants(fit_all(measured, observed_sums(inferences, without=family)).values, document)
        for one in inferences:
            if one.pair.family != family:
                continue
            prediction = one.predicted(constants)
            capped = is_power_capped(prediction.device, prediction.distance)
            if not capped and sum(prediction.unjudged.values()) <= 1 - LEAST_JUDGED:
                ratio = inference_of(prediction).compute_ms / one.pair.ms
                sums.append(JudgedSum(_name(one.pair), family, one.pair.device, prediction.distance, ratio))
    return sums


def judge_published(
    measured: Sequence[MeasuredEngine], inferences: Sequence[PublishedInference]
) -> list[dict[str, Any]]:
    """One record per pair, predicted without anything of its family, for ``validated.json``; all_ms: as predicted by
    all measured engines and the figures of other families.
    """
    entries: dict[PublishedPair, dict[str, Any]] = {}
    for family in in_steps("family", sorted({one.pair.family for one in inferences})):
        constants = constants_without_family(family, measured, inferences)
        everything = fit_all(measured, observed_sums(inferences, without=family))
        for one in inferences:
            if one.pair.family == family:
                prediction = one.predicted(constants)
                entries[one.pair] = _entry(one.pair, prediction, inference_of(prediction))
                entries[one.pair]["all_ms"] = _four(inference_of(one.predicted(everything)).compute_ms)
    return [entries[one.pair] for one in inferences]


def constants_without_family(
    family: str, measured: Sequence[MeasuredEngine], inferences: Sequence[PublishedInference]
) -> Constants:
    """Constants, judged kinds of work and intervals from the engines and figures of other families."""
    kept = [engine for engine in measured if engine.family != family]
    others = [one for one in inferences if one.pair.family != family]
    sums = observed_sums(others)
    document = document_of(kept, judged_sums(others, kept, document_of(kept)), sums)
    return Constants(fit_all(kept, sums).values, document)


def family_rows(entries: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One record for each family and precision: number of figures, GPUs, figures inside the bar, median of predicted
    over measured time (all_ratio: by all measured engines, those of the family too), median share of the time in work
    that no engine has judged.
    """
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for entry in entries:
        groups.setdefault((entry["family"], entry["precision"]), []).append(entry)
    rows = []
    for (family, precision), group in sorted(groups.items()):
        rows.append(
            {
                "family": family,
                "precision": precision,
                "devices": list(dict.fromkeys(entry["device"] for entry in group)),
                "figures": len(group),
                "inside": sum(is_inside(entry) for entry in group),
                "ratio": round(median(entry["predicted_ms"] / entry["ms"] for entry in group), 2),
                "all_ratio": round(median(entry["all_ms"] / entry["ms"] for entry in group), 2),
                "unjudged": round(median(entry["unjudged"] for entry in group), 2),
            }
        )
    return rows


def is_inside(entry: Mapping[str, Any]) -> bool:
    """Whether a published time lies in the error bar."""
    return bool(entry["low_ms"] <= entry["ms"] <= entry["high_ms"])


def family_goal_lines(entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """A sentence for each goal: coverage of the bars, medians of each family."""
    inside = sum(map(is_inside, entries))
    low, high = MEDIAN_GOAL
    share = f"{inside / len(entries):.0%}".replace("%", " %")
    return [
        f"≥ {COVERAGE_GOAL:.0%} of published times in the error bar, family left out: ".replace("%", " %")
        + f"{inside} of {len(entries)} ({share})",
        f"median of predicted over published time within ×{low:g} to ×{high:g}, family left out: "
        + _reached(entries, "predicted_ms"),
        f"the same by all measured engines: {_reached(entries, 'all_ms')}",
    ]


def _reached(entries: Sequence[Mapping[str, Any]], key: str) -> str:
    """How many families have a median as wanted, and the medians of the others."""
    ratios: dict[str, list[float]] = {}
    for entry in entries:
        ratios.setdefault(entry["family"], []).append(entry[key] / entry["ms"])
    low, high = MEDIAN_GOAL
    medians = {family: median(values) for family, values in sorted(ratios.items())}
    missed = [f"{family} ({value:.2f})" for family, value in medians.items() if not low <= value <= high]
    return f"{len(medians) - len(missed)} of {len(medians)}" + (f"; missed by {', '.join(missed)}" if missed else "")


def _entry(pair: PublishedPair, prediction: Prediction, inference: Inference) -> dict[str, Any]:
    return {
        "family": pair.family,
        "network": pair.network,
        "batch": pair.batch,
        **({"length": pair.length} if pair.length else {}),
        "device": pair.device,
        "precision": pair.precision,
        "source": pair.source,
        "kernels": prediction.kernel_count,
        "ms": pair.ms,
        "predicted_ms": _four(inference.compute_ms),
        "low_ms": _four(inference.low_ms),
        "high_ms": _four(inference.high_ms),
        "unjudged": round(sum(inference.unjudged.values()), 2),
    }


def _name(pair: PublishedPair) -> str:
    length = f", {pair.length} tokens" if pair.length else ""
    return f"{pair.network} {pair.precision}, batch {pair.batch}{length}, {pair.device}"


def _four(value: float) -> float:
    return float(f"{value:.4g}")


def _document() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return document
