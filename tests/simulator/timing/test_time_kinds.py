"""Which layers share an efficiency."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.factories import gemm, layer, noop, t
from tests.simulator.timing.round_device import convolution, copy
from tests.synthetic import CASES
from trex.core.errors import TrexError
from trex.core.layer import Layer, Role
from trex.engine_plan import load
from trex.perf.work.plan_works import work_of
from trex.simulator.timing import time_kinds as kinds
from trex.simulator.timing.parameters import MEMORY_PRIORS

EVERY = {value for name, value in vars(kinds).items() if name.isupper() and isinstance(value, str)}


def kind(of: Layer, is_cuda_first: bool = False) -> str:
    return kinds.time_kind(of, work_of(of), is_cuda_first)


def test_convolutions():
    assert kind(convolution()) == kinds.CONVOLUTION
    assert kind(convolution(type="FP32", format="NCHW")) == kinds.LINEAR_CONVOLUTION
    assert kind(convolution(type="FP32", format="NHWC")) == kinds.CONVOLUTION
    assert kind(convolution(channels=3)) == kinds.FIRST_ON_TENSOR_CORES
    assert kind(convolution(channels=3), is_cuda_first=True) == kinds.FIRST_ON_CUDA_CORES
    assert kind(convolution(channels=96, out=96, groups=96)) == kinds.DEPTHWISE
    assert kind(convolution(channels=96, out=96, groups=2)) == kinds.CONVOLUTION
    assert kind(convolution(batch=1, side=1, kernel=1, channels=512, out=1000)) == kinds.GEMV


def test_matrix_products():
    wide = gemm("g", t("a", [128, 768]), t("b", [768, 3072]), t("c", [128, 3072]))
    assert kind(wide) == kinds.GEMM
    assert kind(gemm("g", t("a", [1, 768]), t("b", [768, 3072]), t("c", [1, 3072]))) == kinds.GEMV
    assert (
        kinds.time_kind(wide, replace(work_of(wide), gemm=None), False) == kinds.GEMM
    )  # unknown sizes are not few rows


def test_copies_tell_images_of_few_channels_apart():
    assert kind(copy()) == kinds.REFORMAT
    assert kind(copy(shape=(32, 3, 224, 224))) == kinds.NARROW_REFORMAT
    assert kind(copy(shape=(32, 224, 224, 3))) == kinds.REFORMAT
    moved = layer("s", "Shuffle", [t("x", [32, 224, 224, 3])], [t("y", [32, 3, 224, 224])])
    assert kind(moved) == kinds.NARROW_MOVEMENT
    assert kind(layer("s", "Shuffle", [t("x", [32, 64, 56, 56])], [t("y", [32, 56, 56, 64])])) == kinds.MOVEMENT


def test_what_launches_no_kernel():
    assert kind(noop("n", "x", "y")) == kinds.NOTHING
    assert kind(layer("c", "Constant", [], ["y"], role=Role.CONSTANT)) == kinds.NOTHING
    assert kind(layer("s", "shape_call", [], [], role=Role.SHAPE)) == kinds.HOST
    assert kind(layer("s", "TrainStation", [], [], role=Role.TRAIN_STATION)) == kinds.HOST


def test_plugins_and_what_nobody_knows():
    assert kind(layer("p", "PluginV2")) == kinds.UNKNOWN
    assert kind(layer("p", "Zorch")) == kinds.UNKNOWN
    assert kind(layer("f", "Myelin")) == kinds.REGION


@pytest.mark.parametrize("case", [case for case in CASES.values() if not case.expect.error], ids=lambda case: case.name)
def test_every_layer_of_every_engine_has_a_kind_with_an_efficiency(case, tmp_path):
    try:
        plan = load(case.write(tmp_path))
    except (TrexError, ImportError):
        pytest.skip("cannot be loaded here")
    for item in plan.working_layers:
        result = kind(item)
        assert result in EVERY
        assert result in (kinds.NOTHING, kinds.HOST) or result in MEMORY_PRIORS
