"""ONNX file → network definition → serialized engine, with the errors of parser and builder as sentences."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from typing import Any

from trex.capture.tensorrt_api.arguments import CollectorOptions
from trex.capture.tensorrt_api.builder_settings import BuilderSettings
from trex.capture.tensorrt_api.errors import FAILED, CollectorError
from trex.capture.tensorrt_api.files import write_file
from trex.capture.tensorrt_api.library import Library
from trex.capture.tensorrt_api.optimization_profiles import Range, add_profiles
from trex.capture.tensorrt_api.shape_spec import shape_text

_MIB = 1 << 20


def build_engine(library: Library, options: CollectorOptions, model: str, engine: str) -> None:
    """Builds and writes the engine. Raises CollectorError with TensorRT's last error if it fails."""
    log = library.log
    builder = library.create("Builder")
    network, _parser = import_model(library, builder, options, model)  # the parser lives until the end of the build
    config = builder.create_builder_config()
    settings = BuilderSettings(library, config, options)
    settings.apply()
    precisions = settings.precisions
    if "INT8" in precisions:
        set_placeholder_ranges(library, network)
    ranges = add_profiles(library, builder, network, config, options)
    log.sections(build_sections(library, options, model, engine, ranges, precisions))
    log.info(f"{library.name} version: {library.version}")
    cache = options.text("timingCacheFile")
    if cache and not options.has("noBuilderCache"):
        _set_timing_cache(library, config, cache)
    if hasattr(library.trt, "IProgressMonitor"):
        config.progress_monitor = monitor = progress_monitor(library)
        log.detail(f"TensorRT reports its progress ({type(monitor).__name__})")
    start = time.monotonic()
    plan = _build_plan(builder, network, config)
    if plan is None:
        raise CollectorError(f"{library.name} built no engine: {library.reason}", _hint(library.reason), FAILED)
    data = memoryview(plan)
    log.info("Engine built in %g sec." % (time.monotonic() - start))
    log.info("Created engine with size: %g MiB" % (data.nbytes / _MIB))
    write_file(engine, data)
    if cache and not options.has("noBuilderCache"):
        kept = config.get_timing_cache()
        if kept is not None:
            write_file(cache, memoryview(kept.serialize()))


def _build_plan(builder: Any, network: Any, config: Any) -> Any:
    """Ctrl-C ends the process at once: Python's own handler would wait for the end of the build."""
    before = signal.getsignal(signal.SIGINT)
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or before is signal.SIG_IGN:  # an ignored Ctrl-C (nohup ... &) stays ignored
        return builder.build_serialized_network(network, config)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        return builder.build_serialized_network(network, config)
    finally:
        signal.signal(signal.SIGINT, before)


def progress_monitor(library: Library) -> Any:
    """TensorRT's IProgressMonitor, since 9.0; several threads call it."""
    log = library.log

    class ProgressMonitor(library.trt.IProgressMonitor):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            library.trt.IProgressMonitor.__init__(self)
            self.steps: dict[str, int] = {}

        def phase_start(self, phase_name: str, parent_phase: Any, num_steps: int) -> None:
            self.steps[phase_name] = num_steps

        def step_complete(self, phase_name: str, step: int) -> bool:
            with contextlib.suppress(BaseException):  # an exception in a callback of TensorRT ends the process
                log.progress(phase_name, step + 1, self.steps.get(phase_name, step + 1))
            return True

        def phase_finish(self, phase_name: str) -> None:
            self.steps.pop(phase_name, None)

    return ProgressMonitor()


def build_sections(
    library: Library,
    options: CollectorOptions,
    model: str,
    engine: str,
    ranges: list[dict[str, Range]],
    precisions: list[str],
) -> dict[str, dict[str, str]]:
    """{section: {key: value}} as in trtexec's log."""
    entries = {"Memory Pools": _pools_text(options)} if options.has("memPoolSize") else {}
    if library.release[0] < 11:
        entries["Precision"] = "+".join(["FP32", *precisions])
    if options.has("stronglyTyped") or library.release[0] >= 11:
        entries["Precision"] = "Strongly Typed"
    for key, name in (("BuilderOptimizationLevel", "builderOptimizationLevel"), ("MaxAuxStreams", "maxAuxStreams")):
        if options.has(name):
            entries[key] = options.text(name)
    entries["Profiling verbosity"] = {"layer_names_only": "0", "none": "1"}.get(options.text("profilingVerbosity"), "2")
    entries["Save engine"] = engine
    for number, inputs in enumerate(ranges):
        text = ", ".join("{}={}".format(name, "+".join(map(shape_text, limits))) for name, limits in inputs.items())
        if text:
            entries["Input build shape (profile %d)" % number] = text
    return {"Model Options": {"Format": "ONNX", "Model": model}, "Build Options": entries}


def _pools_text(options: CollectorOptions) -> str:
    return ", ".join(part.strip().replace(":", ": ") + " MiB" for part in options.text("memPoolSize").split(","))


def _set_timing_cache(library: Library, config: Any, path: str) -> None:
    data = b""
    if os.path.isfile(path):
        with open(path, "rb") as file:
            data = file.read()
    cache = config.create_timing_cache(data)
    if cache is None or not config.set_timing_cache(cache, False):
        library.log.warning(f"the timing cache {path} does not fit this TensorRT and GPU; a new one is begun")
        cache = config.create_timing_cache(b"")
        if cache is not None:
            config.set_timing_cache(cache, False)


def _hint(reason: str) -> str:
    lower = reason.lower()
    if "memory" in lower:
        return "try less memory for the builder (--memPoolSize workspace:1024) or smaller shapes"
    if "could not find any implementation" in lower:
        return "try more workspace (--memPoolSize) or a higher --builderOptimizationLevel"
    if "dynamic" in lower or "profile" in lower or "dimension" in lower:
        return "check --minShapes, --optShapes and --maxShapes"
    return "the log has TensorRT's other messages; --verbose prints more"


_MAX_ERRORS = 10
_PLACEHOLDER_RANGE = 4.0


def import_model(library: Library, builder: Any, options: CollectorOptions, path: str) -> tuple[Any, Any]:
    """(network, its parser, which owns the weights). Raises CollectorError with the parser's error if it fails."""
    library.log.info("Start parsing network model.")
    start = time.monotonic()
    network = builder.create_network(_creation_flags(library, options))
    parser = library.create("OnnxParser", network, library.logger)
    if not parser.parse_from_file(path):  # from the file, so that external weights are found
        errors = [error_sentence(parser.get_error(index)) for index in range(parser.num_errors)]
        for sentence in errors[:_MAX_ERRORS]:
            library.log.error(sentence)
        more = " (and %d more)" % (len(errors) - 1) if len(errors) > 1 else ""
        reason = errors[0] if errors else library.log.reason or "the parser gives no reason"
        raise CollectorError(
            f"the model cannot be imported: {reason}{more}",
            "check the file with onnx.checker; an operator that TensorRT lacks needs a plugin (--plugins)",
            FAILED,
        )
    library.log.info("Finished parsing network model. Parse time: %g" % (time.monotonic() - start))
    return network, parser


def error_sentence(error: Any) -> str:
    """``in node 12 (Conv "conv1"): …``."""
    description = " ".join(str(error.desc()).split()).rstrip(".") or "no description"
    kind, name = _node_fact(error, "node_operator"), _node_fact(error, "node_name")
    number = error.node()
    where = "node %d" % number if isinstance(number, int) and number >= 0 else "the model"
    node = " ".join(part for part in (kind, f'"{name}"' if name else "") if part)
    return "in {}{}: {}".format(where, f" ({node})" if node else "", description)


def _node_fact(error: Any, method: str) -> str:
    """Errors name their node since 10.0."""
    function = getattr(error, method, None)
    return str(function() or "") if function is not None else ""


def _creation_flags(library: Library, options: CollectorOptions) -> int:
    flags = library.trt.NetworkDefinitionCreationFlag
    bits = 0
    if library.release[0] < 10:  # earlier the default is an implicit batch
        bits |= 1 << int(flags.EXPLICIT_BATCH)
    if options.has("stronglyTyped") and library.release[0] < 11:
        if not hasattr(flags, "STRONGLY_TYPED"):
            raise CollectorError(
                f"{library.name} {library.version} has no strongly typed networks", "they came with 9.0"
            )
        bits |= 1 << int(flags.STRONGLY_TYPED)
    return bits


def set_placeholder_ranges(library: Library, network: Any) -> None:
    """For INT8 without Q/DQ and calibration, as in trtexec: fine for speed, meaningless for results."""
    layers = [network.get_layer(index) for index in range(network.num_layers)]
    if any(layer.type == library.trt.LayerType.QUANTIZE for layer in layers):
        return
    library.log.warning(
        "the model has no Q/DQ nodes: INT8 gets placeholder ranges, so that speed can be measured; results mean nothing"
    )
    tensors: list[Any] = [network.get_input(index) for index in range(network.num_inputs)]
    tensors += [layer.get_output(index) for layer in layers for index in range(layer.num_outputs)]
    for tensor in tensors:
        if hasattr(tensor, "set_dynamic_range") and getattr(tensor, "dynamic_range", None) is None:
            tensor.set_dynamic_range(-_PLACEHOLDER_RANGE, _PLACEHOLDER_RANGE)
