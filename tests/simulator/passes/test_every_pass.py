"""All passes over random networks: after each one every tensor is written before it is read, once, and none is lost."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from tests.simulator.models import target
from tests.simulator.passes.written import network, sound
from trex.core.data_type import DataType
from trex.core.model import Model
from trex.core.release import Release
from trex.simulator.builder import PASSES, build, passes_in_order
from trex.simulator.draft import NetworkDraft
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.initial_draft import initial_draft
from trex.simulator.target import Target

_STORED = "w: 8x8x3x3\n v: 8x8x1x1\n g: 8x1x3x3\n k: 8x1x1\n n: 8\n s: = 0.5\n t: = 0.25\n low: = 0\n high: = 6\n"
_PADS = "pads: = 0 0 0 0 0 0 0 0\n"
_ONE = (
    "Relu {a}", "Sigmoid {a}", "Clip {a} low high", "Identity {a}", "Conv {a} w | pads=(1,1,1,1)", "Conv {a} v",
    "Conv {a} g | pads=(1,1,1,1) group=8", "BatchNormalization {a} n n n n", "Add {a} k", "Mul {a} s", "Pad {a} pads",
    "Transpose {a} | perm=(0,1,3,2)", "Transpose {a} | perm=(0,1,2,3)", "Softmax {a} | axis=1", "Dropout {a}",
)  # fmt: skip
_TWO = ("Add {a} {b}", "Mul {a} {b}", "Add {a} {b}", "Sum {a} {b}")
_TARGETS = (
    target("A100", DataType.FP16, DataType.INT8, release=Release(8, 4)),
    target("T4", DataType.INT8, release=Release(8, 6)),
    target("H100", DataType.BF16, DataType.INT8),
    replace(target("L4"), strongly_typed=True),
)


def random_network(seed: int, length: int = 40) -> Model:
    random = Random(seed)
    names = ["x"]
    text = [_STORED, _PADS]
    for index in range(length):
        name = f"v{index}"
        operands = {"a": random.choice(names[-6:]), "b": random.choice(names[-6:])}
        kind = random.random()
        if kind < 0.3:
            scale = random.choice("sst")
            weights = random.random() < 0.5
            text.append(f"{name}q = QuantizeLinear {operands['a']} {scale}")
            text.append(f"{name}d = DequantizeLinear {name}q {scale}")
            if weights:
                stored = random.choice("wv")
                text.append(f"{name}wq = QuantizeLinear {stored} s")
                text.append(f"{name}wd = DequantizeLinear {name}wq s")
                text.append(
                    f"{name} = Conv {name}d {name}wd | pads={(1,) * 4 if stored == 'w' else (0,) * 4}".replace(
                        ", ", ","
                    )
                )
            else:
                text.append(f"{name} = {random.choice(('Relu', 'Tanh', 'Identity'))} {name}d")
        else:
            text.append(f"{name} = " + random.choice(_ONE if kind < 0.7 else _TWO).format(**operands))
        names.append(name)
    text.append(f"both = Concat {names[-1]} {names[-2]} | axis=1")
    text += [
        "bq = QuantizeLinear both s",
        "bd = DequantizeLinear bq s",
        "small = MaxPool bd",
        "end = AveragePool small",
    ]
    outputs = ["end", *random.sample(names[1:], 2)]
    return network("\n".join(text), " ".join(dict.fromkeys(outputs)))


@pytest.mark.parametrize("number", range(len(_TARGETS)))
@pytest.mark.parametrize("seed", range(12))
def test_every_tensor_is_written_once_before_it_is_read(seed: int, number: int) -> None:
    draft = initial_draft(random_network(seed), _TARGETS[number])
    for plug in passes_in_order():
        editor = DraftEditor(draft, plug.name)
        plug.value.edit(editor)
        draft = editor.done()
        try:
            sound(draft)
        except AssertionError as error:
            raise AssertionError(f"after {plug.name}: {error}") from None
    _are_served(draft)


def _are_served(draft: NetworkDraft) -> None:
    """In the end every step reads its tensors in the types and layouts that it wants."""
    for step in draft.steps:
        wanted = step.facts.get("reads", ())
        for name, slot in zip(step.inputs, wanted, strict=False):
            assert (draft.type_of(name), draft.format_of(name)) == tuple(slot), f"{step.label} reads {name}"
    for value in (*draft.model.inputs, *draft.model.outputs):
        assert draft.type_of(value.name) is value.data_type
        assert draft.format_of(value.name).layout == "linear"


@pytest.mark.parametrize("of", _TARGETS[:2])
def test_a_prediction_is_the_same_each_time(of: Target) -> None:
    model = random_network(3)
    assert build(model, of) == build(model, of)


def test_orders_are_apart_and_none_is_broken() -> None:
    orders = [plug.value.order for plug in passes_in_order()]
    assert len(orders) == len(set(orders))
    assert not PASSES.broken


@pytest.mark.parametrize("plug", passes_in_order(), ids=lambda plug: plug.name)
def test_a_pass_tells_what_it_does_by_which_rule(plug: object) -> None:
    doc = plug.doc
    indexes = [doc.find(heading) for heading in ("What it does: ", "The rule: ", "What it leaves out: ")]
    assert -1 not in indexes
    assert indexes == sorted(indexes)


def test_no_network_is_none() -> None:
    draft = build(Model((), {}), _TARGETS[0])
    assert draft.steps == ()
