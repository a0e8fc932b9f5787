"""Swarms of tiny kernels."""

from __future__ import annotations

from tests.factories import layer, noop
from tests.rules.cases import findings, on_round_device, plan_of, unchecked
from tests.rules.planting import Ground, Parts, Plant, Planter, like
from trex.core.layer import Layer
from trex.core.tensor import Tensor
from trex.rules.finding import Severity

RULE = "tiny-kernels"


def swarm(number: int) -> list[Layer]:
    return [layer(f"l{place}", inputs=[f"t{place}"], outputs=[f"t{place + 1}"]) for place in range(number)]


def test_a_swarm():
    # Twelve of 3 µs and one of 50: 34 of 84 µs. What fewer launches save, no layer's time shows.
    (found,) = findings(RULE, on_round_device(*swarm(13), ms=[0.003] * 11 + [0.001, 0.050]))
    assert not found.savings and found.severity is None
    assert "12 of 13 kernels" in found.message and "CUDA graph" in found.fix[0]


def test_a_run_with_a_cuda_graph_needs_none():
    kernels = swarm(13)
    records = [{"Name": kernel.name, "LayerType": "SoftMax"} for kernel in kernels]
    plan = plan_of(records, {kernel.name: 0.003 for kernel in kernels}, run={"CUDA Graph": "Enabled"})
    (found,) = findings(RULE, plan)
    assert not any("CUDA graph" in step for step in found.fix) and found.severity is Severity.NOTE


def test_few_or_cheap_ones_are_fine():
    assert not findings(RULE, on_round_device(*swarm(9), ms=[0.003] * 9))
    assert not findings(RULE, on_round_device(*swarm(13), ms=[0.003] * 12 + [1.0]))
    assert not findings(RULE, on_round_device(*swarm(13), ms=[0.02] * 13))


def test_what_launches_nothing_is_no_kernel():
    views = [noop(f"n{place}", f"a{place}", f"b{place}") for place in range(12)]
    assert not findings(RULE, on_round_device(*views, layer("a"), ms=[0.001] * 12 + [0.02]))


def test_without_times():
    assert unchecked(RULE, on_round_device(*swarm(13))) and not findings(RULE, on_round_device(*swarm(13)))


# ---- The defect that tests plant into engines, and its sound twin


def planted_swarm(bad: bool) -> Plant:
    def make(x: Tensor) -> Parts:
        wires = [x, *(like(x, f"w{900 + n}") for n in range(14))]
        return [(layer(f"tiny{900 + n}", "Softmax", [wires[n]], [wires[n + 1]]), 0.01) for n in range(14)]

    def plant(ground: Ground) -> None:
        ground.insert(make, bad)
        for name in [name for name in ground.ms if name.startswith("tiny")]:
            ground.ms[name] = (0.003 if bad else 0.05) * ground.noise()
        shrink = 0.1 / ground.total_ms if bad else 1.0  # so that they are a part of the time worth telling
        ground.ms = {name: ms if name.startswith("tiny") else ms * shrink for name, ms in ground.ms.items()}

    return plant


PLANTER = Planter(planted_swarm(True), planted_swarm(False))
