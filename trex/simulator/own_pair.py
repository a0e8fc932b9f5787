"""A user's own pair: an engine with measured times, and what is predicted from the ONNX model that it was built from.

The error of a prediction has two parts: the predicted engine differs from the real one (structure), and the times of
its layers are wrong (times). The time model is therefore also applied to the layers of the real engine:

    structure = predicted time of the predicted layers − predicted time of the real layers
    times     = predicted time of the real layers − measured time

All of them are sums of layer times as TensorRT's profiler measures them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from trex.core.counted import counted
from trex.core.data_type import DataType
from trex.core.errors import TrexError
from trex.core.layer import Role
from trex.core.model import Model
from trex.core.printable import shell_word
from trex.core.release import Release, release_from_text
from trex.core.shape import Shape, is_static
from trex.ingest.onnx_model import input_shapes, read_model
from trex.perf.device import Device
from trex.perf.recognize import device_of
from trex.perf.work.from_model import OTHER_WORK, UNUSED, model_works_of
from trex.perf.work.plan_works import own_works_of
from trex.perf.work.work import Work
from trex.plan.engine_plan import EnginePlan
from trex.simulator.builder import build
from trex.simulator.groups import groups_of_layers
from trex.simulator.kernel_times import kernel_times
from trex.simulator.real_engines import compute_ms, distrust, times_ms
from trex.simulator.target import DEFAULT_RELEASE, OLDEST, Target, simulated_release
from trex.simulator.timing.intervals import is_judged
from trex.simulator.timing.prediction import Inference, Prediction, inference_of, predict
from trex.simulator.validation import RealEngine, Validation, compared

EARLIEST, FOR_RTX = Release(*OLDEST), Release(11, 0)
LEAST_NAMED = 0.2
"""With a smaller share of kernels named by its operators, a model is taken for another engine's."""
_LOWER = (DataType.FP16, DataType.BF16, DataType.INT8, DataType.FP8)
_EXPORT_AGAIN = "export the graph, the profile and the times of queries of one run again, and keep its log with them"
_TO_DEVICE = "name the GPU it was measured on: --device NAME (`trex devices` lists names)"


@dataclass(frozen=True)
class WorkError:
    """One kind of work. layers: (predicted, real). predicted_ms: of the predicted layers. on_real_layers_ms: predicted
    for the real layers. measured_ms: of the real layers, None if one has no time. is_judged: whether measured
    engines of trex have judged it.
    """

    work: str
    layers: tuple[int, int]
    predicted_ms: float
    on_real_layers_ms: float
    measured_ms: float | None
    is_judged: bool


@dataclass(frozen=True)
class OwnPair:
    """validation: structure, times, and whether GPU compute lies in the error bar. measured_ms: GPU compute, None
    without times of queries. inference: the predicted one. works: largest error first. target: assumed. knows_release:
    whether its TensorRT is reported or named. reported_device: as its files report, "" if they do not.
    """

    validation: Validation
    target: Target
    measured_ms: float | None
    inference: Inference
    works: tuple[WorkError, ...]
    knows_release: bool
    reported_device: str = ""

    @property
    def figures(self) -> dict[str, Any]:
        """For programs."""
        return {
            "engine": self.validation.engine,
            "device": self.target.device.name,
            "release": str(self.target.release),
            "knows_release": self.knows_release,
            "reported_device": self.reported_device,
            "types": sorted(kind.label for kind in self.target.allowed),
            "strongly_typed": self.target.strongly_typed,
            "measured_ms": self.measured_ms,
            "predicted_ms": self.inference.compute_ms,
            "from_ms": self.inference.low_ms,
            "to_ms": self.inference.high_ms,
            "unjudged": dict(self.inference.unjudged),
            "validation": asdict(self.validation),
            "works": [asdict(work) for work in self.works],
        }


def own_pair(plan: EnginePlan, model_path: str, device: Device | None = None, as_release: str = "") -> OwnPair:
    """Compares an engine with its prediction by the constants of the package. device: the GPU that measured it,
    as_release: the TensorRT that built it, both by default as its files report.

    Raises TrexError for an engine without measured times that can be trusted, on an unknown GPU, with open shapes, and
    for a model that it was not built from.
    """
    _require_measured_times(plan)
    target = target_of(plan, device, as_release)
    _require_its_inputs(target, model_path)
    model = read_model(model_path, dict(target.shapes))
    _require_its_operators(plan, model, model_path)
    own_works = own_works_of(plan)
    _require_its_work(plan, own_works, model_path)
    draft = build(model, target)
    real = RealEngine(plan.engine.layers, times_ms(plan.all_times), compute_ms(plan))
    prediction = kernel_times(draft).kernels
    on_real = predict(plan.working_layers, target.device, own_works)
    works = _works(prediction, on_real, times_ms(plan.times))
    validation = compared(plan.name, draft, model, real)
    knows_release = bool(as_release or plan.tensorrt_version)
    reported = device_of(plan)
    return OwnPair(
        validation,
        target,
        real.compute_ms,
        inference_of(prediction),
        works,
        knows_release,
        "" if reported is None else reported.name,
    )


def target_of(plan: EnginePlan, device: Device | None, as_release: str = "") -> Target:
    """The GPU, release, types and shapes that an engine was built for, as its files report; types that it computes in
    where they do not report the allowed ones.
    """
    device = device or device_of(plan)
    if device is None:
        raise TrexError("the engine's files do not name the GPU", _TO_DEVICE, plan.name)
    release = simulated_release(as_release) if as_release else _reported_release(plan)
    option = str(plan.builder_cfg.get("Precision", ""))
    labels = set(option.split("+")) if option else {layer.compute.data_type.label for layer in plan.working_layers}
    allowed = frozenset(kind for kind in _LOWER if kind.label in labels)
    is_strong = option == "Strongly Typed" or release.major >= 11
    return Target(device, release, frozenset() if is_strong else allowed, is_strong, _shapes(plan))


def _reported_release(plan: EnginePlan) -> Release:
    """TensorRT for RTX builds as TensorRT 11 does."""
    if plan.is_for_rtx:
        return FOR_RTX
    return max(release_from_text(plan.tensorrt_version) or DEFAULT_RELEASE, EARLIEST)


def _shapes(plan: EnginePlan) -> dict[str, Shape]:
    shapes = {
        binding.name: binding.tensor.shape
        for binding in plan.engine.bindings
        if binding.is_input and binding.tensor is not None and binding.tensor.shape is not None
    }
    opened = [name for name, shape in shapes.items() if not is_static(shape)]
    if opened:
        raise TrexError(
            f"can't predict: the engine has an open shape of {', '.join(opened)}",
            f"measure an engine of one shape: --shapes={shell_word(opened[0])}:1x3x224x224",
            plan.name,
        )
    return {name: tuple(size or 0 for size in shape) for name, shape in shapes.items()}


def _require_measured_times(plan: EnginePlan) -> None:
    if not plan.is_profiled:
        raise TrexError(
            "there are no layer times to compare a prediction with",
            "profile the engine: trtexec --loadEngine=… --exportProfile=… --separateProfileRun, or trex process",
            plan.name,
        )
    if plan.provenance.has_predicted_times:
        raise TrexError(
            f"its times are predicted, not measured ({plan.provenance.label})",
            "name an engine that was profiled on a GPU",
            plan.name,
        )
    if note := distrust(plan):
        raise TrexError(f"its times can't be trusted: {note.message}", _EXPORT_AGAIN, note.where or plan.name)


def _require_its_inputs(target: Target, path: str) -> None:
    known = tuple(input_shapes(path))
    foreign = next((name for name in target.shapes if name not in known), None)
    if foreign is not None:
        raise TrexError(
            f"the engine's input {foreign!r} is not among those of this model: {', '.join(known)}",
            "name the ONNX file that the engine was built from",
            path,
        )


def _require_its_operators(plan: EnginePlan, model: Model, path: str) -> None:
    kernels = [layer for layer in plan.working_layers if layer.role is Role.KERNEL and layer.type != "Reformat"]
    named = sum(groups_of_layers(kernels, model).fused.values())
    if named < LEAST_NAMED * len(kernels) or not kernels:
        raise TrexError(
            f"{named:,} of the engine's {counted(len(kernels), 'kernel')} are named by operators of this model",
            "name the ONNX file that the engine was built from, and build with detailed profiling verbosity",
            path,
        )


def _require_its_work(plan: EnginePlan, works: Sequence[Work], path: str) -> None:
    """A wider or deeper variant of a model has the same names."""
    completed = model_works_of(plan.with_model(path), works)
    if note := next((note for note in completed.notes if note.code == OTHER_WORK), None):
        raise TrexError(note.message.removeprefix(UNUSED), note.hint, path)


def _works(prediction: Prediction, on_real: Prediction, measured_ms: Sequence[float | None]) -> tuple[WorkError, ...]:
    """Of all kernels; a kind of work with a real layer that has no time has no measured time."""
    rows: dict[str, list[float]] = {}
    untimed: set[str] = set()

    def add(work: str, column: int, ms: float) -> None:
        row = rows.setdefault(work, [0.0] * 5)
        row[column] += ms

    for layer in prediction.layers:
        if layer.is_kernel:
            add(layer.demand.work, 0, 1)
            add(layer.demand.work, 2, layer.ms)
    for layer, ms in zip(on_real.layers, measured_ms, strict=True):
        if layer.is_kernel:
            add(layer.demand.work, 1, 1)
            add(layer.demand.work, 3, layer.ms)
            add(layer.demand.work, 4, ms or 0.0)
            if ms is None:
                untimed.add(layer.demand.work)
    document: Mapping[str, Any] = prediction.constants.document
    errors = [
        WorkError(
            work,
            (int(row[0]), int(row[1])),
            row[2],
            row[3],
            None if work in untimed else row[4],
            is_judged(document, work),
        )
        for work, row in rows.items()
    ]
    return tuple(sorted(errors, key=_rank))


def _rank(error: WorkError) -> float:
    """The largest error first, unknown ones last."""
    return 0.0 if error.measured_ms is None else -abs(error.predicted_ms - error.measured_ms)
