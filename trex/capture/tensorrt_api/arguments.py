"""The command line → CollectorOptions: trtexec's spelling or with dashes (``--warm-up``), values after = or a blank."""

from __future__ import annotations

import difflib
import os
import re
from typing import Sequence

from trex.capture.tensorrt_api.errors import CollectorError
from trex.capture.tensorrt_api.shape_spec import Shapes, parse_shapes

ENGINE_SUFFIXES = (".engine", ".plan", ".trt")

# Options of trtexec mean the same here; a CUDA graph, spin wait and no transfers are the defaults, as in 11.x.
SWITCHES = {
    "fp16": "allow FP16 kernels (until 10.x)",
    "bf16": "allow BF16 kernels (9.0 to 10.x)",
    "int8": "allow INT8 kernels (until 10.x)",
    "fp8": "allow FP8 kernels (8.6 to 10.x)",
    "int4": "allow INT4 kernels (10.x)",
    "best": "allow FP16, INT8 and, since 9.0, BF16",
    "stronglyTyped": "take all types from the model (9.0 to 10.x; always since 11)",
    "noTF32": "no TF32",
    "refit": "build an engine whose weights can be replaced",
    "stripWeights": "leave out the weights that can be replaced (10.0)",
    "versionCompatible": "build an engine for later releases, too (8.6)",
    "excludeLeanRuntime": "version compatible without the runtime in it (8.6)",
    "directIO": "no reformats at inputs and outputs",
    "allowGPUFallback": "run layers that DLA lacks on the GPU",
    "allowWeightStreaming": "build an engine that can stream its weights (10.0)",
    "noBuilderCache": "use no timing cache",
    "noCompilationCache": "no compiled code in the timing cache (9.0)",
    "errorOnTimingCacheMiss": "stop if the timing cache lacks a tactic (9.0)",
    "noCudaGraph": "launch the kernels one by one, not as one CUDA graph",
    "noSpinWait": "do not spin while waiting for the GPU",
    "includeDataTransfers": "copy inputs and outputs in every inference",
    "useCudaGraph": "the default",
    "useSpinWait": "the default",
    "noDataTransfers": "the default",
    "separateProfileRun": "the default",
    "skipInference": "build only",
    "buildOnly": "build only",
    "dumpProfile": "print layer times in the log, too",
    "verbose": "print all messages of TensorRT; logs in FOLDER always have them",
    "help": "print this text",
}
VALUES = {
    "onnx": "FILE: model to build from",
    "loadEngine": "FILE: engine to measure",
    "saveEngine": "FILE: engine to write",
    "exportLayerInfo": "FILE: the graph",
    "exportProfile": "FILE: layer times",
    "exportTimes": "FILE: per-query times",
    "shapes": "x:1x3x224x224,...: shapes to build for and to run",
    "minShapes": "smallest shapes of a profile",
    "optShapes": "optimum shapes of a profile",
    "maxShapes": "largest shapes of a profile",
    "profile": "N: the shapes that follow belong to optimization profile N",
    "useProfile": "N: optimization profile to run",
    "memPoolSize": "workspace:1024,...: memory of the builder, in MiB",
    "timingCacheFile": "FILE: timing cache",
    "recordTactics": "FILE.json: write the build's tactics, and FILE.cache; uses no other timing cache (10.8)",
    "replayTactics": "FILE.json or a cache: build with its tactics, fail if any differs (10.8)",
    "profilingVerbosity": "detailed (default), layer_names_only or none",
    "builderOptimizationLevel": "0 to 5 (8.6)",
    "maxAuxStreams": "N (8.6)",
    "maxTactics": "N (10.4)",
    "tilingOptimizationLevel": "0 to 3 (10.8)",
    "l2LimitForTiling": "bytes (10.8)",
    "avgTiming": "N",
    "hardwareCompatibilityLevel": "none, ampere+ or sameComputeCapability (8.6)",
    "sparsity": "disable or enable",
    "precisionConstraints": "none, prefer or obey (until 10.x)",
    "preview": "+FEATURE,-FEATURE by their names in PreviewFeature",
    "setBuildRoute": "TEXT (11.1)",
    "useDLACore": "N",
    "staticPlugins": "FILE: plugin library",
    "plugins": "FILE: plugin library",
    "loadInputs": "x:FILE,...: raw bytes of inputs; others get random numbers, integers get 1",
    "device": "N: number of the GPU",
    "iterations": "N: run at least N inferences (10)",
    "warmUp": "MS: warm up for so many milliseconds (200)",
    "duration": "S: measure for at least so many seconds (3)",
    "cuda": "cuda-python, pycuda or none; default: the first that is installed",
    "library": "tensorrt (default) or tensorrt-rtx",
    "target": "sm75,sm89,...: GPUs to build for; without: sm86 and later (TensorRT for RTX)",
}
LIBRARIES = ("tensorrt", "tensorrt-rtx")
_REPEATED = ("staticPlugins", "plugins")
_NUMBERS = ("profile", "useProfile", "builderOptimizationLevel", "maxAuxStreams", "maxTactics", "avgTiming", "device",
            "tilingOptimizationLevel", "l2LimitForTiling", "useDLACore", "iterations")  # fmt: skip
_LIMITS = ("minShapes", "optShapes", "maxShapes")


class CollectorOptions:
    """values: {name: value}, "" for switches. profiles: {option: shapes} of each, in order. paths: model and folder.

    model, engine: files, or None. folder: None if each file is named by an option.
    """

    def __init__(self) -> None:
        self.values: dict[str, str] = {}
        self.libraries: list[str] = []
        self.profiles: list[dict[str, Shapes]] = []
        self.paths: list[str] = []

    def has(self, name: str) -> bool:
        return name in self.values

    def text(self, name: str, default: str = "") -> str:
        return self.values.get(name, default)

    def number(self, name: str, default: float) -> float:
        return float(self.values[name]) if name in self.values else default

    @property
    def run_shapes(self) -> Shapes:
        return parse_shapes(self.values["shapes"]) if "shapes" in self.values else {}

    @property
    def model(self) -> str | None:
        given = self.values.get("onnx")
        return given or (self.paths[0] if self.paths and not is_engine(self.paths[0]) else None)

    @property
    def engine(self) -> str | None:
        """An existing engine."""
        given = self.values.get("loadEngine")
        return given or (self.paths[0] if self.paths and is_engine(self.paths[0]) else None)

    @property
    def folder(self) -> str | None:
        return self.paths[1] if len(self.paths) > 1 else None

    @property
    def builds_only(self) -> bool:
        return self.has("skipInference") or self.has("buildOnly")


def is_engine(path: str) -> bool:
    """By the name or the first bytes."""
    if path.lower().endswith(ENGINE_SUFFIXES):
        return True
    if not os.path.isfile(path):  # a pipe is not waited for
        return False
    try:
        with open(path, "rb") as file:
            return file.read(4) in (b"ftrt", b"ptrt")
    except OSError:
        return False


def read_arguments(argv: Sequence[str]) -> CollectorOptions:
    """Raises CollectorError for an unknown option, with similar names."""
    options = CollectorOptions()
    group: dict[str, Shapes] | None = None
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        if not word.startswith("-") or word == "-":
            options.paths.append(word)
            continue
        name, value = _option(word, rest)
        if name == "profile":
            group = {}
            options.profiles.append(group)
            if int(value) != len(options.profiles) - 1:
                raise CollectorError(f"profiles are numbered from 0 in order; --profile={value} is not next")
        elif name in _LIMITS:
            if group is None:
                group = {}
                options.profiles.append(group)
            if name in group:
                raise CollectorError(f"--{name} is given twice for one profile", "--profile=N starts another one")
            group[name] = parse_shapes(value)
        elif name in _REPEATED:
            options.libraries.append(value)
        elif options.values.get(name, value) != value:
            raise CollectorError(f"--{name} is given twice")
        else:
            options.values[name] = value
    _check(options)
    return options


def _option(word: str, rest: list[str]) -> tuple[str, str]:
    """(name, value); the value may be the next word."""
    written, equals, value = word.lstrip("-").partition("=")
    name = {"h": "help", "vc": "versionCompatible"}.get(written) or _camel(written)
    if name in SWITCHES:
        if equals:
            raise CollectorError(f"--{written} takes no value")
        return name, ""
    if name not in VALUES:
        near = difflib.get_close_matches(name, list(SWITCHES) + list(VALUES), 3)
        raise CollectorError(
            f"the collector has no option --{written}",
            "did you mean --{}?".format(" or --".join(near)) if near else "--help lists its options",
        )
    if not equals:
        if not rest:
            raise CollectorError(f"--{written} needs a value")
        value = rest.pop(0)
    if name in _NUMBERS and not re.fullmatch(r"-?\d{1,18}", value):
        raise CollectorError(f"--{written} needs a whole number, not {value!r}")
    if name in ("warmUp", "duration") and not re.fullmatch(r"\d{1,9}(\.\d{1,9})?", value):
        raise CollectorError(f"--{written} needs a number, not {value!r}")
    return name, value


def _camel(name: str) -> str:
    """warm-up → warmUp, no-tf32 → noTF32; trtexec's own spelling stays."""
    if name in SWITCHES or name in VALUES:
        return name
    plain = name.replace("-", "").replace("_", "").lower()
    return next((known for known in list(SWITCHES) + list(VALUES) if known.lower() == plain), name)


def _check(options: CollectorOptions) -> None:
    if options.has("help"):
        return
    paths = options.paths
    if len(paths) > 2:
        raise CollectorError(
            f"expected a model and a folder, but got also {paths[2]!r}", "shapes: --shapes x:1x3x224x224"
        )
    if options.text("library", LIBRARIES[0]) not in LIBRARIES:
        raise CollectorError("--library must be {}".format(" or ".join(LIBRARIES)))
    if not options.model and not options.engine:
        raise CollectorError("no model is given", "collect.py MODEL.onnx FOLDER; --help lists the options")
    if len(paths) == 1:
        raise CollectorError("no folder is given for the files", f"collect.py {paths[0]} FOLDER")
    for path in filter(None, (options.model, options.engine, *options.libraries)):
        if os.path.isdir(path):
            raise CollectorError(f"this is a folder, not a model: {path}")
        if not os.path.isfile(path):
            raise CollectorError(f"there is no such file: {path}")


def help_lines() -> list[str]:
    """The text of --help."""
    lines = [
        "Builds an engine from an ONNX model with TensorRT's Python API, inspects and measures it, and writes files",
        "for the TensorRT Engine Explorer. Needs Python 3.8 or later and TensorRT 8.5 to 11; measuring also needs",
        "cuda-python or pycuda: without both the engine is built and inspected only.",
        "",
        "usage: python collect.py MODEL.onnx FOLDER [options]     build, inspect, measure",
        "       python collect.py MODEL.engine FOLDER [options]   inspect and measure an existing engine",
        "       python collect.py model.onnx out --shapes x:1x3x224x224 --fp16",
        "",
        "FOLDER gets MODEL.onnx.engine, ….graph.json, ….profile.json, ….timing.json, logs.",
        "Options are spelled as trtexec's (--warmUp=200) or with dashes (--warm-up 200):",
        "",
    ]
    for name, meaning in [*VALUES.items(), *SWITCHES.items()]:
        lines.append("  --%-26s %s" % (name + (" …" if name in VALUES else ""), meaning))
    return lines
