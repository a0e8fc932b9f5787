"""Engines that rules look at, for their tests: ``inspect(conv(…), copy(…), ms=[0.5, 0.25])``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests import factories
from tests.factories import t
from trex.core.layer import Layer
from trex.core.metadata import Metadata
from trex.core.tensor import Tensor
from trex.core.timings import LayerTime, LayerTimes
from trex.engine_plan import load
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Finding
from trex.rules.rule import RULES

__all__ = ["conv", "copy", "findings", "inspect", "int8", "of_engine", "t", "unanswered", "work"]

SHAPE = (1, 64, 8, 8)


def int8(name: str, shape: Sequence[int] = SHAPE, format: str = "NC/32HW32") -> Tensor:
    return t(name, shape, "INT8", format)


def half(name: str, shape: Sequence[int] = SHAPE, format: str = "NC/32HW32") -> Tensor:
    return t(name, shape, "FP16", format)


def single(name: str, shape: Sequence[int] = SHAPE, format: str = "NCHW") -> Tensor:
    return t(name, shape, "FP32", format)


def named(layer: Layer, *operations: str) -> Layer:
    """The layer with the operators that its name would tell."""
    from dataclasses import replace

    return replace(layer, name_parts=replace(layer.name_parts, operations=operations))


def conv(name: str, inputs: Sequence[Tensor], output: Tensor, **keys: Any) -> Layer:
    """A convolution whose name tells its operators: ``Conv_1 + Add_2``."""
    made = factories.conv(name, inputs, [output], **{"precision": inputs[0].precision} | keys)
    return named(made, *name.split(" + "))


def copy(name: str, source: Tensor, output: Tensor, origin: str = "REFORMAT") -> Layer:
    return named(factories.layer(name, "Reformat", [source], [output], Origin=origin), name)


def work(name: str, type: str, inputs: Sequence[Tensor], output: Tensor, **keys: Any) -> Layer:
    return named(factories.layer(name, type, inputs, [output], **keys), *name.split(" + "))


def inspect(
    *layers: Layer,
    ms: Sequence[float | None] = (),
    inputs: Sequence[str] = ("x",),
    outputs: Sequence[str] = ("y",),
    **build_options: Any,
) -> Inspected:
    """The engine of these layers in this order, with their times when some are given, as rules see it."""
    engine = factories.engine(*factories.chain(*layers), inputs=inputs, outputs=outputs)
    times = None
    if ms:
        records: list[LayerTime] = [
            factories.time(layer.name, each, occurrence=layer.occurrence)
            for layer, each in zip(engine.layers, ms, strict=True)
        ]
        times = LayerTimes(tuple(records))
    options = {key.rstrip("_"): value for key, value in build_options.items()}
    return Inspected(Performance(EnginePlan(engine, times, build_metadata=Metadata(build_options=options))))


def of_engine(name: str | Path) -> Inspected:
    """A real or example engine as rules see it."""
    return Inspected(Performance(load(name)))


def answers(rule: str, seen: Inspected, **limits: float) -> list[Finding | CannotTell]:
    plug = RULES.chosen(rule).value
    own = {key: limit.default for key, limit in plug.limits.items()}
    return list(plug.check(seen, own | limits))


def findings(rule: str, seen: Inspected, **limits: float) -> list[Finding]:
    return [each for each in answers(rule, seen, **limits) if isinstance(each, Finding)]


def unanswered(rule: str, seen: Inspected, **limits: float) -> list[CannotTell]:
    return [each for each in answers(rule, seen, **limits) if isinstance(each, CannotTell)]
