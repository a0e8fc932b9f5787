"""Shapes that were asked for and a network's inputs → optimization profiles."""

from __future__ import annotations

from typing import Any, Sequence, Tuple

from trex.capture.tensorrt_api.arguments import Job
from trex.capture.tensorrt_api.fault import FAILED, Fault
from trex.capture.tensorrt_api.library import Library
from trex.capture.tensorrt_api.shape_spec import Shapes, shape_text

Range = Tuple[Tuple[int, ...], Tuple[int, ...], Tuple[int, ...]]


def add_profiles(library: Library, builder: Any, network: Any, config: Any, job: Job) -> list[dict[str, Range]]:
    """Adds every profile to the configuration; returns {input: (min, opt, max)} of each, none for a static network.

    A dynamic input that has no shape gets ones, as trtexec does. Raises Fault for names and sizes that do not fit.
    """
    inputs = {tensor.name: tensor for tensor in (network.get_input(n) for n in range(network.num_inputs))}
    groups = job.profiles or ([{}] if job.has("shapes") or any(map(needs_range, inputs.values())) else [])
    found = []
    for group in groups:
        if not group.get("optShapes") and job.has("shapes") and len(groups) == 1:
            group = dict(group, optShapes=job.run_shapes)
        ranges = profile_ranges(library, inputs, group)
        profile = builder.create_optimization_profile()
        for name, sides in ranges.items():
            _set(profile, inputs[name], name, sides)
        if ranges and config.add_optimization_profile(profile) < 0:
            raise Fault(f"TensorRT does not take the optimization profile: {library.log.reason}", "", FAILED)
        found.append(ranges)
    return found


def needs_range(tensor: Any) -> bool:
    return bool(tensor.is_shape_tensor) or any(size < 0 for size in tuple(tensor.shape))


def profile_ranges(library: Library, inputs: dict[str, Any], group: dict[str, Shapes]) -> dict[str, Range]:
    """{input: (min, opt, max)} of every input that needs a range."""
    for shapes in group.values():
        for name, dims in shapes.items():
            _check_shape(inputs, name, dims)
    ranges = {}
    for name, tensor in inputs.items():
        if not needs_range(tensor):
            continue
        low, usual, high = (group.get(side, {}).get(name) for side in ("minShapes", "optShapes", "maxShapes"))
        usual = usual if usual is not None else low if low is not None else high
        if usual is None:
            usual = (1,) * _values(tensor) if tensor.is_shape_tensor else tuple(max(1, s) for s in tuple(tensor.shape))
            library.log.warning(
                f"Dynamic dimensions required for input: {name}, but no shapes were provided. Automatically overriding "
                f"shape to: {shape_text(usual)}"
            )
        sides = (low if low is not None else usual, usual, high if high is not None else usual)
        if any(not (a <= b <= c) for a, b, c in zip(*sides)):
            told = ", ".join(map(shape_text, sides))
            raise Fault(f"the shapes of {name} do not grow from smallest to largest: {told}")
        ranges[name] = sides
    return ranges


def _set(profile: Any, tensor: Any, name: str, sides: Range) -> None:
    try:
        if tensor.is_shape_tensor:
            profile.set_shape_input(name, *sides)
        else:
            profile.set_shape(name, *sides)
    except (ValueError, RuntimeError) as error:
        raise Fault(f"TensorRT does not take the shapes of {name}: {error}") from None


def _values(tensor: Any) -> int:
    dims = tuple(tensor.shape)
    return dims[0] if dims and dims[0] > 0 else 1


def _check_shape(inputs: dict[str, Any], name: str, dims: Sequence[int]) -> None:
    if name not in inputs:
        raise Fault(f"the model has no input called {name}", "its inputs: {}".format(", ".join(inputs)))
    tensor = inputs[name]
    if tensor.is_shape_tensor:
        return
    own = tuple(tensor.shape)
    if len(own) != len(dims) or any(size not in (-1, given) for size, given in zip(own, dims)):
        raise Fault(f"the shape {shape_text(dims)} does not fit the input {name}",
                    f"the model has {shape_text(own)} there, -1 for any size")  # fmt: skip
