"""Total MACs per image of published networks, as their authors and the model zoos give them."""

from __future__ import annotations

from pathlib import Path

import pytest

import trex
from tests.simulated_examples import load_simulated
from tests.synthetic.engines import synthetic_engine
from trex.perf.performance import Performance

# ResNet-18 1.8 G: He et al., "Deep Residual Learning", table 1. MobileNet-v2 300 M: Sandler et al., table 4.
# AlexNet 0.71 G: torchvision's one-tower AlexNet (Krizhevsky 2014), as its model page gives it.
# ResNet-50 3.8 G: He et al., table 1, stride 2 in the first 1×1 convolution of a stage, as Keras builds it ("v1"). The
# 4.1 G of torchvision's page are of "v1.5", whose stride is in the 3×3 convolution: see the test below.
PUBLISHED = {
    "trt8.4-resnet18-a100-fp32": 1.8e9,
    "trt8.4-resnet18-a100-fp16": 1.8e9,
    "trt8.4-resnet18-a100-qat": 1.8e9,
    "trt8.4-resnet18-a100-qat-residual": 1.8e9,
    "trt8.4-resnet18-a100-qat-residual-qgap": 1.8e9,
    "trt10.1-resnet18-torchtrt": 1.8e9,
    "trt10.4-resnet18-fp16-rtx3060": 1.8e9,
    "trt8.4-mobilenetv2-qat": 0.30e9,
    "trt8.4-mobilenetv2-qat-residuals": 0.30e9,
    "trt10.1-alexnet-onnx": 0.71e9,
    "trt10.4-alexnet-fp16-rtx3060": 0.71e9,
    "trt8.2-resnet50-rtx3090-fp16": 3.8e9,
    "trt8.2-resnet50-rtx3090-fp32": 3.8e9,
    "trt8.2-resnet50-rtx3090-qat": 3.8e9,
}


def macs_of(plan: trex.EnginePlan) -> float:
    """MACs of all layers; all must be known."""
    known = [work.macs for work in Performance(plan).works]
    assert None not in known
    return sum(macs for macs in known if macs is not None)


def batch_of(plan: trex.EnginePlan) -> int:
    shape = plan.binding_tensors()[0][0].shape
    assert shape and shape[0]
    return shape[0]


@pytest.mark.parametrize("name", PUBLISHED)
def test_total_macs_are_the_published_ones(shared_engines: Path, name: str):
    plan = trex.load(shared_engines / name)
    assert macs_of(plan) / batch_of(plan) == pytest.approx(PUBLISHED[name], rel=0.02)


def test_stride_in_the_window_of_three_makes_it_version_one_and_a_half(shared_engines: Path):
    """With stride 2 moved from the first 1×1 convolution of a stage to its 3×3 one, the total is 4.1 G.

    Moved, the first 1×1 convolution of stages 3 to 5 goes over four times the positions: three times its MACs
    come on top. They are 28·28·128·256, 14·14·256·512 and 7·7·512·1024, 25.69 M each.
    """
    plan = trex.load(shared_engines / "trt8.2-resnet50-rtx3090-fp32")
    macs = macs_of(plan) / 32
    moved = 3 * (28 * 28 * 128 * 256 + 14 * 14 * 256 * 512 + 7 * 7 * 512 * 1024)
    assert macs + moved == pytest.approx(4.1e9, rel=0.02)


@pytest.mark.parametrize("name", ["resnet18-fp16", "resnet18-int8", "resnet18-int8-residual"])
def test_example_engines_have_the_published_total(name: str):
    plan = load_simulated(name)
    assert macs_of(plan) / batch_of(plan) == pytest.approx(1.8e9, rel=0.02)


def test_the_synthetic_transformer_has_the_published_total():
    """DeiT-small: 4.6 G (Liu et al., "Swin Transformer", table 1); ours has a token and a head more."""
    plan = synthetic_engine("transformer-fp16")
    assert macs_of(plan) / batch_of(plan) == pytest.approx(4.6e9, rel=0.02)
