"""Facts about an engine → the trtexec commands that build and profile it, in the spelling of its release.

trtexec stops at the first unknown option, so commands contain only options of the release.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePath

from trex.core.engine import Engine
from trex.core.metadata import Metadata
from trex.core.printable import shell_line, shell_word
from trex.core.release import release_from_text
from trex.core.shape import Shape, is_static, shape_text
from trex.core.tensor import Binding
from trex.ingest.finding.engine_files import EngineFiles
from trex.ingest.spelling.shape_options import run_shapes
from trex.ingest.spelling.trtexec_options import OPTIONS, OptionUse, ReleaseNumbers, names_for

NO_ENGINE = "MODEL.engine"
NO_MODEL = "MODEL.onnx"
UNKNOWN_DIMENSION = "N"

_ENGINE_ENDINGS = (".engine", ".plan", ".trt")
_WORKSPACE = re.compile(r"workspace: (\d{1,15}(?:\.0{1,15})?) MiB")
_UNIT = re.compile(r"(?<=\d)MiB\b")
# What of the run that is known is worth repeating: the same shapes, plugins and device, the same way of measuring.
_RUN_FLAGS = names_for(OptionUse.RUN, OptionUse.BOTH)
_NOT_IN_A_BUILD = names_for(OptionUse.RUN, OptionUse.FILES)
_TYPE_FLAGS = {"FP16": "--fp16", "BF16": "--bf16", "INT8": "--int8", "FP8": "--fp8", "INT4": "--int4"}


@dataclass(frozen=True, slots=True)
class Recipe:
    """How an engine was built and run, as far as its files say.

    release: (10, 4), None if unknown. engine, onnx: paths, or the placeholders MODEL.engine and MODEL.onnx.
    stem: of the names of new files. build_flags, run_flags: options to repeat, unquoted.
    """

    release: ReleaseNumbers | None = None
    engine: str = NO_ENGINE
    onnx: str = NO_MODEL
    stem: str = "MODEL"
    build_flags: tuple[str, ...] = ()
    run_flags: tuple[str, ...] = field(default=())


def recipe_of(
    files: EngineFiles, engine: Engine | None = None, metadata: Metadata | None = None, build: Metadata | None = None
) -> Recipe:
    """The recipe in an engine's files, its metadata and the command lines of its logs."""
    metadata, build = metadata or Metadata(), build or Metadata()
    version = (engine.tensorrt_version if engine else "") or metadata.tensorrt_version or build.tensorrt_version
    known = release_from_text(version)
    release = known.pair if known else None
    lines = [options_of(data.command_line) for data in (build, metadata)]
    built = next((options for options in lines if _value(options, "onnx")), ())
    ran = next((options for options in reversed(lines) if _value(options, "loadEngine")), built)
    path = files.engine or _value(built, "saveEngine") or _value(ran, "loadEngine")
    path = path or _path(build.build_options.get("Save engine"))
    path = path or (files.name if files.name.endswith(_ENGINE_ENDINGS) else NO_ENGINE)
    onnx = files.onnx or _value(built, "onnx") or _path(build.model_options.get("Model")) or NO_MODEL
    here = files.engine or files.onnx
    bindings = engine.bindings if engine else ()
    run_flags = [_flag(name, value) for name, value in ran if name in _RUN_FLAGS]
    if not _value(ran, "shapes"):
        run_flags += _shapes(bindings, metadata)
    return Recipe(
        release,
        path,
        onnx,
        _stem(here, files.name),
        tuple(_repeated(built, release) if built else _build_flags(build, bindings, release)),
        tuple(run_flags),
    )


def _stem(path: str | None, name: str) -> str:
    """The stem of new files: the engine's name, in the folder of its file. A name may include a folder."""
    return str(PurePath(path).parent / PurePath(name).name) if path and name else name or "MODEL"


def build_command(recipe: Recipe) -> str:
    """The command that builds the engine with detailed layer information, and does not run it."""
    engine = recipe.engine
    if engine == NO_ENGINE and recipe.stem != "MODEL":
        engine = f"{recipe.stem}.engine"
    flags = [f"--onnx={recipe.onnx}", f"--saveEngine={engine}", "--profilingVerbosity=detailed", *recipe.build_flags]
    if recipe.release is not None:
        can_skip = OPTIONS["skipInference"].is_parsed_by(recipe.release)
        flags.append("--skipInference" if can_skip else "--buildOnly")
    return _command(flags)


def profile_command(recipe: Recipe, graph: bool = True, profile: bool = True, times: bool = True) -> str:
    """The command that loads the engine and writes layer information, layer times and query times.

    From TensorRT 8.4 to 10.16, query times need --separateProfileRun; in 11 it is the default, as are CUDA graphs,
    spin waits and no data transfers.
    """
    flags = [f"--loadEngine={recipe.engine}", *recipe.run_flags]
    if recipe.release is None or recipe.release < (11, 0):
        flags += ["--noDataTransfers", "--useSpinWait"] if profile or times else []
        flags += ["--separateProfileRun"] if profile else []
    flags += ["--profilingVerbosity=detailed"] if graph or profile else []
    flags += [f"--exportLayerInfo={recipe.stem}.graph.json"] if graph else []
    flags += [f"--exportProfile={recipe.stem}.profile.json"] if profile else []
    flags += [f"--exportTimes={recipe.stem}.timing.json"] if times else []
    return _command(dict.fromkeys(flags))


def rtx_command(recipe: Recipe) -> str:
    """The command that builds the engine again by TensorRT for RTX and predicts its times; trtexec cannot load it."""
    options = ["--backend", "tensorrt-rtx", "--device", "NAME"]
    return f"trex process {shell_word(recipe.onnx)} OUT {shell_line(options)}"


def logged(command: str, recipe: Recipe) -> str:
    """The command with its output in a log: device, options and performance are in no other file."""
    return f"{command} 2>&1 | tee {shell_word(recipe.stem)}.profile.log"


def options_of(command_line: str) -> tuple[tuple[str, str], ...]:
    """(name, value) of each option of a logged command line, in order; "" for one without a value.

    Empty if it cannot be split: logs join the arguments with blanks, unquoted, and an argument may contain a blank.
    """
    words = command_line.split()[1:]
    if not all(word.startswith("--") for word in words):
        return ()
    return tuple((name, value) for name, _, value in (word[2:].partition("=") for word in words))


def _command(flags: Iterable[str]) -> str:
    return " ".join(["trtexec", *map(shell_word, flags)])


def _value(options: Iterable[tuple[str, str]], name: str) -> str:
    return next((value for known, value in options if known == name), "")


def _flag(name: str, value: str) -> str:
    return f"--{name}={value}" if value else f"--{name}"


def _path(value: object) -> str:
    """The path in an option; "" for one cut at a colon, as in old metadata files."""
    return value if isinstance(value, str) and "." in value else ""


def _repeated(built: Iterable[tuple[str, str]], release: ReleaseNumbers | None) -> Iterator[str]:
    """The options of the known build, without those for its outputs."""
    for name, value in built:
        if name not in _NOT_IN_A_BUILD:
            is_pool = name == "memPoolSize" and (release is None or release >= (8, 4))
            yield _flag(name, _UNIT.sub("", value) if is_pool else value)


def _build_flags(build: Metadata, bindings: Iterable[Binding], release: ReleaseNumbers | None) -> Iterator[str]:
    options = {key: str(value) for key, value in build.build_options.items()}
    if release is None or release < (11, 0):
        precision = options.get("Precision", "")
        if "Strongly Typed" in precision:
            yield "--stronglyTyped"
        yield from (_TYPE_FLAGS[word] for word in precision.partition(" ")[0].split("+") if word in _TYPE_FLAGS)
        for how in ("obey", "prefer"):
            if f"({how} precision constraints)" in precision:
                yield f"--precisionConstraints={how}"
    workspace = _WORKSPACE.search(options.get("Memory Pools", ""))
    if workspace and float(workspace[1]) > 0:
        size = int(float(workspace[1]))
        yield f"--workspace={size}" if release and release < (8, 4) else f"--memPoolSize=workspace:{size}"
    level = options.get("BuilderOptimizationLevel", "")
    if level in ("0", "1", "2", "4", "5"):
        yield f"--builderOptimizationLevel={level}"
    yield from _ranges(list(bindings), release)


def _ranges(bindings: list[Binding], release: ReleaseNumbers | None) -> Iterator[str]:
    """The shapes of each optimization profile; more than one since 9.0."""
    count = max((len(binding.profiles) for binding in bindings), default=0)
    several = count > 1 and (release is None or release >= (9, 0))
    for profile in range(count if several else min(count, 1)):
        rows = [
            (b.name, b.profiles[profile]) for b in bindings if b.is_input is not False and profile < len(b.profiles)
        ]
        known = [
            (name, r) for name, r in rows if is_static(r.minimum) and is_static(r.optimum) and is_static(r.maximum)
        ]
        if not known:
            continue
        if several:
            yield f"--profile={profile}"
        for flag, which in (("--minShapes", "minimum"), ("--optShapes", "optimum"), ("--maxShapes", "maximum")):
            yield f"{flag}=" + ",".join(f"{name}:{_dims(getattr(shapes, which))}" for name, shapes in known)


def _shapes(bindings: Iterable[Binding], metadata: Metadata) -> list[str]:
    """``--shapes=…`` of the known run, else of the first profile's optimum; N for an unknown dimension."""
    known = run_shapes(metadata)
    texts = []
    for binding in bindings:
        tensor = binding.tensor
        if binding.is_input is False or (binding.name not in known and tensor is None):
            continue
        shape = known.get(binding.name, tensor.shape if tensor else None)
        if binding.name not in known and is_static(shape):
            continue
        if shape is not None and not is_static(shape) and binding.profiles:
            shape = binding.profiles[0].optimum or shape
        if shape is not None:
            texts.append(f"{binding.name}:{_dims(shape)}")
    return ["--shapes=" + ",".join(texts)] if texts else []


def _dims(shape: Shape | None) -> str:
    return shape_text(shape, UNKNOWN_DIMENSION)
