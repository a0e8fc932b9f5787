"""Engines with one planted defect, and their sound twins: what each rule must find, and what it must not.

``GROUNDS`` makes the engines that defects are planted into. Each rule's test file in ``tests/rules/builtin`` has the
rule's ``PLANTER``. The planter knows what it planted; nothing here asks a rule how it decides.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from math import prod
from random import Random
from typing import Any

from tests import factories
from tests.factories import t
from tests.perf.round_device import round_device
from tests.rules.cases import conv, copy, work
from tests.simulated_examples import load_simulated
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
from trex.ingest.graph_json import engine_from_records
from trex.perf.device import Device
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Finding
from trex.rules.rule import Rule

KERNEL = "sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x64x32_stage5_g1_tensor16x8x16"
DEVICE = round_device(compute_capability=(8, 0))


@dataclass
class Ground:
    """An engine that may be changed before it is built. planted: names of the layers at which a finding is right.
    inserted: of all inserted layers. is_whole: the defect is one of the engine or its measurement, not of layers.
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

    def analyzed(self) -> AnalyzedEngine:
        return AnalyzedEngine(Performance(self.plan(), self.device))


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
    plan = load_simulated("resnet18-fp16")
    layers = list(plan.engine.layers)
    ms = {
        layer.name: time.average_ms
        for layer, time in zip(plan.working_layers, plan.times)
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
    """plant: plants the defect. sound: plants something similar that is sound, None if nothing is."""

    plant: Plant
    sound: Plant | None = None


def planter_of(rule: str) -> Planter:
    """The ``PLANTER`` of the rule's test file."""
    planter = import_module(f"tests.rules.builtin.test_{rule.replace('-', '_')}").PLANTER
    assert isinstance(planter, Planter), f"{rule}: PLANTER is no Planter"
    return planter


@dataclass
class Counts:
    """hits: defects found. misses: not found. alarms: findings at sound layers."""

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
    """The rule over every ground and seed: once unchanged, once with the sound twin, once with the defect."""
    counts = Counts()
    for make in GROUNDS:
        for seed in range(seeds):
            unchanged = _findings_at(rule, make(Random(seed)))
            if make is clean:
                counts.alarms += len(unchanged)
            if planter.sound is not None:
                ground = make(Random(seed))
                planter.sound(ground)
                counts.alarms += sum(names - ground.inserted not in unchanged for names in _findings_at(rule, ground))
            ground = make(Random(seed))
            planter.plant(ground)
            if ground.is_whole and unchanged:  # the engine has the defect already
                continue
            is_hit = False
            for names in _findings_at(rule, ground):
                if (ground.is_whole and not ground.planted) or ground.planted.intersection(names):
                    is_hit = True
                elif names - ground.inserted not in unchanged and not ground.is_whole:
                    counts.alarms += 1
            counts.hits += is_hit
            counts.misses += not is_hit
    return counts


def _findings_at(rule: Rule, ground: Ground) -> list[frozenset[str]]:
    """Per finding, the names of its layers."""
    engine = ground.analyzed()
    limits = {name: limit.default for name, limit in rule.limits.items()}
    return [
        frozenset(engine.layers[engine.position_of[index]].name for index in report.layers)
        for report in rule.check(engine, limits)
        if isinstance(report, Finding)
    ]


# ---- Parts of defects

Parts = Sequence[tuple[Layer, float]]


def like(x: Tensor, name: str, type_: str = "FP16", format_: str = "NHWC8") -> Tensor:
    return t(name, x.shape, type_, format_)


def int8_like(x: Tensor, name: str) -> Tensor:
    return like(x, name, "INT8", "NC/32HW32")


def half_like(x: Tensor, name: str) -> Tensor:
    return like(x, name, "FP16", "NC/32HW32")


def single_like(x: Tensor, name: str) -> Tensor:
    return t(name, x.shape, "FP32")


def inserted(make: Callable[[Tensor], Parts]) -> Plant:
    return lambda ground: ground.insert(make)


def sound(make: Callable[[Tensor], Parts]) -> Plant:
    return lambda ground: ground.insert(make, is_planted=False)


def pair(make: Callable[[Tensor, bool], Parts]) -> Planter:
    """make(tensor, has_defect) → the layers, for the defect and for its sound twin."""
    return Planter(inserted(lambda x: make(x, True)), sound(lambda x: make(x, False)))


def whole(change: Callable[[Ground], None]) -> Plant:
    """A defect of the engine or of its measurement, not of a layer."""

    def plant(ground: Ground) -> None:
        change(ground)
        ground.is_whole = True

    return plant


def quantized(x: Tensor, body: Callable[[Tensor], Parts]) -> Parts:
    """Into INT8, what is between, and back to a convolution in half precision."""
    entry = int8_like(x, "q901")
    inner = list(body(entry))
    last = inner[-1][0].outputs[0]
    back = copy("DequantizeLinear_998", last, like(x, "dq998"), "QDQ")
    after = conv("Conv_999", [like(x, "dq998")], like(x, "e999"), tactic=KERNEL)
    return [(copy("QuantizeLinear_901", x, entry, "QDQ"), 0.02), *inner, (back, 0.02), (after, 0.05)]


def residual_add(x: Tensor, bad: bool) -> Parts:
    def body(q: Tensor) -> Parts:
        kind = half_like if bad else int8_like
        parts = [
            (conv("Conv_902", [q], kind(x, "r902")), 0.05),
            (conv("Conv_903 + Add_904 + Relu_905", [q, kind(x, "r902")], kind(x, "s905")), 0.06),
        ]
        if bad:
            parts.append((copy("QuantizeLinear_906", half_like(x, "s905"), int8_like(x, "q906"), "QDQ"), 0.02))
        return [*parts, (conv("Conv_907", [int8_like(x, "q906" if bad else "s905")], int8_like(x, "c907")), 0.05)]

    return quantized(x, body)


def float_layers(x: Tensor, bad: bool) -> Parts:
    def body(q: Tensor) -> Parts:
        first = (conv("Conv_902", [q], int8_like(x, "a902")), 0.05)
        if not bad:
            return [first, (conv("Conv_905", [int8_like(x, "a902")], int8_like(x, "e905")), 0.05)]
        return [
            first,
            (copy("DequantizeLinear_903", int8_like(x, "a902"), half_like(x, "b903"), "QDQ"), 0.02),
            (work("Sigmoid_904", "PointWise", [half_like(x, "b903")], half_like(x, "c904")), 0.03),
            (copy("QuantizeLinear_905", half_like(x, "c904"), int8_like(x, "d905"), "QDQ"), 0.02),
            (conv("Conv_906", [int8_like(x, "d905")], int8_like(x, "e906")), 0.05),
        ]

    return quantized(x, body)


def single_layers(x: Tensor, bad: bool) -> Parts:
    if not bad:
        return [(work("Sigmoid_902", "PointWise", [x], like(x, "c902")), 0.05)]
    return [
        (copy("Cast_901", x, single_like(x, "b901"), "CAST"), 0.03),
        (work("Softmax_902", "SoftMax", [single_like(x, "b901")], single_like(x, "c902")), 0.15),
        (copy("Cast_903", single_like(x, "c902"), like(x, "d903"), "CAST"), 0.03),
    ]


def layout_detour(x: Tensor, bad: bool) -> Parts:
    if not bad:
        return [(work("Norm_902", "Normalization", [x], like(x, "c902")), 0.05)]
    rows = like(x, "b901", format_="NCHW"), like(x, "c902", format_="NCHW")
    return [
        (copy("Reformat_901", x, rows[0]), 0.03),
        (work("Norm_902", "PluginV2", [rows[0]], rows[1], PluginType="Norm_TRT"), 0.02),
        (copy("Reformat_903", rows[1], like(x, "d903")), 0.03),
    ]


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


def shape_profile(factor: int, wide: int) -> Callable[[Ground], None]:
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
