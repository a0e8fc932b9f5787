"""Real engines to fit and to validate: those with a profile on a GPU of known rates, and those of example networks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from math import isfinite
from pathlib import Path
from statistics import median

from trex.core.counted import counted
from trex.core.data_type import DataType
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.release import Release
from trex.core.steps import in_steps
from trex.core.timings import LayerTime
from trex.perf.device import Device
from trex.perf.performance import Performance
from trex.perf.recognize import device_of, find_device
from trex.perf.work.plan_works import own_works_of
from trex.plan.engine_plan import EnginePlan
from trex.plan.gaps import do_queries_overlap, inference_streams
from trex.plan.loading import load_plan
from trex.simulator.target import Target
from trex.simulator.timing.fit import MeasuredEngine
from trex.simulator.timing.machine import Machine


def real_plans(folder: Path) -> dict[str, EnginePlan]:
    """{subfolder: its engine}. Raises TrexError if the folder does not exist or a subfolder holds no engine."""
    if not folder.is_dir():
        raise TrexError(
            f"there are no real engines at {folder}", "name a folder with one folder for each engine", str(folder)
        )
    folders = sorted(path for path in folder.iterdir() if path.is_dir())
    return {path.name: load_plan(EnginePlan, path) for path in in_steps("engine", folders)}


def measured_of(plans: dict[str, EnginePlan]) -> tuple[list[MeasuredEngine], list[str]]:
    """(engines that constants can be fitted to, one line with the reason for each of the others).

    An engine needs a profile of all its layers, times that its files do not contradict, and a GPU, named by its files
    or by the end of the folder's name, whose rates are known.
    """
    measured, left_out = [], []
    for name, plan in plans.items():
        device = device_of(plan) or _device_in_name(name)
        reason = _unusable_reason(plan, device) or ("held out of the fit to test it" if name in HELD_OUT else "")
        if reason or device is None:
            left_out.append(f"{name}: left out, {reason}")
            continue
        release = name.partition("-")[0].removeprefix("trt")
        works = own_works_of(plan)
        times = times_ms(plan.times)
        family = family_of(name)
        measured.append(
            MeasuredEngine(name, device, plan.working_layers, works, times, compute_ms(plan), release, family)
        )
    return measured, left_out


FAMILIES = ("AlexNet", "BERT", "ControlNet", "EfficientNet", "MobileNet", "ResNet", "VGG")
"""Network families: what one of them measures says little of the others."""


def family_of(name: str) -> str:
    """The family of a network or engine by its name, "" if it is none of FAMILIES."""
    return next((family for family in FAMILIES if family.lower() in name.lower()), "")


def distrust(plan: EnginePlan) -> Note | None:
    """The problem by which its times, or those of its layers, can't be believed; None without one."""
    performance = Performance(plan)
    return next(chain(performance.contradicted, performance.lost, performance.wrong_layer_times), None)


def _unusable_reason(plan: EnginePlan, device: Device | None) -> str:
    """Why constants cannot be fitted to an engine; "" if they can."""
    if not plan.is_profiled:
        return "no profile"
    if note := distrust(plan):
        return f"its times can't be trusted ({note.code})"
    if untimed := plan.times.count(None):
        return f"{untimed:,} of {counted(len(plan.times), 'layer')} without a time"
    if device is None:
        return "unknown GPU"
    try:
        Machine(device)
    except TrexError as error:
        return error.message
    return ""


def times_ms(times: Sequence[LayerTime | None]) -> list[float | None]:
    """Time of each layer, by ``LayerTime.ms``."""
    return [None if time is None else time.ms for time in times]


def compute_ms(plan: EnginePlan) -> float | None:
    """Median GPU compute time of an inference without warm-up; None without per-query times, and of queries that share
    the GPU.
    """
    queries = plan.query_times
    if queries is None or inference_streams(plan.metadata) > 1 or do_queries_overlap(queries):
        return None
    times = queries.columns.get("computeMs", ())[queries.warm_up_rows or 0 :]
    known = [time for time in times if isfinite(time) and time > 0]
    return float(median(known)) if known else None


def _device_in_name(name: str) -> Device | None:
    """The device at the end of a folder's name (``…-a10``), None if there is none."""
    try:
        return find_device(name.rpartition("-")[2])
    except TrexError:
        return None


_FP16, _INT8 = frozenset({DataType.FP16}), frozenset({DataType.FP16, DataType.INT8})
_A100, _RTX_3090, _TITAN = "A100 80GB PCIe", "RTX 3090", "TITAN RTX"
_LAPTOP = "NVIDIA GeForce RTX 3060 Laptop GPU"


@dataclass(frozen=True)
class ReferenceEngine:
    """engine: the folder's name. network: of ``trex.examples``, at this batch. device: of the build.

    release: the form of the prediction, 8.4 for older ones. allowed: types in addition to FP32. is_walk_through: one of
    the published Q/DQ walk-through, whose numbers of reformats are known: 1, 2, 12, 3 and 1.
    """

    engine: str
    network: str
    batch: int
    device: str
    release: Release
    allowed: frozenset[DataType] = frozenset()
    is_walk_through: bool = False
    knows_device: bool = True
    """Whether its GPU is known; if not, ``device`` is assumed and times are not compared."""

    @property
    def target(self) -> Target:
        return Target(find_device(self.device), self.release, self.allowed)


_8_4 = Release(8, 4)
REFERENCE_ENGINES = (
    ReferenceEngine("trt8.4-resnet18-a100-fp32", "resnet18", 32, _A100, _8_4, is_walk_through=True),
    ReferenceEngine("trt8.4-resnet18-a100-fp16", "resnet18", 32, _A100, _8_4, _FP16, True),
    ReferenceEngine("trt8.4-resnet18-a100-qat", "resnet18-qat", 32, _A100, _8_4, _INT8, True),
    ReferenceEngine("trt8.4-resnet18-a100-qat-residual", "resnet18-qat-residual", 32, _A100, _8_4, _INT8, True),
    ReferenceEngine(
        "trt8.4-resnet18-a100-qat-residual-qgap", "resnet18-qat-residual-qgap", 32, _A100, _8_4, _INT8, True
    ),
    ReferenceEngine("trt10.4-resnet18-fp16-rtx3060", "resnet18-fp16", 1, _LAPTOP, Release(10, 4), _FP16),
    ReferenceEngine("trt10.4-alexnet-fp16-rtx3060", "alexnet-fp16", 1, _LAPTOP, Release(10, 4), _FP16),
    ReferenceEngine("trt10.1-alexnet-onnx", "alexnet-fp16", 1, _LAPTOP, Release(10, 1), knows_device=False),
    ReferenceEngine("trt8.2-resnet50-rtx3090-fp32", "resnet50", 32, _RTX_3090, _8_4),
    ReferenceEngine("trt8.2-resnet50-rtx3090-fp16", "resnet50", 32, _RTX_3090, _8_4, _FP16),
    ReferenceEngine("trt8.2-resnet50-rtx3090-qat", "resnet50-qat", 32, _RTX_3090, _8_4, _INT8),
    ReferenceEngine("trt8.4-mobilenetv2-qat", "mobilenet-v2-qat", 1, _TITAN, _8_4, _INT8),
    ReferenceEngine("trt8.4-mobilenetv2-qat-residuals", "mobilenet-v2-qat-residual", 1, _TITAN, _8_4, _INT8),
    ReferenceEngine("trt10.4-mobilenetv2-fp16-rtx3060", "mobilenet-v2-fp16", 1, _LAPTOP, Release(10, 4), _FP16),
)
"""Engines whose models ``trex.examples`` rebuilds."""
HELD_OUT = frozenset({"trt10.4-mobilenetv2-fp16-rtx3060", "trt8.5-yolo-int8-names-only"})
"""Engines that no constant is fitted to, so that they test the shipped constants."""
