"""What the mock does after its options: build or load, inspect, run, profile, export."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from tests.mocks.arguments import Parsed, Release
from tests.mocks.build_log import build_log, cache_log, import_log
from tests.mocks.console import Console, Failed
from tests.mocks.echo import transfers, verbosity
from tests.mocks.network import (
    Facts,
    Unreadable,
    description_of,
    graph_bytes,
    layer_times,
    low_precision,
    plan_bytes,
    read_model,
    read_plan,
    run_queries,
)
from tests.mocks.run_log import (
    context_log,
    inference_log,
    layer_table,
    performance_log,
    profiled_only_log,
)
from tests.synthetic.spellings import inspector_text

FEWEST_QUERIES, MOST_QUERIES = 64, 2000
PROFILED_ITERATIONS = 400
_DYNAMIC = -1
_NOT_CREATED = ("Failed to create engine from model or file.", "Engine set up failed")

Version = tuple[int, int, int]


def build(console: Console, parsed: Parsed, version: Version) -> Facts:
    release: Release = version[:2]
    model = parsed.text("onnx")
    console.info("[TRT] [MemUsageChange] Init CUDA: CPU +2, GPU +0, now: CPU 17, GPU 1021 (MiB)")
    facts: Facts | None
    try:
        facts = read_model(Path(model).read_bytes())
    except OSError:
        console.error(f"[TRT] Could not open file {model}")
        console.error(f"[TRT] Could not open file {model}")
        facts = None
    except Unreadable:
        console.error("[TRT] [libprotobuf ERROR google/protobuf/text_format.cc] Error parsing text-format "
                      "onnx2trt_onnx.ModelProto: 1:1: Invalid control characters encountered in text.")  # fmt: skip
        facts = None
    import_log(console, release, model, facts, description_of(facts or Facts()))
    assert facts is not None
    facts = low_precision(facts, parsed)
    facts = replace(
        facts,
        verbosity=verbosity(parsed),
        profiles=tuple(_with_model_shapes(console, facts, parsed)),
        version_compatible=parsed.has("versionCompatible"),
    )
    description = description_of(facts, _best_shapes(facts, 0))
    build_log(console, release, facts, description, parsed.has("timingCacheFile"))
    plan = plan_bytes(facts, version)
    if release >= (9, 0):
        console.info(f"Created engine with size: {len(plan) / 2**20:.6g} MiB")
    console.info("Engine built in 9.55249 sec.")
    console.reach("serialize")
    if parsed.has("timingCacheFile"):
        cache_log(console, release, parsed.text("timingCacheFile"))
    if parsed.has("saveEngine") and not console.write_file(parsed.text("saveEngine"), plan):
        console.error("Saving engine to file failed.")
        console.error("Engine set up failed")
        raise Failed
    console.info(f"[TRT] Loaded engine size: {len(plan) >> 20} MiB")
    if release >= (8, 4):
        console.info("Engine deserialized in 0.00143286 sec.")
    if release < (8, 4) or _skips(parsed):
        _inspect(console, parsed, release, facts, has_context=False)
    return facts


def load(console: Console, parsed: Parsed, version: Version) -> Facts:
    release: Release = version[:2]
    path = parsed.text("loadEngine")
    console.reach("load")
    try:
        data = Path(path).read_bytes()
    except OSError:
        console.error(f"Error opening engine file: {path}")
        console.error("Failed to create engine from model or file.")
        console.error("Engine set up failed")
        raise Failed from None
    if release < (10, 0):
        console.info("Engine loaded in 0.00682958 sec.")
    try:
        facts, built = read_plan(data)
    except Unreadable:
        console.error("[TRT] Error Code 1: Serialization (Serialization assertion magicTagRead == kMAGIC_TAG failed."
                      "Magic tag does not match)")  # fmt: skip
        _no_engine(console)
    may_differ = facts.version_compatible and built[0] == version[0] and built <= version
    if built != version and not may_differ:
        console.error("[TRT] Error Code 1: Serialization (Serialization assertion stdVersionRead == "
                      f"kSERIALIZATION_VERSION failed.Version tag does not match. Note: Current Version: {version[0]}"
                      f"{version[1]:02d}, Serialized Engine Version: {built[0]}{built[1]:02d})")  # fmt: skip
        _no_engine(console)
    if console.fails("load"):
        console.error("[TRT] Error Code 2: OutOfMemory (Requested size was 1073741824 bytes.)")
        _no_engine(console)
    console.info(f"[TRT] Loaded engine size: {len(data) >> 20} MiB")
    if release >= (8, 4):
        console.info("Engine deserialized in 0.00584987 sec.")
    console.step()
    if release < (8, 4) or _skips(parsed):
        _inspect(console, parsed, release, facts, has_context=False)
    return facts


def run(console: Console, parsed: Parsed, release: Release, facts: Facts) -> None:
    """Bindings, measurement, profile and exports, in the order of the release."""
    shapes = parsed.run_shapes or _best_shapes(facts, parsed.number("useProfile", 0))
    description = description_of(facts, shapes)
    context_log(console, release, parsed, description)
    if release >= (8, 4):
        _inspect(console, parsed, release, facts, has_context=True, shapes=shapes)
    wants_profile = parsed.has("dumpProfile") or parsed.has("exportProfile")
    is_separate = release >= (11, 0) or parsed.has("separateProfileRun")
    inference_log(console, release, parsed)
    if wants_profile and not is_separate and release >= (8, 4):
        profiled_only_log(console)
    else:
        if wants_profile and not is_separate:
            console.warning(
                "The network timing report will not be accurate due to extra synchronizations when profiler is enabled."
            )
        count = min(MOST_QUERIES, max(FEWEST_QUERIES, parsed.number("iterations", 10)))
        queries = run_queries(description, count, release, transfers(parsed, release))
        performance_log(console, release, parsed, queries)
        if parsed.has("exportTimes"):
            console.reach("export")
            console.write_file(parsed.text("exportTimes"), queries.to_bytes(release))
    if wants_profile:
        console.reach("profile")
        if console.fails("profile"):
            console.error("Error occurred during inference")
            raise Failed
        console.step()
        if parsed.has("dumpProfile"):
            layer_table(console, release, description, PROFILED_ITERATIONS)
        if parsed.has("exportProfile"):
            console.reach("export")
            console.write_file(parsed.text("exportProfile"), layer_times(description, release, PROFILED_ITERATIONS))


def _inspect(
    console: Console,
    parsed: Parsed,
    release: Release,
    facts: Facts,
    *,
    has_context: bool,
    shapes: dict[str, str] | None = None,
) -> None:
    """trtexec does not look whether what it exports was written."""
    description = description_of(facts, shapes or _best_shapes(facts, 0))
    if parsed.has("dumpLayerInfo"):
        console.info("Layer Information:")
        if facts.verbosity == 2:
            text = inspector_text(description, "8.6" if release < (10, 0) else "10.16")
            console.info(text.partition("\n")[0])
            for line in text.splitlines()[1:]:
                console.plain(line)
    if parsed.has("exportLayerInfo"):
        console.reach("export")
        console.write_file(parsed.text("exportLayerInfo"), graph_bytes(facts, description, release, has_context))


def _with_model_shapes(console: Console, facts: Facts, parsed: Parsed) -> list[dict[str, list[str]]]:
    """The profiles of the build; dynamic inputs without a shape get ones, and unknown names fail."""
    release_profiles = [dict(profile) for profile in parsed.profiles]
    for profile in release_profiles:
        unknown = [name for name in profile if facts.inputs and name not in facts.inputs]
        if unknown:
            _end(
                console,
                f'Cannot find input tensor with name "{unknown[0]}" in the network inputs! Please make sure the input '
                "tensor names are correct.",
                "Network And Config setup failed",
                "Building engine failed",
                *_NOT_CREATED,
            )
        for name, dims in facts.inputs.items():
            if _DYNAMIC in dims and name not in profile:
                ones = "x".join(str(max(1, size)) for size in dims)
                console.warning(f"Dynamic dimensions required for input: {name}, but no shapes were provided. "
                                f"Automatically overriding shape to: {ones}")  # fmt: skip
                profile[name] = [ones, ones, ones]
        _check_sizes(console, facts, profile, release_profiles.index(profile))
    return release_profiles


def _check_sizes(console: Console, facts: Facts, profile: dict[str, list[str]], index: int) -> None:
    """Shapes that the network does not take: trtexec refuses them for a fixed one, the builder for others."""
    setup = ("Network And Config setup failed", "Building engine failed", *_NOT_CREATED)
    if profile and facts.inputs and not any(_DYNAMIC in dims for dims in facts.inputs.values()):
        _end(console, "Static model does not take explicit shapes since the shape of inference tensors will be "
                      "determined by the model itself", *setup)  # fmt: skip
    for name, texts in profile.items():
        least, best, most = ([int(size) for size in text.split("x") if size.isdigit()] for text in texts)
        if not (len(least) == len(best) == len(most)) or any(not a <= b <= c for a, b, c in zip(least, best, most)):
            console.error("[TRT] Error Code 4: API Usage Error (Specified optimization profiles must satisfy "
                          "MIN<=OPT<=MAX.)")  # fmt: skip
            _end(console, "Required optimization profile is invalid", *setup)
        own = facts.inputs.get(name)
        if own is None:
            continue
        built = ("Engine could not be created from network", "Building engine failed", *_NOT_CREATED)
        if len(own) != len(best):
            _end(console, f"[TRT] Error Code 4: Internal Error ({name}: number of dimensions is {len(own)} but profile "
                          f"{index} has {len(best)})", *built)  # fmt: skip
        for axis, size in enumerate(own):
            if size != _DYNAMIC and not least[axis] == best[axis] == most[axis] == size:
                _end(console, f"[TRT] Error Code 4: Internal Error ({name}: for dimension number {axis} in profile "
                              f"{index} does not match network definition (got min={least[axis]}, opt={best[axis]}, "
                              f"max={most[axis]}), expected min=opt=max={size}).)", *built)  # fmt: skip


def _end(console: Console, *errors: str) -> NoReturn:
    for line in errors:
        console.error(line)
    raise Failed


def _best_shapes(facts: Facts, index: int) -> dict[str, str]:
    if index >= len(facts.profiles):
        return {}
    return {name: dims[1] for name, dims in facts.profiles[index].items()}


def _skips(parsed: Parsed) -> bool:
    return parsed.has("skipInference") or parsed.has("buildOnly")


def _no_engine(console: Console) -> NoReturn:
    _end(console, "Engine deserialization failed", "Got invalid engine!", "Inference set up failed")
