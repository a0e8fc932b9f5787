"""Two metadata files of one engine → Notes on facts that they state differently: GPU, version, shapes, precision."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date

from trex.core.data_type import DataType
from trex.core.device_facts import DeviceFacts
from trex.core.engine import Engine
from trex.core.metadata import Metadata
from trex.core.note import Note
from trex.core.shape import Shape, shape_text
from trex.core.significant import significant
from trex.core.tensor import ShapeRange
from trex.core.timings import MARKS, LayerTimes, QueryTimes
from trex.ingest.raw_engine import BINDINGS_INFERRED
from trex.ingest.spelling.device_facts import device_facts
from trex.ingest.spelling.shape_options import build_ranges, run_shapes

BUILT_ELSEWHERE = "built-on-another-gpu"
OTHER_FACT = "files-state-two-facts"
OTHER_GPU = "files-name-two-gpus"
OTHER_RELEASE = "built-with-another-release"
OTHER_SHAPE = "run-shape-differs"
_HINT = "keep the files of one engine and one run together"
_SIZES = ("loaded_engine_mib", "engine_size_mib")
_COMPUTE = "GPU Compute Time"
_SAME_MEDIAN = 1.01
"""A log prints the summary that the metadata of the same run contain, with six digits."""
_RELEASE = re.compile(r"(for RTX )?([0-9]{1,4})\.[0-9]")
_FIRST_WITHOUT_RTX = 4
"""TensorRT for RTX counts from 1.0, also where a file leaves out its name; no TensorRT before 7 wrote such files."""
_WORD = re.compile(r"[a-z0-9]+")
_OF_SHAPES = (DataType.INT32, DataType.INT64)
_VARIANTS = {"ti", "super", "laptop", "mobile", "max", "d", "nvl", "sff", "mig"}


def differing_facts(one: Metadata, other: Metadata) -> Iterator[Note]:
    """Only what both state. The first file of each is named."""
    sources = [next(iter(metadata.sources), "").replace("\\", "/").rpartition("/")[2] for metadata in (one, other)]
    where = next(iter(one.sources), "")
    if are_two_gpus(one, other):
        names = _gpu_words(one, other)
        message = f"{sources[0]} names the GPU {names[0]}, {sources[1]} {names[1]}: the GPU counts as unknown"
        yield Note(OTHER_GPU, message, _HINT, where, "problem")
    shapes = [run_shapes(metadata) for metadata in (one, other)]
    facts = [
        *((("TensorRT", one.tensorrt_version, other.tensorrt_version),) if are_two_releases(one, other) else ()),
        ("precision", *(str(metadata.build_options.get("Precision") or "") for metadata in (one, other))),
        *((f"the shape of {name!r}", str(shapes[0][name]), str(shapes[1].get(name) or "")) for name in shapes[0]),
    ]
    for what, own, more in facts:
        if own and more and own != more:
            message = f"{what} is {own} by {sources[0]} and {more} by {sources[1]}; the first was used"
            yield Note(OTHER_FACT, message, _HINT, where, "problem")
    medians = [latency.median_ms for metadata in (one, other) if (latency := metadata.latency.get(_COMPUTE))]
    own_ms, more_ms = medians if len(medians) == 2 else (None, None)
    if own_ms and more_ms and max(own_ms, more_ms) > _SAME_MEDIAN * min(own_ms, more_ms):
        words = f"{significant(own_ms, 4)} ms by {sources[0]} and {significant(more_ms, 4)} ms by {sources[1]}"
        yield Note(OTHER_FACT, f"median GPU compute is {words}: these are two runs", _HINT, where, "problem")


def built_elsewhere(build: Metadata, run: Metadata) -> Iterator[Note]:
    """A run on another GPU than the build's: the choice of tactics was for that one."""
    if are_two_gpus(build, run):
        names = _gpu_words(build, run)
        message = f"built on {names[0]} and measured on {names[1]}: the tactics were chosen for the other GPU"
        hint = "build the engine on the GPU that runs it: trex process MODEL.onnx OUTDIR does both"
        yield Note(BUILT_ELSEWHERE, message, hint, next(iter(run.sources), ""))


def sizes_of_two_engines(*metadata: Metadata) -> list[str]:
    """Sizes in MiB of the engines that two files write or load, in words, if they differ; [] else. Loaded ones are
    stated in whole MiB, and without the runtime that a version-compatible engine contains: like is compared with like.
    """
    loaded, written = ([facts.milestones.get(key) for facts in metadata] for key in _SIZES)
    mixed = [one if other is None else other for one, other in zip(loaded, written, strict=True)]
    sizes = next(([size or 0.0 for size in row] for row in (loaded, written, mixed) if None not in row), [])
    is_one = len(sizes) < len(metadata) or max(sizes) - min(sizes) <= 1.0
    return [] if is_one else [f"{significant(size, 3)} MiB" for size in sizes]


def other_engine(build: Metadata, run: Metadata) -> Iterator[Note]:
    """A run of an engine of another size than the one that was built."""
    if sizes := sizes_of_two_engines(build, run):
        message = f"the build's engine has {sizes[0]} and the run's {sizes[1]}: the files are of two engines"
        yield Note(OTHER_FACT, message, _HINT, next(iter(run.sources), ""), "problem")


def run_before_build(build: date | None, run: date | None, where: str) -> Iterator[Note]:
    """A run of an earlier build's engine. Within a day, time zones may differ."""
    if build is not None and run is not None and (build - run).days > 1:
        message = f"the log of the run is of {run}, the engine was built on {build}: the run is of an earlier engine"
        yield Note(OTHER_FACT, message, "profile the engine again, and keep no files of earlier runs", where, "problem")


def two_origins(layers: LayerTimes | None, queries: QueryTimes | None, run: Metadata) -> Iterator[Note]:
    """Predicted times next to times of a run without a mark."""
    run_marks = [mark for mark, is_marked in zip(MARKS, (run.simulated, run.built_on_cpu)) if is_marked]
    files = [(times.source, times.marks) for times in (layers, queries) if times is not None]
    files += [(next(iter(run.sources), ""), tuple(run_marks))] if run.latency else []
    predicted, others = ([path for path, marks in files if bool(marks) is is_marked] for is_marked in (True, False))
    if predicted and others:
        names = [path.replace("\\", "/").rpartition("/")[2] for path in (predicted[0], others[0])]
        message = f"the times in {names[0]} are predicted, those in {names[1]} have no such mark: these are two runs"
        yield Note(OTHER_FACT, message, _HINT, others[0], "problem")


def are_two_releases(one: Metadata, other: Metadata) -> bool:
    """Whether both name a release of TensorRT, and not the same, by the numbers that both have."""
    versions = one.tensorrt_version, other.tensorrt_version
    if not all(map(_RELEASE.match, versions)):
        return bool(all(versions)) and versions[0] != versions[1]
    numbers = [re.findall("[0-9]+", version)[:3] for version in versions]
    return len({*map(_is_for_rtx, versions)}) > 1 or any(left != right for left, right in zip(*numbers))


def _is_for_rtx(version: str) -> bool:
    match = _RELEASE.match(version)
    return match is not None and (bool(match[1]) or int(match[2]) < _FIRST_WITHOUT_RTX)


def other_release(build: Metadata, run: Metadata) -> Iterator[Note]:
    """A run by another release of TensorRT than the build's, which loads only version-compatible engines. TensorRT for
    RTX loads only those of its own release (its documentation: Engine Compatibility), and none of TensorRT.
    """
    versions = [metadata.tensorrt_version for metadata in (build, run)]
    if not (all(map(_RELEASE.match, versions)) and are_two_releases(build, run)):
        return
    where, compatible = next(iter(run.sources), ""), build.build_options.get("Version Compatible")
    message = f"built with TensorRT {versions[0]} and run with {versions[1]}"
    families = {*map(_is_for_rtx, versions)}
    if families != {False}:
        message = f"built with TensorRT {versions[0]} and run with TensorRT {versions[1]}"
        compatible = "Disabled" if len(families) > 1 else compatible or "Disabled"
    if compatible == "Disabled":
        words = f"{message}, which cannot load such an engine: the files are of two engines"
        yield Note(OTHER_FACT, words, _HINT, where, "problem")
    else:
        severity = "info" if compatible == "Enabled" else "warning"
        yield Note(OTHER_RELEASE, f"{message}: only version-compatible engines can be", _HINT, where, severity)


def other_shapes(engine: Engine, metadata: Metadata, *, is_evaluated: bool = False) -> Iterator[Note]:
    """Shapes of the run that are not those of a static engine, or of one that is evaluated at shapes; shapes that no
    optimization profile allows, and inputs that the engine does not have: TensorRT refuses both.
    """
    own_words, times_of, hint = "the engine's", "another engine", _HINT
    if is_evaluated:
        own_words, times_of, hint = "here", "other shapes", "evaluate the engine at the shapes of the run"
    shapes, where = run_shapes(metadata), next(iter(metadata.sources), "")
    is_listed = engine.bindings and all(note.code != BINDINGS_INFERRED for note in engine.notes)
    if shapes and is_listed and not shapes.keys() & engine.binding_by_name.keys():
        run_names, own_names = (", ".join(map(repr, [*names][:4])) for names in (shapes, engine.binding_by_name))
        message = f"the run's inputs are {run_names}, and the engine has {own_names}: the times are of another engine"
        yield Note(OTHER_SHAPE, message, _HINT, where, "problem")
    for name, shape in shapes.items():
        own = _own_shape(engine, name)
        message = f"the run's shape of {name!r} is {shape_text(shape)}"
        if own is not None and are_other_shapes(own, shape):
            message = f"{message}, {own_words} {shape_text(own)}: the times are of {times_of}"
            yield Note(OTHER_SHAPE, message, hint, where, "problem")
        if own is not None and None in own and not is_evaluated:
            ranges = engine.binding_by_name[name].profiles
            if _is_outside(shape, ranges):
                message = f"{message}, outside of {_spans(ranges)}: the times are of another engine"
                yield Note(OTHER_SHAPE, message, _HINT, where, "problem")


def other_build_shapes(engine: Engine, build: Metadata) -> Iterator[Note]:
    """Shapes of a static engine that the build's optimization profiles leave out."""
    for name, by_profile in build_ranges(build).items():
        own, ranges = _own_shape(engine, name), tuple(by_profile.values())
        is_whole = len(by_profile) == max(by_profile) + 1
        if own is not None and None not in own and is_whole and _is_outside(own, ranges):
            message = f"the engine's shape of {name!r} is {shape_text(own)}, outside of {_spans(ranges)} of the build"
            where = next(iter(build.sources), "")
            yield Note(OTHER_FACT, f"{message}: the files are of two engines", _HINT, where, "problem")


def are_other_shapes(one: Shape, other: Shape) -> bool:
    """Whether their known dimensions cannot be of one tensor."""
    return len(one) != len(other) or any(a != b for a, b in zip(one, other) if a is not None and b is not None)


def _own_shape(engine: Engine, name: str) -> Shape | None:
    """None also of what may be a shape tensor: trtexec's options give its values, not its shape."""
    binding = engine.binding_by_name.get(name)
    tensor = None if binding is None else binding.tensor
    if tensor is None or tensor.shape is None:
        return None
    return None if len(tensor.shape) < 2 and tensor.data_type in _OF_SHAPES else tensor.shape


def _is_outside(shape: Shape, ranges: Sequence[ShapeRange]) -> bool:
    """Whether no optimization profile allows the shape; False if one of them is unknown."""
    return bool(ranges) and all(_excludes(one, shape) for one in ranges)


def _excludes(limits: ShapeRange, shape: Shape) -> bool:
    low, high = limits.minimum, limits.maximum
    if low is None or high is None or not len(low) == len(shape) == len(high):
        return False
    return any(
        size is not None and ((least is not None and size < least) or (most is not None and size > most))
        for size, least, most in zip(shape, low, high)
    )


def _spans(ranges: Sequence[ShapeRange]) -> str:
    return " and ".join(f"{shape_text(one.minimum)} to {shape_text(one.maximum)}" for one in ranges[:4])


def are_two_gpus(one: Metadata, other: Metadata) -> bool:
    """As ``name_two_gpus``, of their devices; or both name theirs and state another size, as of a card and its MIG
    slice, or of two cards that are sold under one name.
    """
    facts = [device_facts(metadata.device) for metadata in (one, other)]
    return bool(_other_size(facts)) or name_two_gpus(*(of_one.name or "" for of_one in facts))


def _gpu_words(*metadata: Metadata) -> list[str]:
    """Names in quotes, with the size that differs where the names are equal."""
    facts = [device_facts(one.device) for one in metadata]
    names = [repr(of_one.name or "") for of_one in facts]
    if len({*names}) > 1:
        return names
    return [f"{name} of {size}" for name, size in zip(names, _other_size(facts), strict=True)]


def _other_size(facts: Sequence[DeviceFacts]) -> list[str]:
    """The first size that both state and that differs, in words; [] if none does or one has no name."""
    if not all(of_one.name for of_one in facts):
        return []
    capabilities = (of_one.compute_capability for of_one in facts)
    sizes = (
        [of_one.sm_count and f"{of_one.sm_count} SMs" for of_one in facts],
        [capability and f"compute capability {capability[0]}.{capability[1]}" for capability in capabilities],
        [of_one.memory_bus_bits and f"{of_one.memory_bus_bits} bits of memory bus" for of_one in facts],
    )
    return next(([*map(str, size)] for size in sizes if all(size) and len({*size}) > 1), [])


def name_two_gpus(*names: str) -> bool:
    """Whether neither of two names contains all words of the other, as files shorten names, or one alone has a word of
    a variant. False if one is empty.
    """
    words = [set(_WORD.findall(name.lower())) - {"nvidia", "geforce", "gpu"} for name in names]
    is_part = words[0] <= words[1] or words[1] <= words[0]
    return all(words) and (not is_part or bool((words[0] ^ words[1]) & _VARIANTS))
