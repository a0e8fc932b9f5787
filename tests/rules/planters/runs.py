"""Planters of the rules on measurement, memory, builds and their logs: defects of the whole engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tests.rules.making import watched
from tests.rules.planted import Ground, Planter
from tests.rules.planters.parts import whole
from trex.core.layer import Role
from trex.core.note import Note
from trex.core.tactic_trial import TacticTrial
from trex.core.tensor import ShapeRange

SOFTMAX = ("Maxr", "Sub", "Exp", "Sum", "Div", "Mul")
MIB = 1 << 20


def unsteady(ground: Ground) -> None:
    half_way = len(ground.trace) // 2
    factor = ground.random.uniform(1.05, 1.3)
    ground.trace = [*ground.trace[:half_way], *(ms * factor for ms in ground.trace[half_way:])]


def spikes(ground: Ground) -> None:
    for place in ground.random.sample(range(len(ground.trace)), 3):
        ground.trace[place] *= 1.5


def clocks(reason: str) -> Callable[[Ground], None]:
    def change(ground: Ground) -> None:
        count = ground.random.randrange(12, 40)
        held = ground.random.randrange(4, count - 4)
        reasons = [()] * held + [(reason,)] * (count - held)
        ground.telemetry = watched([1400.0] * held + [1100.0] * (count - held), reasons)

    return change


def scattered(ground: Ground) -> None:
    total = ground.total_ms
    ground.trace = [total * (1.0 + 0.5 * (ground.random.random() - 0.5)) for _ in range(12)]


def layer_times(factor: float) -> Callable[[Ground], None]:
    def change(ground: Ground) -> None:
        ground.trace = [ms * factor for ms in ground.trace]

    return change


def foreign_record(ground: Ground) -> None:
    ground.latency["GPU Compute Time"] = 1.5 * ground.total_ms


def same_record(ground: Ground) -> None:
    ordered = sorted(ground.trace)
    ground.latency["GPU Compute Time"] = (ordered[149] + ordered[150]) / 2


def setting(**values: object) -> Callable[[Ground], None]:
    """Sets fields of the ground: mappings are added to, others are replaced."""

    def change(ground: Ground) -> None:
        for name, value in values.items():
            known = getattr(ground, name)
            setattr(ground, name, {**known, **value} if isinstance(value, dict) else value)

    return change


def noted(code: str, message: str) -> Callable[[Ground], None]:
    return lambda ground: ground.notes.append(Note(code, message))


def in_proportion(line: str, factor: float) -> Callable[[Ground], None]:
    def change(ground: Ground) -> None:
        ground.latency[line] = factor * ground.total_ms * ground.noise(0.05)

    return change


def profile(factor: int, wide: int) -> Callable[[Ground], None]:
    """A dynamic first input with a run at ``factor`` times the optimum and a maximum of ``wide`` times the minimum."""

    def change(ground: Ground) -> None:
        name = ground.inputs[0]
        place, layer = next(
            (n, each) for n, each in enumerate(ground.layers) if any(i.name == name for i in each.inputs)
        )
        shape = next(i.shape for i in layer.inputs if i.name == name) or ()
        rest = shape[1:]
        ground.ranges[name] = ShapeRange((1, *rest), (8, *rest), (max(8, wide), *rest))
        ground.run["Input inference shape"] = f"{name}={'x'.join(map(str, (8 * factor, *rest)))}"
        assert ground.layers[place] is layer

    return change


def fallback(ground: Ground) -> None:
    ground.notes.append(Note("dla-fallback", "Layer 'l' (SOFTMAX): Unsupported on DLA."))


def device_memory(factor: float) -> Callable[[Ground], None]:
    """A device with so many times the memory that the largest layer reads and writes."""

    def change(ground: Ground) -> None:
        sizes = [[each.size_bytes or 0 for each in (*layer.inputs, *layer.outputs)] for layer in ground.layers]
        weights = sum(each.size_bytes or 0 for layer in ground.layers for each in layer.weights)
        ground.facts["Device Global Memory"] = f"{factor * (max(map(sum, sizes)) + weights) / MIB:.3f} MiB"

    return change


def trials(margin_pct: float) -> Callable[[Ground], None]:
    """A verbose log in which the second tactic of one layer came so near to the first, of all others far behind."""

    def change(ground: Ground) -> None:
        close = ground.random.choice([each for each in ground.layers if each.role is Role.KERNEL])
        ground.layers = [replace(each, tactic_value=number + 1) for number, each in enumerate(ground.layers)]
        ground.trials = tuple(
            TacticTrial(each.name, number + 1, 1.0, 0, 1.0 + (margin_pct if each.name == close.name else 40) / 100, 9)
            for number, each in enumerate(ground.layers)
        )

    return change


def names_alone(ground: Ground) -> None:
    ground.layers = [replace(each, inputs=(), outputs=(), tactic="") for each in ground.layers]


PLANTERS: dict[str, Planter] = {
    "unsteady-times": Planter(whole(unsteady), whole(spikes)),
    "throttled-gpu": Planter(whole(clocks("software-power-cap")), whole(clocks("application-clocks"))),
    "few-samples": Planter(whole(scattered), whole(setting(iterations=20))),
    "layer-sum-inconsistent": Planter(whole(layer_times(1.5)), whole(layer_times(1.03))),
    "profile-of-another-run": Planter(whole(foreign_record), whole(same_record)),
    "enqueue-bound": Planter(whole(in_proportion("Enqueue Time", 1.1)), whole(in_proportion("Enqueue Time", 0.6))),
    "transfer-bound": Planter(whole(in_proportion("H2D Latency", 0.8)), whole(in_proportion("H2D Latency", 0.2))),
    "shape-off-optimum": Planter(whole(profile(4, 32)), whole(profile(1, 32))),
    "wide-optimization-profile": Planter(whole(profile(1, 128)), whole(profile(1, 8))),
    "large-memory": Planter(whole(device_memory(1.0)), whole(device_memory(100.0))),
    "names-only": Planter(whole(names_alone)),
    "skipped-tactics": Planter(
        whole(noted("tactics-skipped-for-workspace", "3 tactics were not tried")), whole(noted("weights-narrowed", "…"))
    ),
    "close-tactics": Planter(whole(trials(0.3)), whole(trials(8.0))),
    "no-timing-cache": Planter(
        whole(setting(build={"timingCacheMode": "local"})), whole(setting(build={"timingCacheMode": "global"}))
    ),
    "sparsity-not-picked": Planter(
        whole(setting(milestones={"sparsity_eligible_layers": 20.0, "sparsity_picked_layers": 1.0})),
        whole(setting(milestones={"sparsity_eligible_layers": 20.0, "sparsity_picked_layers": 18.0})),
    ),
    "dla-fallback": Planter(whole(fallback), whole(noted("aux-streams-left-out", "…"))),
    "missing-int8-scales": Planter(
        whole(noted("no-scale-for-int8", "Missing scale and zero-point for tensor t")),
        whole(noted("dla-fallback", "…")),
    ),
}
