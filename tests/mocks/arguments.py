"""trtexec's command line as a release parses it: every option once, leftovers are unknown, wrong values end the run.

Written from the reference of the parser, not from ``trex.capture``: what that writes is tried against this.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from trex.ingest.spelling.trtexec_options import OPTIONS, OptionValue

Release = tuple[int, int]
Shapes = dict[str, list[str]]

_INTEGER = re.compile(r"\s*[-+]?\d+")
_FLOAT = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)")
_POOLS = ("workspace", "dlaSRAM", "dlaLocalDRAM", "dlaGlobalDRAM")
_FORMATS = {"chw", "chw2", "chw4", "hwc8", "chw16", "chw32", "dhwc8", "cdhw32", "hwc", "dhwc", "dla_linear", "dla_hwc4",
            "hwc16"}  # fmt: skip
_CHOICES = {
    "profilingVerbosity": ("layer_names_only", "detailed", "none", "default", "verbose"),
    "precisionConstraints": ("obey", "prefer", "none"),
    "sparsity": ("disable", "enable", "force"),
    "allocationStrategy": ("static", "profile", "runtime"),
}
_UNITS = {"B": 2**-20, "K": 2**-10, "M": 1.0, "G": 1024.0}
_LOW_PRECISION = ("fp16", "bf16", "int8", "fp8", "int4", "best")


_NEEDS = (
    ("weightStreamingBudget", "allowWeightStreaming"), ("dumpKernelText", "safe"), ("remoteAutoTuningConfig", "safe"),
    ("cpuOnly", "safe"), ("cpuOnly", "remoteAutoTuningConfig"), ("uint8AsymmetricQuantizationDLA", "useDLACore"),
    ("reportCapabilityDLA", "useDLACore"), ("loadRefOutputs", "loadInputs"), ("loadRefOutputs", "accuracyThreshold"),
    ("saveAllEngines", "saveEngine"),
)  # fmt: skip


_PAIRED = ("loadInputs", "loadRefOutputs")


class BadValue(Exception):
    """The parser's complaint about a value."""


@dataclass
class Parsed:
    """values: {option: its texts}. profiles: per optimization profile {input: [min, opt, max]}. pools: {pool: MiB}."""

    values: dict[str, list[str]] = field(default_factory=dict)
    profiles: list[Shapes] = field(default_factory=list)
    run_shapes: dict[str, str] = field(default_factory=dict)
    calibration: Shapes = field(default_factory=dict)
    pools: dict[str, float] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    unknown: list[tuple[str, str]] = field(default_factory=list)
    wants_help: bool = False

    def has(self, name: str) -> bool:
        return name in self.values

    def text(self, name: str, default: str = "") -> str:
        return self.values[name][-1] if name in self.values else default

    def number(self, name: str, default: int) -> int:
        match = _INTEGER.match(self.text(name))
        return int(match[0]) if match else default


def parse(words: list[str], release: Release) -> Parsed:
    """Raises BadValue where the parser of this release throws; unknown options are only collected."""
    parsed = Parsed()
    left = [(key, value) for key, _, value in (word.partition("=") for word in words)]
    parsed.wants_help = not words or any(key in ("--help", "-h") for key, _ in left)
    words_given = {key.removeprefix("--") for key, _ in left}
    _take_profiles(left, parsed, release)
    for name, option in OPTIONS.items():
        if not option.is_parsed_by(release) or name in ("minShapes", "optShapes", "maxShapes", "profile"):
            continue
        key = "-h" if name == "h" else f"--{name}"
        while (index := next((i for i, (k, _) in enumerate(left) if k == key), None)) is not None:
            parsed.values.setdefault(name, []).append(left.pop(index)[1])
            if not option.may_repeat(release) or (name in _PAIRED and "refPair" not in words_given):
                break
    for alias, name in (("vc", "versionCompatible"), ("pi", "pluginInstanceNorm"), ("weightless", "stripWeights")):
        if parsed.has(alias):
            parsed.values.setdefault(name, [""])
    parsed.unknown = left
    if parsed.wants_help:
        return parsed
    _check_values(parsed, release)
    _check_together(parsed, release)
    _share_shapes(parsed, release)
    return parsed


def _take_profiles(left: list[tuple[str, str]], parsed: Parsed, release: Release) -> None:
    """Since 9.0 ``--profile=N`` opens a group; without one there is one profile, and since then one only."""
    keys = ("--minShapes", "--optShapes", "--maxShapes")
    has_groups = release >= (9, 0) and any(key == "--profile" for key, _ in left)
    if not has_groups:
        once: dict[str, str] = {}
        for key in keys:
            index = next((i for i, (k, _) in enumerate(left) if k == key), None)
            if index is not None:
                once[key] = left.pop(index)[1]
        parsed.profiles = [_profile(once, "minShapes/optShapes/maxShapes")]
        if release >= (9, 0) and any(key in keys for key, _ in left):
            raise BadValue("Multiple --minShapes/--optShapes/--maxShapes without --profile are not allowed. ")
        return
    groups: dict[int, dict[str, str]] = {}
    current: dict[str, str] | None = None
    rest = []
    for key, value in left:
        if key == "--profile":
            current = groups.setdefault(_integer(value), {})
        elif key in keys and current is not None and key not in current:
            current[key] = value
        elif key in keys:
            raise BadValue("Multiple --minShapes/--optShapes/--maxShapes without --profile are not allowed. ")
        else:
            rest.append((key, value))
    left[:] = rest
    if sorted(groups) != list(range(len(groups))):
        raise BadValue("Profile index is not continuous.")
    parsed.profiles = [_profile(groups[index], "profile") for index in sorted(groups)]


def _profile(texts: dict[str, str], what: str) -> Shapes:
    low, best, high = (texts.get(key) for key in ("--minShapes", "--optShapes", "--maxShapes"))
    if (best is None and (low is not None or high is not None)) or (low is None) != (high is None):
        raise BadValue("Must specify only --optShapes or all of --minShapes, --optShapes, --maxShapes")
    if best is None:
        return {}
    shapes: Shapes = {}
    for index, text in enumerate((best if low is None else low, best, best if high is None else high)):
        for name, dims in split_shapes(text).items():
            shapes.setdefault(name, ["", "", ""])[index] = dims
    return shapes


def split_shapes(text: str) -> dict[str, str]:
    """``x:1x3,'y:0':2`` → {x: 1x3, y:0: 2}; the name ends at the last colon."""
    values = {}
    for part in filter(None, text.split(",")):
        name, colon, dims = part.replace("'", "").rpartition(":")
        for size in filter(None, dims.split("x") if dims != "scalar" else ()):
            _integer(size)
        if not colon:
            name, dims = dims, ""
        values[name] = dims
    return values


def _integer(text: str) -> int:
    match = _INTEGER.match(text)
    if match is None:
        raise BadValue("stoi")
    return int(match[0])


def _check_values(parsed: Parsed, release: Release) -> None:
    for name, texts in parsed.values.items():
        kind = OPTIONS[name].value
        for text in texts:
            if kind is OptionValue.NUMBER and not (_FLOAT if name in _DECIMAL else _INTEGER).match(text):
                raise BadValue("stof" if name in _DECIMAL else "stoi")
            if name in _CHOICES and text and text not in _CHOICES[name]:
                raise BadValue(f"Unknown {name}: {text}")
            if kind is OptionValue.POOLS:
                parsed.pools.update(_pools(text, release))
            if kind is OptionValue.FORMATS:
                _check_formats(text, release)
    given = [name for name in ("minShapesCalib", "optShapesCalib", "maxShapesCalib") if parsed.has(name)]
    for name in given:
        split_shapes(parsed.text(name))
    if given and given != ["optShapesCalib"] and len(given) < 3:
        raise BadValue(
            "Must specify only --optShapesCalib or all of --minShapesCalib, --optShapesCalib, --maxShapesCalib"
        )
    parsed.run_shapes = split_shapes(parsed.text("shapes"))


_DECIMAL = {"persistentCacheRatio", "atol", "rtol", "accuracyThreshold"}


def _pools(text: str, release: Release) -> dict[str, float]:
    """Sizes in MiB. Until 10.0 what follows the number is not read; since then the last letter is a unit."""
    values = {}
    for part in filter(None, text.split(",")):
        name, _, size = part.rpartition(":")
        if name not in _POOLS and not (name == "tacticSharedMem" and release >= (10, 0)):
            raise BadValue(f"Unknown memory pool: {name}")
        number = _FLOAT.match(size)
        if number is None:
            raise BadValue(
                "stod conversion failure: failed to parse --memPoolSize. Please double check your input string."
            )
        factor = 1.0
        if release >= (10, 1) and not size[-1].isdigit() and size[-1] != ".":
            if size[-1] not in _UNITS:
                raise BadValue(f"Invalid unit: {size[-1]}")
            factor = _UNITS[size[-1]]
        values[name] = float(number[0]) * factor
    return values


def _check_formats(text: str, release: Release) -> None:
    for part in filter(None, text.split(",")):
        kind, colon, formats = part.rpartition(":")
        if (release >= (11, 0)) == bool(colon):
            raise BadValue(f"Invalid {'TensorFormat' if colon else 'IOFormat'} {part}")
        if any(word not in _FORMATS for word in formats.split("+")):
            raise BadValue(f"Invalid TensorFormat {formats}")
        if colon and kind not in ("fp32", "fp16", "int32", "int8", "bf16", "fp8", "int64", "uint8", "bool", "int4"):
            raise BadValue(f"Invalid DataType {kind}")


def _check_together(parsed: Parsed, release: Release) -> None:
    has = parsed.has
    if has("loadEngine") and has("saveEngine"):
        raise BadValue("Incompatible load and save engine options selected")
    if not has("loadEngine") and not any(has(name) for name in ("onnx", "uff", "model", "deploy")):
        raise BadValue("Model missing or format not recognized")
    has_shapes = has("onnx") or any(parsed.profiles) or has("shapes")
    if (has("batch") or has("maxBatch")) and has_shapes:
        raise BadValue(
            "The --batch and --maxBatch flags should not be used when the input model is ONNX or when dynamic shapes "
            "are provided. Please use --optShapes and --shapes to set input shapes instead."
        )
    for name, needed in _NEEDS:
        if has(name) and not has(needed):
            raise BadValue(f"--{name} requires --{needed} to be specified.")
    if has("pluginInstanceNorm") and (
        has("versionCompatible") or parsed.text("hardwareCompatibilityLevel") == "ampere+"
    ):
        raise BadValue("Plugin InstanceNorm cannot be used with version compatible or hardware compatible engines!")
    if parsed.text("useRuntime", "full") != "full" and not has("loadEngine"):
        raise BadValue("Building a TensorRT engine requires --useRuntime=full.")
    if has("stronglyTyped") and has("best"):
        raise BadValue("--best and --stronglyTyped cannot be both set. --best enables implicit precisions, while "
                       "--stronglyTyped enforces explicit precisions.")  # fmt: skip
    if has("fp8") and has("int8") and release >= (10, 0):
        raise BadValue("Invalid usage, fp8 and int8 aren't allowed to be enabled together.")
    low = [name for name in _LOW_PRECISION if has(name)]
    if low and not has("stronglyTyped") and release >= (10, 14):
        parsed.warnings.append(
            "Weakly-typed networks have been deprecated in TensorRT. You can use the AutoCast tool to convert the "
            "network to be strongly typed."
        )
    if has("stronglyTyped"):
        parsed.warnings += [f"Invalid usage, setting {name} mode is not allowed if graph is strongly typed. Disabling "
                            f"BuilderFlag::k{name.upper()}." for name in low]  # fmt: skip
    for name, new in (("plugins", "staticPlugins"), ("streams", "infStreams"), ("buildOnly", "skipInference")):
        if has(name) and OPTIONS[name].is_deprecated(release):
            parsed.warnings.append(f"--{name} flag has been deprecated, use --{new} flag instead.")
    for name in ("explicitBatch", "explicitPrecision"):
        if has(name):
            parsed.warnings.append(f"--{name} flag has been deprecated and has no effect!")
    for name in ("workspace", "nvtxMode"):
        if has(name) and OPTIONS[name].is_deprecated(release):
            parsed.warnings.append(
                f"--{name} flag has been deprecated by {OPTIONS[name].instead.partition('=')[0]} flag."
            )
    for name in sorted(parsed.values):
        if release >= (11, 0) and OPTIONS[name].has_no_effect(release):
            parsed.warnings.append(f"--{name} is deprecated.")


def _share_shapes(parsed: Parsed, release: Release) -> None:
    """What is given for the run only also holds for the build, and the other way round; until 8.5 all or nothing."""
    index = parsed.number("useProfile", 0)
    if index >= len(parsed.profiles):
        return
    profile = parsed.profiles[index]
    if release <= (8, 5) and profile and parsed.run_shapes:
        return
    for name, (_, best, _) in profile.items():
        parsed.run_shapes.setdefault(name, best)
    for name, dims in parsed.run_shapes.items():
        profile.setdefault(name, [dims, dims, dims])
