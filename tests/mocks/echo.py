"""What trtexec prints of its options, its device and itself before it starts, as each release words it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tests.mocks.arguments import Parsed, Release

DEVICE = "Synthetic A100-like device"
UUID = "GPU-00000000-1111-2222-3333-444444444444"

Row = tuple[str, str, Callable[[Parsed, Release], str]]  # key, releases, value

_CLOCKS_NOTE = (
    "Note: The application clock rates do not reflect the actual clock rates that the GPU is currently running at."
)
_VERBOSITIES = {"": 0, "default": 0, "layer_names_only": 0, "none": 1, "detailed": 2, "verbose": 2}


def option_lines(parsed: Parsed, release: Release) -> Iterator[str]:
    """The sections from Model Options to Reporting Options, without prefixes."""
    loads = parsed.has("loadEngine")
    yield from (
        "=== Model Options ===",
        f"Format: {'*' if loads else 'ONNX'}",
        f"Model: {parsed.text('onnx')}",
        "Output:",
    )
    if loads and release >= (10, 0):
        yield ""
    else:
        yield "=== Build Options ==="
        yield from _rows(_BUILD, parsed, release)
        yield from _build_shapes(parsed, release)
    yield "=== System Options ==="
    yield from _rows(_SYSTEM, parsed, release)
    if release >= (8, 6):
        yield ""
    yield "=== Inference Options ==="
    yield "Batch: Explicit"
    if parsed.run_shapes:
        space = " " if release >= (9, 0) else ""
        yield from (f"Input inference shape{space}: {name}={dims}" for name, dims in parsed.run_shapes.items())
    else:
        yield "Input inference shapes: model"
    yield from _rows(_INFERENCE, parsed, release)
    yield "=== Reporting Options ==="
    yield from _rows(_REPORTING, parsed, release)
    yield ""


def device_lines(release: Release) -> Iterator[str]:
    """Device Information of a device that does not exist, with an A100's public figures."""
    is_new = release >= (8, 6)
    clocks = ("Compute Clock Rate: 1.41 GHz", "Memory Clock Rate: 1.215 GHz")
    yield "=== Device Information ==="
    if release >= (9, 1):
        yield from ("Available Devices: ", f'  Device 0: "{DEVICE}" UUID: {UUID}')
    yield f"Selected Device: {DEVICE}"
    if release >= (9, 1):
        yield from ("Selected Device ID: 0", f"Selected Device UUID: {UUID}")
    yield from ("Compute Capability: 8.0", "SMs: 108")
    if not is_new:
        yield clocks[0]
    yield from ("Device Global Memory: 40536 MiB", "Shared Memory per SM: 164 KiB")
    yield "Memory Bus Width: 5120 bits (ECC enabled)"
    if is_new:
        yield from (f"Application {clock}" for clock in clocks)
        yield ""
        yield _CLOCKS_NOTE
    else:
        yield clocks[1]
    yield ""


def verbosity(parsed: Parsed) -> int:
    """0 layer names only, 1 none, 2 detailed: the number that trtexec prints."""
    old = {"verbose": 2, "none": 1}.get(parsed.text("nvtxMode"), 0)
    return _VERBOSITIES.get(parsed.text("profilingVerbosity"), 0) or old


def _rows(rows: tuple[Row, ...], parsed: Parsed, release: Release) -> Iterator[str]:
    for key, span, value in rows:
        if _in(span, release):
            yield f"{key}{value(parsed, release)}"


def _in(span: str, release: Release) -> bool:
    first, _, last = span.partition("-")
    return (not first or release >= _number(first)) and (not last or release <= _number(last))


def _number(text: str) -> Release:
    major, _, minor = text.partition(".")
    return int(major), int(minor)


def _build_shapes(parsed: Parsed, release: Release) -> Iterator[str]:
    if not any(parsed.profiles):
        yield "Input build shapes: model"
    for index, profile in enumerate(parsed.profiles):
        which = f" (profile {index})" if release >= (9, 0) else ""
        yield from (f"Input build shape{which}: {name}={'+'.join(dims)}" for name, dims in profile.items())
    if release <= (10, 16):
        yield "Input calibration shapes: model"


def _switch(*names: str, default: bool = False) -> Callable[[Parsed, Release], str]:
    return lambda parsed, _: _enabled(default or any(parsed.has(name) for name in names))


def _text(name: str, default: str = "") -> Callable[[Parsed, Release], str]:
    return lambda parsed, _: parsed.text(name, default)


def _is(text: str) -> Callable[[Parsed, Release], str]:
    return lambda _, __: text


def _enabled(on: bool) -> str:
    return "Enabled" if on else "Disabled"


def _pools(parsed: Parsed, release: Release) -> str:
    names = [
        "workspace",
        "dlaSRAM",
        "dlaLocalDRAM",
        "dlaGlobalDRAM",
        *(["tacticSharedMem"] if release >= (10, 0) else []),
    ]
    if parsed.has("workspace") and "workspace" not in parsed.pools:
        parsed.pools["workspace"] = float(parsed.number("workspace", 16))
    units = {"tacticSharedMem": (1024, "KiB")}
    units = {name: units.get(name, (1, "MiB")) for name in names}
    sizes = (
        f"{parsed.pools[name] * units[name][0]:g} {units[name][1]}" if name in parsed.pools else "default"
        for name in names
    )
    return ", ".join(f"{name}: {size}" for name, size in zip(names, sizes, strict=True))


def precision(parsed: Parsed, release: Release) -> str:
    """``FP32+FP16``, or ``Strongly Typed``: always since 11.0."""
    if parsed.has("stronglyTyped") or release >= (11, 0):
        return "Strongly Typed"
    best = parsed.has("best")
    wanted = {"fp16": best, "bf16": best and release >= (9, 0), "int8": best, "fp8": False, "int4": False}
    text = "FP32" + "".join(f"+{name.upper()}" for name, also in wanted.items() if also or parsed.has(name))
    constraints = parsed.text("precisionConstraints")
    return text + (f" ({constraints} precision constraints)" if constraints in ("obey", "prefer") else "")


def _calibration(parsed: Parsed, _: Release) -> str:
    return parsed.text("calib", "Dynamic" if parsed.has("int8") or parsed.has("best") else "")


def _cache_mode(parsed: Parsed, _: Release) -> str:
    return "disable" if parsed.has("noBuilderCache") else "global" if parsed.has("timingCacheFile") else "local"


def _level(parsed: Parsed, release: Release) -> str:
    return parsed.text("builderOptimizationLevel", "3" if release < (10, 0) else "-1")


def _formats(name: str) -> Callable[[Parsed, Release], str]:
    def text(parsed: Parsed, release: Release) -> str:
        return (
            f"s format: {'CHW' if release >= (11, 0) else 'fp32:CHW'}"
            if not parsed.has(name)
            else f": {parsed.text(name)}"
        )

    return text


def _plugins(parsed: Parsed, _: Release) -> str:
    names = (*parsed.values.get("plugins", ()), *parsed.values.get("staticPlugins", ()))
    return "".join(f" {name}" for name in names)


def _many(name: str) -> Callable[[Parsed, Release], str]:
    return lambda parsed, _: "".join(f" {value}" for value in parsed.values.get(name, ()))


def _in_11(name: str, undone_by: str) -> Callable[[Parsed, Release], str]:
    """An option that is the default in 11 and must be given before."""
    return lambda parsed, release: _enabled(not parsed.has(undone_by) if release >= (11, 0) else parsed.has(name))


def transfers(parsed: Parsed, release: Release) -> bool:
    return parsed.has("includeDataTransfers") if release >= (11, 0) else not parsed.has("noDataTransfers")


def _percentiles(parsed: Parsed, release: Release) -> str:
    return parsed.text("percentile", "90,95,99" if release >= (8, 5) else "99")


_TACTICS = "Using default tactic sources"
_BUILD: tuple[Row, ...] = (
    ("Max batch: ", "-9.3", _is("explicit batch")),
    ("Workspace: ", "-8.2", lambda parsed, _: f"{parsed.text('workspace', '16')} MiB"),
    ("Memory Pools: ", "8.4-", _pools),
    ("minTiming: ", "-9.3", _text("minTiming", "1")),
    ("avgTiming: ", "", _text("avgTiming", "8")),
    ("Precision: ", "", precision),
    ("LayerPrecisions: ", "8.4-10.16", _text("layerPrecisions")),
    ("Layer Device Types: ", "8.6-", _text("layerDeviceTypes")),
    ("Decomposable Attentions: ", "10.14-", _text("decomposableAttentions")),
    ("Calibration: ", "-10.16", _calibration),
    ("Refit: ", "", _switch("refit", "stripAllWeights")),
    ("Weightless: ", "9.2-9.3", _switch("weightless")),
    ("Strip weights: ", "10.0-", _switch("stripWeights", "stripAllWeights")),
    ("Version Compatible: ", "8.6-", _switch("versionCompatible")),
    ("ONNX Native InstanceNorm: ", "8.6-9.3", _switch("nativeInstanceNorm", "ni")),
    ("ONNX Plugin InstanceNorm: ", "10.0-", _switch("pluginInstanceNorm")),
    ("ONNX kENABLE_UINT8_AND_ASYMMETRIC_QUANTIZATION_DLA flag: ", "10.11-", _switch("uint8AsymmetricQuantizationDLA")),
    ("ONNX kREPORT_CAPABILITY_DLA flag: ", "10.16-", _switch("reportCapabilityDLA")),
    ("ONNX kADJUST_FOR_DLA flag: ", "10.16-", _switch("adjustForDLA")),
    ("ONNX kENABLE_PLUGIN_OVERRIDE flag: ", "10.15-", _switch("enablePluginOverride")),
    ("TensorRT runtime: ", "8.6-", _text("useRuntime", "full")),
    ("Lean DLL Path: ", "8.6-", _text("leanDLLPath")),
    ("Tempfile Controls: ", "8.6-", _is("{ in_memory: allow, temporary: allow }")),
    ("Exclude Lean Runtime: ", "8.6-", _switch("excludeLeanRuntime")),
    (
        "Sparsity: ",
        "",
        lambda parsed, _: {"enable": "Enabled", "force": "Forced"}.get(parsed.text("sparsity"), "Disabled"),
    ),
    ("Safe mode: ", "", _switch("safe")),
    ("Build DLA standalone loadable: ", "8.6-", _switch("buildDLAStandalone")),
    ("Allow GPU fallback for DLA: ", "8.6-", _switch("allowGPUFallback")),
    ("DirectIO mode: ", "8.2-", _switch("directIO")),
    ("Restricted mode: ", "8.2-10.16", _switch("restricted")),
    ("Build only: ", "8.4-8.5", _switch("buildOnly")),
    ("Skip inference: ", "8.6-", _switch("skipInference", "buildOnly")),
    ("Save engine: ", "", _text("saveEngine")),
    ("Load engine: ", "", _text("loadEngine")),
    ("Profiling verbosity: ", "8.2-", lambda parsed, _: str(verbosity(parsed))),
    ("Tactic sources: ", "", lambda parsed, _: parsed.text("tacticSources", _TACTICS)),
    ("timingCacheMode: ", "", _cache_mode),
    ("timingCacheFile: ", "", _text("timingCacheFile")),
    ("Enable Compilation Cache: ", "9.0-", lambda parsed, _: _enabled(not parsed.has("noCompilationCache"))),
    ("Enable Monitor Memory: ", "10.6-", _switch("monitorMemory")),
    ("CPU Only Mode: ", "10.15-", _switch("cpuOnly")),
    ("errorOnTimingCacheMiss: ", "9.0-", _switch("errorOnTimingCacheMiss")),
    ("Heuristic: ", "8.5-9.3", _switch("heuristic")),
    ("Preview Features: ", "8.5-", lambda parsed, _: parsed.text("preview", "Use default preview flags.")),
    ("MaxAuxStreams: ", "8.6-", _text("maxAuxStreams", "-1")),
    ("BuilderOptimizationLevel: ", "8.6-", _level),
    ("MaxTactics: ", "10.4-", _text("maxTactics", "-1")),
    ("Calibration Profile Index: ", "9.0-10.16", _text("calibProfile", "0")),
    ("Weight Streaming: ", "10.0-", _switch("allowWeightStreaming")),
    ("Runtime Platform: ", "10.2-", _is("Same As Build")),
    ("Debug Tensors: ", "10.0-", _text("markDebug")),
    ("Distributive Independence: ", "10.12-", _switch("distributiveIndependence")),
    ("Mark Unfused Tensors As Debug Tensors: ", "10.12-", _switch("markUnfusedTensorsAsDebugTensors")),
    ("Input(s)", "", _formats("inputIOFormats")),
    ("Output(s)", "", _formats("outputIOFormats")),
)
_SYSTEM: tuple[Row, ...] = (
    ("Device: ", "", _text("device", "0")),
    ("DLACore: ", "", _text("useDLACore")),
    ("Plugins:", "-10.15", _plugins),
    ("Loaded static plugins:", "10.16-", _plugins),
    ("setPluginsToSerialize:", "8.6-", _many("setPluginsToSerialize")),
    ("dynamicPlugins:", "8.6-", _many("dynamicPlugins")),
    ("ignoreParsedPluginLibs: ", "8.6-", lambda parsed, _: str(int(parsed.has("ignoreParsedPluginLibs")))),
)
_INFERENCE: tuple[Row, ...] = (
    ("Iterations: ", "", _text("iterations", "10")),
    ("Duration: ", "", lambda p, _: f"{p.text('duration', '3')}s (+ {p.text('warmUp', '200')}ms warm up)"),
    ("Sleep time: ", "", lambda parsed, _: f"{parsed.text('sleepTime', '0')}ms"),
    ("Idle time: ", "8.2-", lambda parsed, _: f"{parsed.text('idleTime', '0')}ms"),
    ("Streams: ", "-8.5", _text("streams", "1")),
    ("Inference Streams: ", "8.6-", lambda parsed, _: parsed.text("infStreams", parsed.text("streams", "1"))),
    ("ExposeDMA: ", "", _switch("exposeDMA")),
    ("Data transfers: ", "", lambda parsed, release: _enabled(transfers(parsed, release))),
    ("Spin-wait: ", "", _in_11("useSpinWait", "noSpinWait")),
    ("Multithreading: ", "", _switch("threads")),
    ("CUDA Graph: ", "", _in_11("useCudaGraph", "noCudaGraph")),
    ("Separate profiling: ", "-10.16", _switch("separateProfileRun")),
    ("Time Deserialize: ", "", _switch("timeDeserialize")),
    ("Time Refit: ", "", _switch("timeRefit")),
    ("Skip inference: ", "-8.2", _switch("buildOnly")),
    ("NVTX verbosity: ", "8.5-", lambda parsed, _: str(verbosity(parsed))),
    ("Persistent Cache Ratio: ", "8.5-", _text("persistentCacheRatio", "0")),
    ("Optimization Profile Index: ", "9.0-", _text("useProfile", "0")),
    ("Weight Streaming Budget: ", "10.0-", _text("weightStreamingBudget", "100.000000%")),
    ("Accuracy Algorithm: ", "11.1-", _text("accuracyAlgorithm")),
    ("Absolute Tolerance (atol): ", "11.1-", _text("atol", "0")),
    ("Relative Tolerance (rtol): ", "11.1-", _text("rtol", "0")),
    ("Accuracy Threshold: ", "11.1-", _text("accuracyThreshold", "0")),
    ("RefOutputs:", "11.1-", _text("loadRefOutputs")),
    ("Inputs:", "", _is("")),
    ("Debug Tensor Save Destinations:", "10.0-", _text("saveDebugTensors")),
    ("Dump All Debug Tensor in Formats: ", "10.12-", _text("saveAllDebugTensors")),
)
_REPORTING: tuple[Row, ...] = (
    ("Verbose: ", "", _switch("verbose")),
    ("Averages: ", "", lambda parsed, _: f"{parsed.text('avgRuns', '10')} inferences"),
    ("Percentile: ", "-8.4", _percentiles),
    ("Percentiles: ", "8.5-", _percentiles),
    ("Dump refittable layers:", "", _switch("dumpRefit")),
    ("Dump output: ", "", _switch("dumpOutput")),
    ("Profile: ", "", _switch("dumpProfile", "exportProfile")),
    ("Export timing to JSON file: ", "", _text("exportTimes")),
    ("Export output to JSON file: ", "", _text("exportOutput")),
    ("Export profile to JSON file: ", "", _text("exportProfile")),
)
