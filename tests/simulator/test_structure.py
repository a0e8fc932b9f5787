"""Structure: groups of kernels, merged GEMMs, attention; the shipped figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.factories import layer
from tests.onnx_models import Net
from trex.core.layer import Role
from trex.core.model import Model
from trex.simulator.structure import (
    MemberCount,
    is_attention,
    is_held_out,
    is_merged,
    kept_structure,
    structure_figures,
    structure_of,
    work_groups,
)

pytest.importorskip("onnx")


@pytest.fixture
def model(tmp_path: Path) -> Model:
    """Two GEMMs of one input with a reshape, and the attention of their results."""
    net = Net()
    x = net.input("x", (8, 16))
    one, two = (net.node("MatMul", x, net.weight(16, 16), name=name) for name in ("one", "two"))
    one = net.node("Reshape", one, net.constant([8, 16]), name="reshape")
    scores = net.node("MatMul", one, net.node("Transpose", two, name="transpose", perm=[1, 0]), name="scores")
    shares = net.node("Softmax", scores, name="softmax", axis=-1)
    net.output(net.node("MatMul", shares, net.node("Add", two, two, name="twice"), name="result"))
    return net.read(tmp_path)


def test_groups_leave_out_what_does_no_work(model: Model) -> None:
    layers = [
        layer("a", origins=("one", "two", "reshape", "not a node")),
        layer("b", origins=("reshape",)),
        layer("c", origins=("softmax",), role=Role.NOOP),
        layer("d", origins=("twice",)),
        layer("d", origins=("twice",)),
    ]
    assert work_groups(layers, model) == {frozenset({"one", "two"}): 1, frozenset({"twice"}): 2}


def test_merged_gemms_and_attention_are_recognized(model: Model) -> None:
    attention = frozenset({"scores", "softmax", "result"})
    assert is_merged(frozenset({"one", "two"}), model) and not is_merged(frozenset({"one", "scores"}), model)
    assert is_attention(attention, model) and not is_merged(attention, model)
    assert not is_attention(frozenset({"softmax", "scores"}), model)


def test_a_real_engine_like_no_prediction_shares_nothing(model: Model) -> None:
    result = structure_of("net", "made", model, [layer("a", origins=tuple(model.by_name))])
    assert result.kernels[1] == 1 and result.groups.real == 1 and result.groups.equal == 0
    assert result.attentions == MemberCount(0, 1, 0)
    figures = structure_figures([result], {"other": "refused\nin detail"}, "a builder", "2026-11-23")
    assert figures["networks"][0]["groups"] == list(result.groups)
    assert figures["left_out"] == {"other": "refused"}


def test_variants_in_other_precisions_are_held_out_together() -> None:
    assert is_held_out("resnet18") == is_held_out("resnet18-qat-residual-qgap") == is_held_out("resnet18-fp16")
    kept = kept_structure()["networks"]
    assert [entry["is_held_out"] for entry in kept] == [is_held_out(entry["network"]) for entry in kept]


def test_the_shipped_figures_rest_on_many_networks() -> None:
    kept = kept_structure()
    assert len(kept["networks"]) >= 60
    assert 0.2 < sum(entry["is_held_out"] for entry in kept["networks"]) / len(kept["networks"]) < 0.5
    for entry in kept["networks"]:
        predicted, real, equal = entry["groups"]
        assert 0 <= equal <= min(predicted, real), entry["network"]
