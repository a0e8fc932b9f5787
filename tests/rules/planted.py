"""Engines in which one defect was planted, and their healthy twins: what each rule must find, and what it must not.

``GROUNDS`` makes the engines that defects are planted into; ``tests/rules/planters`` has one planter for each rule.
What is planted is known to the generator; nothing here asks a rule how it decides.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from random import Random
from typing import Any

from tests import factories
from tests.perf.round_device import round_device
from tests.rules.inspections import conv
from tests.synthetic.cnn import cnn
from tests.synthetic.measurements import profile_rows
from tests.synthetic.spellings import spell_graph
from trex.core.layer import Layer, Role
from trex.core.metadata import LatencySummary, Metadata
from trex.core.note import Note
from trex.core.tactic_trial import TacticTrial
from trex.core.telemetry import Telemetry
from trex.core.tensor import Binding, ShapeRange, Tensor
from trex.core.timings import LayerTime, LayerTimes, QueryTimes
from trex.engine_plan import load_example
from trex.ingest.graph_json import engine_from_records
from trex.perf.device import Device
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import Finding
from trex.rules.rule import Rule

KERNEL = "sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x64x32_stage5_g1_tensor16x8x16"
DEVICE = round_device(compute_capability=(8, 0))


@dataclass
class Ground:
    """An engine that may be changed before it is made. planted: names of the layers at which a finding is right.
    inserted: of all that were put in. is_whole: the defect is one of the engine or its measurement, not of layers.
    """

    random: Random
    layers: list[Layer]
    ms: dict[str, float]
    inputs: list[str]
    outputs: list[str]
    build: dict[str, Any] = field(default_factory=dict)
    run: dict[str, Any] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    latency: dict[str, float] = field(default_factory=dict)
    memory: dict[str, int] = field(default_factory=dict)
    milestones: dict[str, float] = field(default_factory=dict)
    trials: tuple[TacticTrial, ...] = ()
    notes: list[Note] = field(default_factory=list)
    trace: list[float] = field(default_factory=list)
    ranges: dict[str, ShapeRange] = field(default_factory=dict)
    iterations: int = 100
    telemetry: Telemetry | None = None
    baseline: Ground | None = None
    device: Device = DEVICE
    planted: set[str] = field(default_factory=set)
    inserted: set[str] = field(default_factory=set)
    is_whole: bool = False

    @property
    def total_ms(self) -> float:
        return sum(self.ms.values())

    def noise(self, part: float = 0.03) -> float:
        return 1.0 + part * (2.0 * self.random.random() - 1.0)

    def edges(self) -> list[int]:
        """Positions behind which one can plant: of convolutions that write channels last, for convolutions alone."""
        read = {tensor.name for layer in self.layers for tensor in layer.inputs}
        read -= {tensor.name for layer in self.layers if layer.type != "Convolution" for tensor in layer.inputs}
        return [
            place
            for place, layer in enumerate(self.layers)
            if layer.role is Role.KERNEL
            and layer.type == "Convolution"
            and len(layer.outputs) == 1
            and layer.outputs[0].name in read
            and layer.outputs[0].format.label == "NHWC8"
            and len(layer.outputs[0].shape or ()) == 4
        ]

    def insert(self, make: Callable[[Tensor], Sequence[tuple[Layer, float]]], is_planted: bool = True) -> None:
        """Puts the layers that ``make`` makes of a tensor behind its writer, with parts of the engine's time.

        When the last of them writes what the tensor is, later layers read that instead; else it is an output.
        """
        place = self.random.choice(self.edges())
        source = self.layers[place].outputs[0]
        made = list(make(source))
        whole = self.total_ms
        for layer, part in made:
            self.ms[layer.name] = part * whole * self.noise()
        last = made[-1][0].outputs[0] if made[-1][0].outputs else None
        fits = last is not None and (last.shape, last.data_type, last.format) == (
            source.shape,
            source.data_type,
            source.format,
        )
        behind = self.layers[place + 1 :]
        if fits and last is not None:
            behind = [
                replace(each, inputs=tuple(last if t.name == source.name else t for t in each.inputs))
                for each in behind
            ]
        else:
            written = {t.name for each, _ in made for t in each.outputs}
            written -= {t.name for each, _ in made for t in each.inputs}
            self.outputs += sorted(written)
        self.layers = [*self.layers[: place + 1], *(each for each, _ in made), *behind]
        self.inserted |= {each.name for each, _ in made}
        if is_planted:
            self.planted |= {each.name for each, _ in made}

    def plan(self) -> EnginePlan:
        engine = factories.engine(*self.layers, inputs=self.inputs, outputs=self.outputs)
        bindings = [
            Binding(
                each.name, each.is_input, each.tensor, (self.ranges[each.name],) if each.name in self.ranges else ()
            )
            for each in engine.bindings
        ]
        engine = replace(engine, bindings=tuple(bindings))
        times = tuple(
            LayerTime(layer.name, layer.occurrence, ms * self.iterations, ms, ms, None)
            for layer in engine.layers
            if (ms := self.ms.get(layer.name)) is not None
        )
        trace = QueryTimes({"computeMs": array("d", self.trace)}) if self.trace else None
        latency = {key: LatencySummary(ms, ms, ms, ms) for key, ms in self.latency.items()}
        return EnginePlan(
            engine,
            LayerTimes(times, self.iterations) if times else None,
            trace,
            Metadata(
                inference_options=self.run,
                device=self.facts,
                latency=latency,
                memory=self.memory,
                notes=tuple(self.notes),
            ),
            Metadata(build_options=self.build, milestones=self.milestones, trials=self.trials),
            telemetry=self.telemetry,
        )

    def inspected(self) -> Inspected:
        baseline = None if self.baseline is None else self.baseline.plan()
        return Inspected(Performance(self.plan(), self.device), baseline)


def clean(random: Random) -> Ground:
    """Convolutions, poolings and residual adds in half precision, channels last: nothing that a rule should find."""
    channels, side = random.choice((64, 128)), random.choice((28, 56))
    shape = (8, channels, side, side)
    edge = factories.t("x", shape, "FP16", "NHWC8")
    before = edge
    layers: list[Layer] = []
    ms: dict[str, float] = {}
    count = random.randrange(14, 30)
    for number in range(count):
        output = factories.t("y" if number == count - 1 else f"h{number}", shape, "FP16", "NHWC8")
        name = f"/host/{number}/Conv + /host/{number}/Relu"
        inputs = [edge]
        if number % 3 == 2 and number > 2:
            name, inputs = f"/host/{number}/Conv + /host/{number}/Add", [edge, before]
        layers.append(conv(name, inputs, output, kernel=(3, 3), tactic=KERNEL))
        arithmetic = 2.0 * prod(shape) * channels * 9 / 1e14 * 1e3
        moved = (len(inputs) + 1) * prod(shape) * 2 / 5e11 * 1e3
        ms[name] = 1.6 * max(arithmetic, moved) * (1.0 + 0.06 * (random.random() - 0.5))
        before, edge = edge, output
    return _measured(Ground(random, layers, ms, ["x"], ["y"]))


def example(random: Random) -> Ground:
    """A bundled engine of half precision: what it has by itself is not counted."""
    plan = load_example("resnet18-fp16")
    layers = list(plan.engine.layers)
    ms = {
        layer.name: time.average_ms
        for layer, time in zip(plan.layers, plan.times)
        if time is not None and time.average_ms is not None
    }
    noisy = {name: value * (1.0 + 0.06 * (random.random() - 0.5)) for name, value in ms.items()}
    bindings = plan.engine.bindings
    inputs = [each.name for each in bindings if each.is_input]
    return _measured(Ground(random, layers, noisy, inputs, [each.name for each in bindings if not each.is_input]))


def synthetic(random: Random) -> Ground:
    """A generated network with poolings, pointwise layers, reformats and views: what it has itself is not counted."""
    description = cnn(random.randrange(14, 60), seed=random.randrange(100))
    engine = engine_from_records(spell_graph(description, "10.4")["Layers"])
    ms = {name: average for name, average, _ in profile_rows(description, random.randrange(1000)) if average > 0}
    inputs, outputs = ([each.name for each in side] for side in (description.inputs, description.outputs))
    return _measured(Ground(random, list(engine.layers), ms, inputs, outputs))


def _measured(ground: Ground) -> Ground:
    """Steady times and the options of a sound measurement."""
    total = ground.total_ms
    ground.trace = [total * (1.0 + 0.002 * (ground.random.random() - 0.5)) for _ in range(300)]
    ground.latency = {"H2D Latency": 0.05 * total, "D2H Latency": 0.02 * total, "Enqueue Time": 0.1 * total}
    ground.build = {"Precision": "FP32+FP16", "timingCacheMode": "global", "Sparsity": "Disabled"}
    ground.run = {"CUDA Graph": "Disabled"}
    ground.facts = {"Selected Device": "Round device", "Device Global Memory": "80000 MiB"}
    ground.milestones = {"engine_built_s": 12.0}
    return ground


GROUNDS: tuple[Callable[[Random], Ground], ...] = (clean, example, synthetic)
Plant = Callable[[Ground], None]


@dataclass(frozen=True)
class Planter:
    """plant: puts the defect in. healthy: puts in what looks like it and is sound, None where nothing does."""

    plant: Plant
    healthy: Plant | None = None


@dataclass
class Counts:
    """hits: defects found. misses: not found. alarms: findings at sound places."""

    hits: int = 0
    misses: int = 0
    alarms: int = 0

    @property
    def precision(self) -> float:
        return self.hits / (self.hits + self.alarms) if self.hits + self.alarms else 0.0

    @property
    def recall(self) -> float:
        return self.hits / (self.hits + self.misses) if self.hits + self.misses else 0.0


def accuracy(rule: Rule, planter: Planter, seeds: int) -> Counts:
    """The rule over every ground and seed: once as it is, once with the healthy twin, once with the defect."""
    counts = Counts()
    for make in GROUNDS:
        for seed in range(seeds):
            bare = _found(rule, make(Random(seed)))
            known = {_places(finding, seen) for finding, seen in bare}
            if make is clean:
                counts.alarms += len(bare)
            if planter.healthy is not None:
                ground = make(Random(seed))
                planter.healthy(ground)
                found = _found(rule, ground)
                counts.alarms += sum(_places(each, seen) - ground.inserted not in known for each, seen in found)
            ground = make(Random(seed))
            planter.plant(ground)
            if ground.is_whole and bare:  # the engine has it already: nothing can be told apart
                continue
            hit = False
            for each, seen in _found(rule, ground):
                names = _places(each, seen)
                if (ground.is_whole and not ground.planted) or ground.planted.intersection(names):
                    hit = True
                elif names - ground.inserted not in known and not ground.is_whole:
                    counts.alarms += 1
            counts.hits += hit
            counts.misses += not hit
    return counts


def _found(rule: Rule, ground: Ground) -> list[tuple[Finding, Inspected]]:
    seen = ground.inspected()
    limits = {name: limit.default for name, limit in rule.limits.items()}
    return [(each, seen) for each in rule.check(seen, limits) if isinstance(each, Finding)]


def _places(finding: Finding, seen: Inspected) -> frozenset[str]:
    return frozenset(seen.layers[seen.place_of[index]].name for index in finding.layers)
