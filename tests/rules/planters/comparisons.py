"""Planters of the rules that compare with a baseline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from tests.factories import layer, t
from tests.rules.inspections import work
from tests.rules.planted import KERNEL, Ground, Plant, Planter
from tests.rules.planters.parts import Parts
from trex.core.tensor import Tensor


def against(change: Callable[[Ground, Ground, int], None]) -> Plant:
    """A baseline, and a change of one layer of a copy of it. The measurement is sound."""

    def plant(ground: Ground) -> None:
        ground.baseline = replace(ground, layers=list(ground.layers), ms=dict(ground.ms), planted=set())
        ground.ms = {name: ms * ground.noise(0.002) for name, ms in ground.ms.items()}
        change(ground, ground.baseline, ground.random.choice(ground.edges()))
        ground.trace = [ground.total_ms * (1 + 0.002 * (ground.random.random() - 0.5)) for _ in range(300)]

    return plant


def later(ms: float, factor: float) -> float:
    """So many times as long, and longer by what the timer can tell: 20 µs."""
    return max(ms * factor, ms + 0.02) if factor > 1.05 else ms * factor


def slower(factor: float) -> Callable[[Ground, Ground, int], None]:
    def change(ground: Ground, baseline: Ground, place: int) -> None:
        name = ground.layers[place].name
        ground.ms[name] = later(baseline.ms[name], factor)
        if factor > 1.05:
            ground.planted.add(name)

    return change


def split(ground: Ground, baseline: Ground, place: int) -> None:
    layer = ground.layers[place]
    inner = replace(layer.outputs[0], name="inner901")
    operations = tuple(layer.name.split(" + "))
    first = replace(
        layer, outputs=(inner,), name_parts=replace(layer.name_parts, operations=operations[:1] or (layer.name,))
    )
    second = replace(work("split902", "PointWise", [inner], layer.outputs[0]), origins=layer.origins)
    second = replace(second, name_parts=replace(second.name_parts, operations=first.name_parts.operations))
    ground.layers[place : place + 1] = [first, second]
    ground.ms["split902"] = 0.5 * ground.ms[layer.name]
    ground.planted |= {layer.name, "split902"}


def widened(ground: Ground, baseline: Ground, place: int) -> None:
    layer = ground.layers[place]
    wide = replace(layer.compute, data_type=t("z", type="FP32").data_type, confidence=0.9)
    ground.layers[place] = replace(layer, compute=wide)
    ground.ms[layer.name] *= 2.0
    ground.planted.add(layer.name)


def rekerneled(factor: float) -> Callable[[Ground, Ground, int], None]:
    def change(ground: Ground, baseline: Ground, place: int) -> None:
        baseline.layers[place] = replace(baseline.layers[place], tactic=KERNEL)
        layer = ground.layers[place]
        ground.layers[place] = replace(layer, tactic=KERNEL.replace("128x64x32", "64x32x32"))
        ground.ms[layer.name] = later(baseline.ms[layer.name], factor)
        if factor > 1.05:
            ground.planted.add(layer.name)

    return change


def eight_bit_attention(factor: float) -> Plant:
    def made(type_: str) -> Callable[[Tensor], Parts]:
        shape = (8, 12, 128, 64)
        kernel = f"fmha_v2_flash_attention_{'int8' if type_ == 'INT8' else 'fp16'}_64_32_S_64_sm80"
        inputs = [t(name, shape, type_) for name in ("q901", "k901", "v901")]

        def make(x: Tensor) -> Parts:
            return [
                (layer("split900", "kgen", [x], inputs), 0.01),
                (layer("/attn901", "kgen", inputs, [t("m901", shape, type_)], tactic=kernel), 0.2),
            ]

        return make

    def plant(ground: Ground) -> None:
        seed = ground.random.random()
        base = replace(
            ground, layers=list(ground.layers), ms=dict(ground.ms), outputs=list(ground.outputs), planted=set()
        )
        base.random, ground.random = Random(seed), Random(seed)
        base.insert(made("FP16"))
        ground.insert(made("INT8"), False)
        ground.ms["/attn901"] = base.ms["/attn901"] * factor
        ground.baseline = base
        if factor > 1.05:
            ground.planted.add("/attn901")

    return plant


PLANTERS: dict[str, Planter] = {
    "slower-than-baseline": Planter(against(slower(1.5)), against(slower(1.003))),
    "lost-fusion": Planter(against(split), against(slower(1.003))),
    "raised-precision": Planter(against(widened), against(slower(1.5))),
    "other-kernel": Planter(against(rekerneled(1.5)), against(rekerneled(0.98))),
    "slower-quantized-attention": Planter(eight_bit_attention(3.0), eight_bit_attention(0.5)),
}
