"""A build in the log of each release: import, optimization, the tuning of each layer, memory, the engine."""

from __future__ import annotations

from tests.mocks.arguments import Release
from tests.mocks.console import Console, Failed
from tests.mocks.network import Facts, spelling
from tests.synthetic.description import KERNEL, Description, Region, Step
from tests.synthetic.measurements import layer_ms
from tests.synthetic.spellings import layer_rows, short_format

RULE = "-" * 64


def import_log(console: Console, release: Release, model: str, facts: Facts | None, description: Description) -> None:
    """Reading the model; without ``facts`` it cannot be read."""
    console.info("Start parsing network model" + ("." if release >= (8, 6) else ""))
    console.reach("parse")
    if facts is None:
        console.error("[TRT] ModelImporter.cpp:735: Failed to parse ONNX model from file: " + model)
        _no_model(console, release)
    for line in (
        RULE, f"Input filename:   {model}", "ONNX IR version:  0.0.8", "Opset version:    17",
        "Producer name:    mock", "Producer version: 1", "Domain:           ", "Model version:    0",
        "Doc string:       ", RULE,
    ):  # fmt: skip
        console.info(f"[TRT] {line}")
    for region in description.inputs:
        dims = ", ".join(map(str, region.dims))
        console.verbose(f"[TRT] Adding network input: {region.name} with dtype: float32, dimensions: ({dims})")
    for step in description.steps:
        for origin in step.origins:
            console.verbose(f"[TRT] Parsing node: {origin} [Op]")
            console.verbose(f"[TRT] Registering layer: {origin} for ONNX node: {origin}")
    for number in range(int(console.behavior.get("chatter", 0))):
        console.verbose(f"[TRT] Searching for input: tensor_{number}")
    if console.fails("parse"):
        console.error('[TRT] ModelImporter.cpp:771: While parsing node number 3 [Gizmo -> "y"]:')
        console.error(
            "[TRT] ModelImporter.cpp:777: ERROR: builtin_op_importers.cpp: No importer registered for op: Gizmo"
        )
        _no_model(console, release)
    if release >= (8, 6):
        console.info("Finished parsing network model. Parse time: 0.0204")
    else:
        console.info("Finish parsing network model")


def _no_model(console: Console, release: Release) -> None:
    console.error("Failed to parse onnx file")
    if release >= (8, 6):
        console.info("Finished parsing network model. Parse time: 0.0011")
    else:
        console.info("Finish parsing network model")
    for line in ("Parsing model failed", "Failed to create engine from model or file.", "Engine set up failed"):
        console.error(line)
    raise Failed


def build_log(console: Console, release: Release, facts: Facts, description: Description, is_cached: bool) -> None:
    """Optimizing and tuning, layer by layer, to ``Engine generation completed``."""
    kernels = [step for step in description.steps if step.role == KERNEL]
    for index, profile in enumerate(facts.profiles):
        for name, (low, best, high) in profile.items():
            if release >= (9, 0):
                console.info(
                    f"Set shape of input tensor {name} for optimization profile {index} to: "
                    f"MIN={low} OPT={best} MAX={high}"
                )
    console.verbose(f"[TRT] Original: {len(description.steps) + 4} layers")
    console.verbose(f"[TRT] After dead-layer removal: {len(description.steps) + 2} layers")
    console.verbose(f"[TRT] After reformat layers: {len(description.steps)} layers")
    if release >= (10, 0):
        console.verbose("[TRT] Building graph using backend strategy 2")
        console.verbose("[TRT] Graph construction completed in 0.0021 seconds.")
    else:
        console.verbose("[TRT] Graph construction and optimization completed in 0.0021 seconds.")
    stored = "stored" if is_cached else "not be stored"
    where = "Global" if is_cached else "Local"
    console.info(
        f"[TRT] {where} timing cache in use. Profiling results in this builder pass will "
        f"{'be ' if is_cached else ''}{stored}."
    )
    console.reach("build")
    for number, step in enumerate(kernels):
        if console.fails("build") and number == len(kernels) // 2:
            _no_engine(console, release, step)
        _tune(console, release, step)
        console.step()
    shown = f"[TRT] Detected {len(description.inputs)} inputs and {len(description.outputs)} output network tensors."
    console.info(shown)
    unit = " bytes" if release >= (10, 0) else ""
    for step in kernels:
        console.verbose(
            f"[TRT] Layer: {step.name} Host Persistent: 4352{unit} Device Persistent: 0{unit} Scratch Memory: 0{unit}"
        )
    console.info(f"[TRT] Total Host Persistent Memory: 32960{unit}")
    console.info(f"[TRT] Total Device Persistent Memory: 0{unit}")
    scratch = "Max" if release >= (10, 0) else "Total"
    console.info(f"[TRT] {scratch} Scratch Memory: 0{unit}")
    if release >= (8, 5):
        console.info("[TRT] [BlockAssignment] Started assigning block shifts. This will take 15 steps to complete.")
    console.info(
        "[TRT] [BlockAssignment] Algorithm ShiftNTopDown took 0.055031ms to assign 4 blocks to 15 nodes requiring "
        "1004544 bytes."
    )
    console.info(f"[TRT] Total Activation Memory: 1004544{unit}")
    if release >= (10, 0):
        console.info(f"[TRT] Total Weights Memory: {description.weights_bytes}{unit}")
        console.info("[TRT] Engine generation completed in 2.55738 seconds.")
    else:
        console.verbose("[TRT] Engine generation completed in 2.55738 seconds.")
    if console.is_verbose:
        console.verbose("[TRT] Engine Layer Information:")
        for row in layer_rows(description, spelling(release)).splitlines()[1:]:
            console.plain(row)
    console.info("[TRT] [MemUsageStats] Peak memory usage of TRT CPU/GPU memory allocators: CPU 30 MiB, GPU 19 MiB")


def _no_engine(console: Console, release: Release, step: Step) -> None:
    where = "10: " if release < (8, 4) else "Error Code 10: Internal Error "
    console.error(f"[TRT] {where}(Could not find any implementation for node {step.name}.)")
    for line in (
        "Engine could not be created from network", "Building engine failed",
        "Failed to create engine from model or file.", "Engine set up failed",
    ):  # fmt: skip
        console.error(line)
    raise Failed


def _tune(console: Console, release: Release, step: Step) -> None:
    say = console.verbose
    named = release >= (8, 6)
    runner = f"{step.layer_type}[0x80000009]" if named else step.layer_type
    say(f"[TRT] =============== Computing costs for {step.name if release >= (10, 4) else ''}")
    say(
        f"[TRT] *************** Autotuning format combination: {', '.join(map(_strided, step.inputs))} -> "
        f"{', '.join(map(_strided, step.outputs))} ***************"
    )
    say(f"[TRT] --------------- Timing Runner: {step.name} ({runner})")
    best = layer_ms(step)
    value = step.tactic_value
    tried = ((value, step.tactic or "", best), ("0x0000000000000001", f"{step.tactic or ''}_wider", best * 1.25))
    for tactic, kernel, time in tried:
        number = tactic if release >= (8, 4) else str(_signed(tactic))
        if named:
            say(f"[TRT] {f'Tactic Name: {kernel} ' if kernel else ''}Tactic: {number} Time: {time:.6g}")
        else:
            if kernel:
                say(f"[TRT] {step.name} Set Tactic Name: {kernel} Tactic: {number}")
            say(f"[TRT] Tactic: {number} Time: {time:.6g}")
    number = value if release >= (8, 4) else str(_signed(value))
    done = f"{step.name} ({runner}) profiling completed in 0.01 seconds. " if release >= (8, 6) else ""
    say(f"[TRT] {done}Fastest Tactic: {number} Time: {best:.6g}")
    say(f"[TRT] >>>>>>>>>>>>>>> Chose Runner Type: {step.layer_type} Tactic: {number}")


def _strided(region: Region) -> str:
    strides, size = [], 1
    for dim in reversed(region.dims):
        strides.append(str(size))
        size *= max(1, dim)
    return f"{short_format(region)}({','.join(reversed(strides))})"


def _signed(text: str) -> int:
    number = int(text, 16)
    return number - (1 << 64) if number >= 1 << 63 else number


def cache_log(console: Console, release: Release, path: str) -> None:
    """Writing the timing cache."""
    data = b"ptrt" + b"mock timing cache " * 40
    console.verbose("[TRT] Serializing timing cache.")
    if console.write_file(path, data):
        if release >= (10, 0):
            console.info("[TRT] Serialized 12 timing cache entries")
        console.info(f"[TRT] Saved {len(data)} bytes of timing cache to {path}")
    else:
        console.warning(f"Could not write timing cache to: {path}")
