"""Engine → execution context with its shapes set: as it is inspected and run."""

from __future__ import annotations

import ctypes
from typing import Any, Sequence

from trex.capture.tensorrt_api.arguments import Job
from trex.capture.tensorrt_api.buffers import pair, shape_values, type_name
from trex.capture.tensorrt_api.fault import FAILED, Fault
from trex.capture.tensorrt_api.library import Library
from trex.capture.tensorrt_api.shape_spec import Shapes, shape_text

_PLAN_MAGIC = b"ftrt"
_VERSION_AT = 24


class Ready:
    """An engine and a context whose inputs have shapes. values: host arrays of shape tensors, kept for TensorRT."""

    def __init__(self, engine: Any, context: Any, shapes: Shapes, values: list[Any]) -> None:
        self.engine = engine
        self.context = context
        self.shapes = shapes
        self.values = values

    @property
    def names(self) -> list[str]:
        return [self.engine.get_tensor_name(index) for index in range(self.engine.num_io_tensors)]


def load_engine(library: Library, path: str) -> Any:
    """Raises Fault when the file is no engine of this TensorRT; the plan's own header says whose it is."""
    with open(path, "rb") as file:
        plan = file.read()
    if not plan:
        raise Fault(f"the engine file {path} is empty", "build it again")
    runtime = library.made("Runtime")
    engine = runtime.deserialize_cuda_engine(plan)
    if engine is None:
        built = plan_release(plan)
        if built and built != library.release:
            told = ".".join(map(str, built))
            raise Fault(
                f"the engine was built by TensorRT {told}, and this is TensorRT {library.version}",
                "run it with TensorRT %d.%d, or build it again from the model" % built[:2],
            )
        raise Fault("TensorRT cannot load the engine: %s" % (library.log.reason or "it does not say why"), "", FAILED)
    library.log.info("Loaded engine with size: %g MiB" % (len(plan) / 2.0**20))
    engine_and_runtime[id(engine)] = runtime
    return engine


# An engine is of no use without the runtime that made it.
engine_and_runtime: dict[int, Any] = {}


def plan_release(plan: bytes) -> tuple[int, int, int] | None:
    """From the header of plans since 8.6."""
    if not plan.startswith(_PLAN_MAGIC) or len(plan) < _VERSION_AT + 3:
        return None
    return plan[_VERSION_AT], plan[_VERSION_AT + 1], plan[_VERSION_AT + 2]


def ready_context(library: Library, engine: Any, job: Job, cuda: Any, stream: Any) -> Ready:
    """Chooses the optimization profile and sets every input's shape: as asked for, else the profile's usual one."""
    context = engine.create_execution_context()
    if context is None:
        raise Fault(
            "TensorRT made no execution context: %s" % (library.log.reason or "it does not say why"),
            "other programs may hold the GPU's memory",
            FAILED,
        )
    profile = int(job.number("useProfile", 0))
    if not 0 <= profile < max(1, engine.num_optimization_profiles):
        count = engine.num_optimization_profiles
        raise Fault("the engine has no optimization profile %d" % profile, "it has %d, from 0" % count)
    handle = cuda.handle(stream) if cuda is not None else 0
    if profile and not context.set_optimization_profile_async(profile, handle):
        raise Fault("TensorRT does not take optimization profile %d: %s" % (profile, library.log.reason), "", FAILED)
    ready = Ready(engine, context, {}, [])
    asked = _asked_shapes(job, profile)
    inputs = [name for name in ready.names if pair(engine, library.trt, name)[0]]
    for name in asked:
        if name not in inputs:
            raise Fault(f"the engine has no input called {name}", "its inputs: {}".format(", ".join(inputs)))
    for name in inputs:
        if pair(engine, library.trt, name)[1]:
            values = asked.get(name) or _usual_values(engine, name, profile)
            held = shape_values(type_name(engine, name), values)
            ready.values.append(held)
            ready.shapes[name] = tuple(values)
            context.set_tensor_address(name, ctypes.addressof(held))
            continue
        own = tuple(engine.get_tensor_shape(name))
        dims = asked.get(name, own)
        if any(size < 0 for size in dims):
            dims = tuple(engine.get_tensor_profile_shape(name, profile)[1])
        if not context.set_input_shape(name, dims):
            raise Fault(
                f"the engine does not take the shape {shape_text(dims)} for {name}",
                _allowed(engine, name, own, profile),
            )
        ready.shapes[name] = tuple(dims)
    return ready


def _asked_shapes(job: Job, profile: int) -> Shapes:
    """``--shapes``; else the usual shapes the profile was asked to be built for."""
    if job.has("shapes"):
        return job.run_shapes
    group = job.profiles[profile] if profile < len(job.profiles) else {}
    return dict(group.get("optShapes", {}))


def _usual_values(engine: Any, name: str, profile: int) -> Sequence[int]:
    """A shape tensor's usual values; the call changed its name in 10.0."""
    if hasattr(engine, "get_tensor_profile_values"):
        found = engine.get_tensor_profile_values(profile, name)
    else:
        found = engine.get_profile_shape_input(profile, name)
    return list(found[1]) if found else [1]


def _allowed(engine: Any, name: str, own: Sequence[int], profile: int) -> str:
    if all(size >= 0 for size in own):
        return f"it was built for {shape_text(own)}"
    low, _, high = engine.get_tensor_profile_shape(name, profile)
    return "profile %d goes from %s to %s" % (profile, shape_text(tuple(low)), shape_text(tuple(high)))
