"""ONNX operations of layers: their names, what they do by these, where they stand in the model."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.factories import layer
from trex.core.layer import Role
from trex.ingest.spelling.layer_names import parse_name
from trex.plan.operations import (
    Effect,
    effect_of,
    is_stored_name,
    module_of_name,
    operation_names,
    operator_word,
    served_by,
)


def named(name: str, **more):
    return replace(layer(name, **more), name_parts=parse_name(name))


@pytest.mark.parametrize(
    "name, word",
    [
        ("/layer1/relu/Relu_1", "relu"),
        ("Conv__435", "conv"),
        ("node_Conv_12", "conv"),
        ("resnet50/conv1_conv/Conv2D__6", "conv2d"),
        ("model.layers.0.mlp.up_proj.MatMul", "matmul"),
        ("[CONVOLUTION]-[aten_ops.convolution.default]-[/conv1/convolution]", "convolution"),
        ("", ""),
        ("123", ""),
    ],
)
def test_the_operator_in_a_name(name, word):
    assert operator_word(name) == word


@pytest.mark.parametrize(
    "name, act",
    [
        ("/conv1/Conv", Effect.COMPUTES),
        ("/x/Reshape_3", Effect.VIEWS),
        ("/x/Transpose", Effect.VIEWS),
        ("QuantizeLinear_7", Effect.CONVERTS),
        ("QuantLinearNode__622", Effect.CONVERTS),
        ("/x/Cast_1", Effect.CONVERTS),
        ("whatever", Effect.COMPUTES),
    ],
)
def test_what_a_name_does(name, act):
    assert effect_of(name) is act


def test_stored_parameters_are_no_operations():
    name = "conv1.weight + QuantizeLinear_7 + Conv_9 + MaxPool_12"
    assert operation_names(named(name)) == ("QuantizeLinear_7", "Conv_9", "MaxPool_12")
    for stored in ("conv1.weight", "a/b/ReadVariableOp:0", "onnx::Conv_129", "bn/gamma"):
        assert is_stored_name(stored)
    assert not is_stored_name("/conv1/Conv")


def test_origins_go_before_the_name():
    assert operation_names(replace(named("a + b"), origins=("c", "c", "w.weight"))) == ("c",)


def test_a_reformat_holds_nothing_and_serves_another():
    reformat = named("Reformatting CopyNode for Input Tensor 0 to Conv_0 + Relu_1")
    assert operation_names(reformat) == ()
    assert served_by(reformat) == ("Conv_0", "Relu_1")
    assert served_by(named("Conv_0")) == ()


def test_both_ends_of_a_region():
    assert operation_names(named("{ForeignNode[Conv_1 + Relu_2...Add_9]}")) == ("Conv_1", "Relu_2", "Add_9")


def test_only_names_of_kernels_give_operations():
    assert operation_names(named("__mye97_0_myl0_0", role=Role.SHAPE)) == ()


def test_modules_of_names():
    assert module_of_name("/layer1/layer1.0/conv1/Conv") == "/layer1/0/conv1"
    assert module_of_name("Conv_3") == ""


def test_a_name_of_a_megabyte_is_read():
    assert operator_word("/a" * 500_000 + "/Conv_1") == "conv"
    assert not is_stored_name("x" * 1_000_000)
