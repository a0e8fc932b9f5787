"""Requested shapes and a network's inputs → optimization profiles."""

from __future__ import annotations

from typing import Any, Sequence, Tuple

from trex.capture.tensorrt_api.arguments import CollectorOptions
from trex.capture.tensorrt_api.errors import FAILED, CollectorError
from trex.capture.tensorrt_api.library import Library
from trex.capture.tensorrt_api.shape_spec import Shapes, shape_text

Range = Tuple[Tuple[int, ...], Tuple[int, ...], Tuple[int, ...]]


def add_profiles(
    library: Library, builder: Any, network: Any, config: Any, options: CollectorOptions
) -> list[dict[str, Range]]:
    """Adds every profile to the configuration; returns {input: (min, opt, max)} of each, [] for a static network.

    A dynamic input without a shape gets ones, as in trtexec. Raises CollectorError for names and sizes that misfit.
    """
    inputs = {tensor.name: tensor for tensor in (network.get_input(n) for n in range(network.num_inputs))}
    groups = options.profiles or ([{}] if options.has("shapes") or any(map(needs_range, inputs.values())) else [])
    profiles = []
    for group in groups:
        if not group.get("optShapes") and options.has("shapes") and len(groups) == 1:
            group = dict(group, optShapes=options.run_shapes)
        ranges = profile_ranges(library, inputs, group)
        profile = builder.create_optimization_profile()
        for name, limits in ranges.items():
            _set_range(profile, inputs[name], name, limits)
        if ranges and config.add_optimization_profile(profile) < 0:
            raise CollectorError(f"TensorRT rejects the optimization profile: {library.reason}", "", FAILED)
        profiles.append(ranges)
    return profiles


def needs_range(tensor: Any) -> bool:
    return bool(tensor.is_shape_tensor) or any(size < 0 for size in tuple(tensor.shape))


def profile_ranges(library: Library, inputs: dict[str, Any], group: dict[str, Shapes]) -> dict[str, Range]:
    """{input: (min, opt, max)} of every input that needs a range."""
    for shapes in group.values():
        for name, shape in shapes.items():
            _check_shape(inputs, name, shape)
    ranges = {}
    for name, tensor in inputs.items():
        if not needs_range(tensor):
            continue
        low, optimum, high = (group.get(limit, {}).get(name) for limit in ("minShapes", "optShapes", "maxShapes"))
        optimum = optimum if optimum is not None else low if low is not None else high
        if optimum is None:
            ones = (1,) * _value_count(tensor)
            optimum = ones if tensor.is_shape_tensor else tuple(max(1, size) for size in tuple(tensor.shape))
            library.log.warning(
                f"Dynamic dimensions required for input: {name}, but no shapes were provided. Automatically overriding "
                f"shape to: {shape_text(optimum)}"
            )
        limits = (low if low is not None else optimum, optimum, high if high is not None else optimum)
        if any(not (a <= b <= c) for a, b, c in zip(*limits)):
            text = ", ".join(map(shape_text, limits))
            raise CollectorError(f"the shapes of {name} do not grow from minimum to maximum: {text}")
        ranges[name] = limits
    return ranges


def _set_range(profile: Any, tensor: Any, name: str, limits: Range) -> None:
    try:
        if tensor.is_shape_tensor:
            profile.set_shape_input(name, *limits)
        else:
            profile.set_shape(name, *limits)
    except (ValueError, RuntimeError) as error:
        raise CollectorError(f"TensorRT rejects the shapes of {name}: {error}") from None


def _value_count(tensor: Any) -> int:
    shape = tuple(tensor.shape)
    return shape[0] if shape and shape[0] > 0 else 1


def _check_shape(inputs: dict[str, Any], name: str, shape: Sequence[int]) -> None:
    if name not in inputs:
        raise CollectorError(f"the model has no input {name}", "its inputs: {}".format(", ".join(inputs)))
    tensor = inputs[name]
    if tensor.is_shape_tensor:
        return
    own = tuple(tensor.shape)
    if len(own) != len(shape) or any(size not in (-1, given) for size, given in zip(own, shape)):
        raise CollectorError(f"the shape {shape_text(shape)} does not fit the input {name}",
                             f"the model has {shape_text(own)}; -1 is any size")  # fmt: skip
