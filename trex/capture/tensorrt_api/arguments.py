"""The command line → Job: words in trtexec's spelling, or with dashes (``--warm-up``), values after = or a blank."""

from __future__ import annotations

import difflib
import os
import re
from typing import Sequence

from trex.capture.tensorrt_api.fault import Fault
from trex.capture.tensorrt_api.shape_spec import Shapes, parse_shapes

ENGINE_SUFFIXES = (".engine", ".plan", ".trt")

# What each word is for. Those of trtexec mean what they mean there; GRAPH and its like of 11.x are on unless undone.
SWITCHES = {
    "fp16": "allow FP16 kernels (until 10.x)",
    "bf16": "allow BF16 kernels (9.0 to 10.x)",
    "int8": "allow INT8 kernels (until 10.x)",
    "fp8": "allow FP8 kernels (8.6 to 10.x)",
    "int4": "allow INT4 kernels (10.x)",
    "best": "allow FP16, INT8 and, since 9.0, BF16",
    "stronglyTyped": "take all types from the model (9.0 to 10.x; always so since 11)",
    "noTF32": "no TF32",
    "refit": "an engine whose weights can be replaced",
    "stripWeights": "an engine without the weights that can be replaced (10.0)",
    "versionCompatible": "an engine for later releases, too (8.6)",
    "excludeLeanRuntime": "a version compatible engine without the runtime in it (8.6)",
    "directIO": "no reformats at inputs and outputs",
    "allowGPUFallback": "layers that DLA cannot run go to the GPU",
    "allowWeightStreaming": "an engine that can stream its weights (10.0)",
    "noBuilderCache": "no timing cache",
    "noCompilationCache": "nothing compiled in the timing cache (9.0)",
    "errorOnTimingCacheMiss": "stop where the timing cache does not know a tactic (9.0)",
    "noCudaGraph": "launch the kernels one by one, not as one CUDA graph",
    "noSpinWait": "wait for the GPU without a loop",
    "includeDataTransfers": "copy inputs and outputs in every inference",
    "useCudaGraph": "the default",
    "useSpinWait": "the default",
    "noDataTransfers": "the default",
    "separateProfileRun": "always so",
    "skipInference": "build only",
    "buildOnly": "build only",
    "dumpProfile": "layer times in the log, too",
    "verbose": "everything TensorRT says; logs in FOLDER have it anyway",
    "quiet": "no lines on the console but warnings and errors",
    "help": "this text",
}
VALUES = {
    "onnx": "FILE: model to build from",
    "loadEngine": "FILE: engine to measure",
    "saveEngine": "FILE: where the engine goes",
    "exportLayerInfo": "FILE: the graph",
    "exportProfile": "FILE: times of the layers",
    "exportTimes": "FILE: times of the inferences",
    "name": "TEXT: beginning of the names of what is written, instead of the model's file name",
    "shapes": "x:1x3x224x224,...: shapes to build for and to run",
    "minShapes": "smallest shapes of a profile",
    "optShapes": "usual shapes of a profile",
    "maxShapes": "largest shapes of a profile",
    "profile": "N: the shapes that follow belong to optimization profile N",
    "useProfile": "N: optimization profile to run",
    "memPoolSize": "workspace:1024,...: memory of the builder, in MiB",
    "timingCacheFile": "FILE: timing cache",
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
    "staticPlugins": "FILE: library of plugins",
    "plugins": "the same",
    "loadInputs": "x:FILE,...: raw bytes of inputs; others get random numbers, integers get 1",
    "device": "N: number of the GPU",
    "iterations": "N: at least so many inferences (10)",
    "warmUp": "milliseconds of inferences before the measurement (200)",
    "duration": "at least so many seconds of measurement (3)",
    "runs": "N: measurements, of which the one with the median time counts (1)",
    "cuda": "cuda-python, pycuda or none; default: the first that is installed",
}
_REPEATED = ("staticPlugins", "plugins")
_NUMBERS = ("profile", "useProfile", "builderOptimizationLevel", "maxAuxStreams", "maxTactics", "avgTiming", "device",
            "tilingOptimizationLevel", "l2LimitForTiling", "useDLACore", "iterations", "runs")  # fmt: skip
_SIDES = ("minShapes", "optShapes", "maxShapes")


class Job:
    """What is asked for. words: {name: value}, switches hold "". profiles: one {min, opt, max} each, in order.

    model, engine: files, either may be None. folder: None when every file is named by a word of its own.
    """

    def __init__(self) -> None:
        self.words: dict[str, str] = {}
        self.libraries: list[str] = []
        self.profiles: list[dict[str, Shapes]] = []
        self.places: list[str] = []

    def has(self, name: str) -> bool:
        return name in self.words

    def text(self, name: str, otherwise: str = "") -> str:
        return self.words.get(name, otherwise)

    def number(self, name: str, otherwise: float) -> float:
        try:
            return float(self.words[name])
        except KeyError:
            return otherwise

    @property
    def run_shapes(self) -> Shapes:
        return parse_shapes(self.words["shapes"]) if "shapes" in self.words else {}

    @property
    def model(self) -> str | None:
        given = self.words.get("onnx")
        return given or (self.places[0] if self.places and not is_engine(self.places[0]) else None)

    @property
    def engine(self) -> str | None:
        """The engine that is there already."""
        given = self.words.get("loadEngine")
        return given or (self.places[0] if self.places and is_engine(self.places[0]) else None)

    @property
    def folder(self) -> str | None:
        return self.places[1] if len(self.places) > 1 else None

    @property
    def builds_only(self) -> bool:
        return self.has("skipInference") or self.has("buildOnly")


def is_engine(path: str) -> bool:
    """By its name, or by how plans begin."""
    if path.lower().endswith(ENGINE_SUFFIXES):
        return True
    try:
        with open(path, "rb") as file:
            return file.read(4) in (b"ftrt", b"ptrt")
    except OSError:
        return False


def read_arguments(argv: Sequence[str]) -> Job:
    """Raises Fault for a word that is not known, with what comes near it."""
    job = Job()
    group: dict[str, Shapes] | None = None
    waiting = list(argv)
    while waiting:
        word = waiting.pop(0)
        if not word.startswith("-") or word == "-":
            job.places.append(word)
            continue
        name, value = _word(word, waiting)
        if name == "profile":
            group = {}
            job.profiles.append(group)
            if int(value) != len(job.profiles) - 1:
                raise Fault(f"profiles are numbered from 0 in order; --profile={value} is not next")
        elif name in _SIDES:
            if group is None:
                group = {}
                job.profiles.append(group)
            if name in group:
                raise Fault(f"--{name} is given twice for one profile", "--profile=N begins another one")
            group[name] = parse_shapes(value)
        elif name in _REPEATED:
            job.libraries.append(value)
        elif job.words.get(name, value) != value:
            raise Fault(f"--{name} is given twice")
        else:
            job.words[name] = value
    _check(job)
    return job


def _word(word: str, waiting: list[str]) -> tuple[str, str]:
    """(name, value); the value may be the next word."""
    written, equals, value = word.lstrip("-").partition("=")
    name = {"h": "help", "vc": "versionCompatible"}.get(written) or _camel(written)
    if name in SWITCHES:
        if equals:
            raise Fault(f"--{written} takes no value")
        return name, ""
    if name not in VALUES:
        near = difflib.get_close_matches(name, list(SWITCHES) + list(VALUES), 3)
        raise Fault(
            f"the collector has no option --{written}",
            "did you mean --{}?".format(" or --".join(near)) if near else "--help lists them",
        )
    if not equals:
        if not waiting:
            raise Fault(f"--{written} needs a value")
        value = waiting.pop(0)
    if name in _NUMBERS and not re.fullmatch(r"-?\d{1,18}", value):
        raise Fault(f"--{written} needs a whole number, not {value!r}")
    if name in ("warmUp", "duration") and not re.fullmatch(r"\d{1,9}(\.\d{1,9})?", value):
        raise Fault(f"--{written} needs a number from 0 up, not {value!r}")
    return name, value


def _camel(name: str) -> str:
    """warm-up → warmUp, no-tf32 → noTF32; trtexec's own spelling stays."""
    plain = name.replace("-", "").replace("_", "").lower()
    if name in SWITCHES or name in VALUES:
        return name
    return next((known for known in list(SWITCHES) + list(VALUES) if known.lower() == plain), name)


def _check(job: Job) -> None:
    if job.has("help"):
        return
    if len(job.places) > 2:
        raise Fault(f"a model and a folder are expected, and then: {job.places[2]!r}", "shapes: --shapes x:1x3x224x224")
    if not job.model and not job.engine:
        raise Fault("no model is given", "collect.py MODEL.onnx FOLDER; --help tells more")
    if job.places and len(job.places) < 2:
        raise Fault("no folder is given for what is collected", f"collect.py {job.places[0]} FOLDER")
    for path in filter(None, (job.model, job.engine, *job.libraries)):
        if os.path.isdir(path):
            raise Fault(f"this is a folder, not a model: {path}")
        if not os.path.isfile(path):
            raise Fault(f"there is no such file: {path}")


def help_lines() -> list[str]:
    """The text of --help."""
    lines = [
        "Builds an engine of an ONNX model with TensorRT's Python API, inspects and measures it, and writes what",
        "the TensorRT Engine Explorer reads. Needs Python 3.8 or later and TensorRT 8.5 to 11; measuring also needs",
        "cuda-python or pycuda: without both the engine is built and inspected only.",
        "",
        "usage: python collect.py MODEL.onnx FOLDER [options]     build, inspect, measure",
        "       python collect.py MODEL.engine FOLDER [options]   inspect and measure an engine that is there",
        "       python collect.py model.onnx out --shapes x:1x3x224x224 --fp16",
        "",
        "FOLDER gets MODEL.onnx.engine, ….graph.json, ….profile.json, ….timing.json, logs, metadata, manifest.json.",
        "Options are spelled as trtexec's (--warmUp=200) or with dashes (--warm-up 200):",
        "",
    ]
    for name, meaning in [*VALUES.items(), *SWITCHES.items()]:
        lines.append("  --%-26s %s" % (name + (" …" if name in VALUES else ""), meaning))
    return lines
