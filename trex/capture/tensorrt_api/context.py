"""Engine → execution context with its shapes set, for runs; and its graph file, the inspector's JSON unchanged."""

from __future__ import annotations

import ctypes
import json
from typing import Any, Sequence

from trex.capture.tensorrt_api.arguments import CollectorOptions
from trex.capture.tensorrt_api.buffers import shape_values, tensor_role, type_name
from trex.capture.tensorrt_api.errors import FAILED, CollectorError
from trex.capture.tensorrt_api.files import write_file
from trex.capture.tensorrt_api.library import Library
from trex.capture.tensorrt_api.shape_spec import Shapes, shape_text

_PLAN_MAGICS = (b"ftrt", b"vtrt")  # of TensorRT, and of TensorRT for RTX
_VERSION_AT = 24


class PreparedContext:
    """An engine and a context whose inputs have shapes. values: host arrays of shape tensors, which TensorRT reads."""

    def __init__(self, engine: Any, context: Any) -> None:
        self.engine = engine
        self.context = context
        self.shapes: Shapes = {}
        self.values: list[Any] = []

    @property
    def names(self) -> list[str]:
        return [self.engine.get_tensor_name(index) for index in range(self.engine.num_io_tensors)]


def load_engine(library: Library, path: str) -> Any:
    """Raises CollectorError if this TensorRT cannot load the file; the header of an engine has its release."""
    with open(path, "rb") as file:
        plan = file.read()
    if not plan:
        raise CollectorError(f"the engine file {path} is empty", "build it again")
    runtime = library.create("Runtime")
    engine = runtime.deserialize_cuda_engine(plan)
    if engine is None:
        built = plan_release(plan)
        release = ".".join(map(str, built)) if built else library.version
        if release != library.version:
            raise CollectorError(
                f"the engine was built by {library.name} {release}, and this is {library.name} {library.version}",
                f"run it with {library.name} {release}, or build it again from the model",
            )
        raise CollectorError(f"{library.name} cannot load the engine: {library.reason}", "", FAILED)
    library.log.info("Loaded engine with size: %g MiB" % (len(plan) / 2.0**20))
    engine_and_runtime[id(engine)] = runtime
    return engine


# An engine is unusable once its runtime is deleted.
engine_and_runtime: dict[int, Any] = {}


def plan_release(plan: bytes) -> tuple[int, int, int] | None:
    """From the header of engines since 8.6."""
    if not plan.startswith(_PLAN_MAGICS) or len(plan) < _VERSION_AT + 3:
        return None
    return plan[_VERSION_AT], plan[_VERSION_AT + 1], plan[_VERSION_AT + 2]


def prepare_context(
    library: Library, engine: Any, options: CollectorOptions, cuda: Any, stream: Any
) -> PreparedContext:
    """Selects the optimization profile and sets every input's shape: as requested, else the profile's optimum."""
    context = engine.create_execution_context()
    if context is None:
        message = f"TensorRT created no execution context: {library.reason}"
        raise CollectorError(message, "other programs may use the GPU's memory", FAILED)
    profile = int(options.number("useProfile", 0))
    if not 0 <= profile < max(1, engine.num_optimization_profiles):
        count = engine.num_optimization_profiles
        raise CollectorError("the engine has no optimization profile %d" % profile, "it has %d, from 0" % count)
    handle = cuda.handle(stream) if cuda is not None else 0
    if profile and not context.set_optimization_profile_async(profile, handle):
        raise CollectorError("TensorRT rejects optimization profile %d: %s" % (profile, library.reason), "", FAILED)
    prepared = PreparedContext(engine, context)
    requested = _requested_shapes(options, profile)
    inputs = [name for name in prepared.names if tensor_role(engine, library.trt, name)[0]]
    for name in requested:
        if name not in inputs:
            raise CollectorError(f"the engine has no input {name}", "its inputs: {}".format(", ".join(inputs)))
    for name in inputs:
        if tensor_role(engine, library.trt, name)[1]:
            values = requested.get(name) or _optimum_values(engine, name, profile)
            array = shape_values(type_name(engine, name), values)
            prepared.values.append(array)
            prepared.shapes[name] = tuple(values)
            context.set_tensor_address(name, ctypes.addressof(array))
            continue
        own = tuple(engine.get_tensor_shape(name))
        shape = requested.get(name, own)
        if any(size < 0 for size in shape):
            shape = tuple(engine.get_tensor_profile_shape(name, profile)[1])
        if not context.set_input_shape(name, shape):
            message = f"the engine does not take the shape {shape_text(shape)} for {name}"
            raise CollectorError(message, _allowed_shapes(engine, name, own, profile))
        prepared.shapes[name] = tuple(shape)
    return prepared


def _requested_shapes(options: CollectorOptions, profile: int) -> Shapes:
    """``--shapes``; else the profile's optimum in the options of the build."""
    if options.has("shapes"):
        return options.run_shapes
    group = options.profiles[profile] if profile < len(options.profiles) else {}
    return dict(group.get("optShapes", {}))


def _optimum_values(engine: Any, name: str, profile: int) -> Sequence[int]:
    """A shape tensor's optimum; the function has another name since 10.0."""
    if hasattr(engine, "get_tensor_profile_values"):
        values = engine.get_tensor_profile_values(profile, name)
    else:
        values = engine.get_profile_shape_input(profile, name)
    return list(values[1]) if values else [1]


def _allowed_shapes(engine: Any, name: str, own: Sequence[int], profile: int) -> str:
    if all(size >= 0 for size in own):
        return f"it was built for {shape_text(own)}"
    low, _, high = engine.get_tensor_profile_shape(name, profile)
    return "profile %d goes from %s to %s" % (profile, shape_text(tuple(low)), shape_text(tuple(high)))


NAMES_ONLY = (
    "the engine stores little about its layers (profiling verbosity %s), so the graph has names at most; only a new "
    "build helps, with --profilingVerbosity=detailed"
)


def inspect_engine(library: Library, prepared: PreparedContext, path: str) -> None:
    """Writes the graph. With shapes set on the context the inspector writes sizes and formats in full."""
    trt, log = library.trt, library.log
    verbosity = prepared.engine.profiling_verbosity
    if verbosity != trt.ProfilingVerbosity.DETAILED:
        log.warning(NAMES_ONLY % getattr(verbosity, "name", verbosity))
    inspector = prepared.engine.create_engine_inspector()
    inspector.execution_context = prepared.context
    data = inspector_bytes(inspector, trt)
    try:
        json.loads(data.decode("utf-8", "replace"), strict=False)
    except ValueError as error:
        log.warning(f"TensorRT's inspector wrote invalid JSON, which is kept unchanged: {error}")
    write_file(path, data)
    log.info("%d layers inspected" % prepared.engine.num_layers)


def inspector_bytes(inspector: Any, trt: Any) -> bytes:
    """Names need not be UTF-8, which Python cannot hold as text; the error then has the bytes."""
    try:
        text = inspector.get_engine_information(trt.LayerInformationFormat.JSON)
    except UnicodeDecodeError as error:
        return bytes(error.object)
    return str(text).encode("utf-8", "surrogateescape" if _has_escapes(text) else "surrogatepass")


def _has_escapes(text: str) -> bool:
    return any("\udc80" <= letter <= "\udcff" for letter in text)
