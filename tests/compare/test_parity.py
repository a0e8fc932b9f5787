"""Whether two runs are comparable: the severity of differences, and unknown settings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.factories import conv, engine, t
from trex.compare.parity import Parity, parity_of
from trex.compare.run_settings import SettingSeverity
from trex.core.metadata import Metadata
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan

RUN = {"Inference Streams": "1", "CUDA Graph": "Enabled", "Spin-wait": "Enabled", "Data transfers": "Disabled"}
GPU = {"Selected Device": "NVIDIA A100", "SMs": "108", "Compute Clock Rate": "1.41 GHz"}
SMALL = engine(conv("a", [t("x", [1, 8, 4, 4])], [t("y", [1, 8, 4, 4])]), inputs=["x"], outputs=["y"])


def run(options: dict[str, Any] | None = None, device: dict[str, Any] | None = None, **more: Any) -> Performance:
    metadata = Metadata(inference_options=RUN if options is None else options, device=GPU if device is None else device)
    return Performance(EnginePlan(SMALL, metadata=replace(metadata, **more)))


def weights(parity: Parity) -> dict[str, SettingSeverity]:
    return {each.name: each.severity for each in parity.differences}


def test_one_run_compared_with_itself():
    found = parity_of(run(), run())
    assert {each.severity for each in found.differences} == {SettingSeverity.UNKNOWN}
    assert found.is_comparable is True and found.refusals == ()
    assert "GPU: NVIDIA A100" in found.matching and "CUDA graph: on" in found.matching


@pytest.mark.parametrize(
    "what, left, right, weight",
    [
        ("GPU", run(), run(device=GPU | {"Selected Device": "NVIDIA L4"}), SettingSeverity.CRITICAL),
        ("SMs", run(), run(device=GPU | {"SMs": "42"}), SettingSeverity.CRITICAL),
        ("max clock (GHz)", run(), run(device=GPU | {"Compute Clock Rate": "1.2 GHz"}), SettingSeverity.CRITICAL),
        ("CUDA graph", run(), run(RUN | {"CUDA Graph": "Disabled"}), SettingSeverity.CRITICAL),
        ("spin wait", run(), run(RUN | {"Spin-wait": "Disabled"}), SettingSeverity.MINOR),
        ("inference streams", run(), run(RUN | {"Inference Streams": "2"}), SettingSeverity.CRITICAL),
        (
            "optimization profile",
            run(RUN | {"Optimization Profile Index": "0"}),
            run(RUN | {"Optimization Profile Index": "1"}),
            SettingSeverity.CRITICAL,
        ),
        (
            "weight streaming budget",
            run(RUN | {"Weight Streaming Budget": "40.000000%"}),
            run(RUN | {"Weight Streaming Budget": "100.000000%"}),
            SettingSeverity.CRITICAL,
        ),
        ("TensorRT", run(tensorrt_version="10.4.0"), run(tensorrt_version="8.6.1"), SettingSeverity.CRITICAL),
        (
            "input shapes",
            run(RUN | {"Input inference shape": "x=1x8x4x4"}),
            run(RUN | {"Input inference shape": "x=2x8x4x4"}),
            SettingSeverity.CRITICAL,
        ),
        (
            "driver",
            run(device=GPU | {"Driver Version": "550"}),
            run(device=GPU | {"Driver Version": "560"}),
            SettingSeverity.MINOR,
        ),
    ],
)
def test_severity_of_each_setting(what, left, right, weight):
    found = parity_of(left, right)
    assert weights(found)[what] is weight
    assert [each.name for each in found.differences if each.severity is not SettingSeverity.UNKNOWN] == [what]
    assert found.is_comparable is (weight is not SettingSeverity.CRITICAL)


def test_clocks_within_one_percent_match():
    assert parity_of(run(), run(device=GPU | {"Compute Clock Rate": "1.415 GHz"})).is_comparable is True


def test_a_gpu_by_another_spelling_matches():
    left, right = (run(device=GPU | {"Selected Device": name}) for name in ("NVIDIA A100-SXM4-80GB", "A100 80GB"))
    assert parity_of(left, right).is_comparable is parity_of(right, left).is_comparable is True


def test_unknown_settings_do_not_match():
    found = parity_of(run(), run(device={}))
    gpu = next(each for each in found.differences if each.name == "GPU")
    assert (gpu.left, gpu.right, gpu.severity) == ("NVIDIA A100", None, SettingSeverity.UNKNOWN)
    assert found.is_comparable is None
    assert [each.name for each in found.refusals] == ["GPU"]
    assert parity_of(run(device={}), run(device={})).is_comparable is None


def test_precision_is_a_build_option():
    left, right = run(), run()
    left.plan.build_metadata = Metadata(build_options={"Precision": "FP32", "Save engine": "a.engine"})
    right.plan.build_metadata = Metadata(build_options={"Precision": "FP32+FP16", "Save engine": "b.engine"})
    found = parity_of(left, right)
    choices = found.of(SettingSeverity.BUILD)
    assert [(each.name, each.left, each.right) for each in choices] == [
        ("build option Precision", "FP32", "FP32+FP16"),
    ]
    assert found.is_comparable is True


def test_shapes_come_from_the_engine_if_not_recorded():
    assert "input shapes: 1x8x4x4" in parity_of(run(), run(RUN | {"Input inference shape": "x=1x8x4x4"})).matching


def test_a_graph_without_times_has_no_origin():
    """A graph alone was neither measured nor predicted."""
    bare = Performance(EnginePlan(SMALL))
    assert weights(parity_of(bare, bare))["origin of times"] is SettingSeverity.UNKNOWN


def test_two_inputs_with_each_others_shape_are_other_shapes():
    """As the query and the key of an attention."""
    one, other, renamed = (
        run(RUN | {"Input inference shape": shapes}) for shapes in ("a=32x8,b=4x8", "a=4x8,b=32x8", "c=4x8,d=32x8")
    )
    assert weights(parity_of(one, other))["input shapes"] is SettingSeverity.CRITICAL
    assert "input shapes" not in weights(parity_of(one, renamed))
