"""ONNX file → network definition → serialized engine, with the errors of parser and builder as sentences."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from typing import Any, Iterator

from trex.capture.tensorrt_api.arguments import CollectorOptions
from trex.capture.tensorrt_api.builder_settings import BuilderSettings
from trex.capture.tensorrt_api.errors import FAILED, CollectorError
from trex.capture.tensorrt_api.files import TIMING_CACHE, write_file
from trex.capture.tensorrt_api.library import Library
from trex.capture.tensorrt_api.optimization_profiles import Range, add_profiles
from trex.capture.tensorrt_api.shape_spec import shape_text
from trex.capture.tensorrt_api.tactics import RecordedTactics, wants_tactics

_MIB = 1 << 20


def build_engine(
    library: Library, options: CollectorOptions, model: str, engine: str, named: str, device: str = ""
) -> None:
    """Builds and writes the engine. Raises CollectorError with TensorRT's last error if it fails.

    named: where the engine is in the end. device: the GPU's name, for a record of tactics.
    """
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
    log.sections(build_sections(library, options, model, named, ranges, precisions))
    log.info(f"{library.name} version: {library.version}")
    tactics = RecordedTactics(library, config, options) if wants_tactics(options) else None
    cache = "" if tactics is not None or options.has("noBuilderCache") else options.text("timingCacheFile")
    if cache:
        own = os.path.join(os.path.dirname(named), TIMING_CACHE)
        cache = set_timing_cache(library, config, cache, os.path.realpath(cache) == os.path.realpath(own))
    monitor = None
    if hasattr(library.trt, "IProgressMonitor"):
        config.progress_monitor = monitor = progress_monitor(library)
        log.detail(f"TensorRT reports its progress ({type(monitor).__name__})")
    start = time.monotonic()
    with interruptions(monitor):
        plan = builder.build_serialized_network(network, config)
    if monitor is not None and monitor.is_cancelled:
        raise KeyboardInterrupt
    if plan is None:
        raise CollectorError(f"{library.name} built no engine: {library.reason}", _hint(library.reason), FAILED)
    data = memoryview(plan)
    log.info("Engine built in %g sec." % (time.monotonic() - start))
    log.info("Created engine with size: %g MiB" % (data.nbytes / _MIB))
    if tactics is not None:
        tactics.check()
    write_file(engine, data)
    if tactics is not None:
        tactics.write(device)
    if cache:
        kept = config.get_timing_cache()
        if kept is not None:
            write_file(cache, memoryview(kept.serialize()))


_ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextlib.contextmanager
def interruptions(monitor: Any) -> Iterator[None]:
    """Ctrl-C and SIGTERM during a build: the first asks TensorRT to stop, the second ends the process at once.

    Python's own handlers would wait for the end of the build, which holds the main thread (its CUDA context is
    current there only), so a thread reads the signals. Without a monitor the first ends the process.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    # what is ignored (nohup ... &) stays ignored
    before = {number: signal.getsignal(number) for number in _ENDING_SIGNALS}
    before = {number: handler for number, handler in before.items() if handler is not signal.SIG_IGN}
    if monitor is None or os.name == "nt":
        for number in before:
            signal.signal(number, signal.SIG_DFL)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        return
    source, target = os.pipe()
    os.set_blocking(target, False)
    threading.Thread(target=_obey, args=(source, monitor), daemon=True).start()
    earlier = signal.set_wakeup_fd(target)
    for number in before:
        signal.signal(number, _noted)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(earlier)
        os.close(target)


def _noted(number: int, frame: Any) -> None:
    """Python writes the number into the pipe before it calls this."""


def _obey(source: int, monitor: Any) -> None:
    """Until the pipe is closed."""
    with os.fdopen(source, "rb", buffering=0) as signals:
        for number in iter(lambda: signals.read(1), b""):
            if monitor.is_cancelled:
                os._exit(128 + number[0])
            monitor.is_cancelled = True


def progress_monitor(library: Library) -> Any:
    """TensorRT's IProgressMonitor, since 9.0; several threads call it. is_cancelled: asks TensorRT to stop."""
    log = library.log

    class ProgressMonitor(library.trt.IProgressMonitor):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            library.trt.IProgressMonitor.__init__(self)
            self.is_cancelled = False
            self.tree = PhaseTree()

        def phase_start(self, phase_name: str, parent_phase: Any, num_steps: int) -> None:
            with contextlib.suppress(BaseException):  # an exception in a callback of TensorRT ends the process
                self.tree.start(phase_name, parent_phase or "", num_steps)
                log.progress(phase_name, 0, num_steps, self.tree.share())

        def step_complete(self, phase_name: str, step: int) -> bool:
            with contextlib.suppress(BaseException):
                self.tree.step(phase_name, step + 1)
                if log.wants_progress:
                    log.progress(phase_name, step + 1, self.tree.steps(phase_name), self.tree.share())
            return not self.is_cancelled

        def phase_finish(self, phase_name: str) -> None:
            with contextlib.suppress(BaseException):
                self.tree.finish(phase_name)

    return ProgressMonitor()


class PhaseTree:
    """The phases that run: each is inside one step of its parent. A share is of steps, not of time."""

    def __init__(self) -> None:
        self._phases: dict[str, tuple[str, int, int]] = {}  # {name: (parent, steps, steps done)}
        self._share = 0.0

    def start(self, name: str, parent: str, steps: int) -> None:
        self._phases[name] = (parent, max(1, steps), 0)

    def step(self, name: str, done: int) -> None:
        parent, steps, _ = self._phases.get(name, ("", done, 0))
        self._phases[name] = (parent, steps, min(done, steps))

    def finish(self, name: str) -> None:
        self._phases.pop(name, None)

    def steps(self, name: str) -> int:
        return self._phases[name][1]

    def share(self) -> float:
        """Of the outermost phase; it never shrinks, though phases may follow one another within a step."""
        self._share = max(self._share, self._inside("", 0))
        return self._share

    def _inside(self, parent: str, depth: int) -> float:
        if depth > len(self._phases):  # a phase inside itself
            return 0.0
        shares = [
            (done + (self._inside(name, depth + 1) if done < steps else 0.0)) / steps
            for name, (its_parent, steps, done) in list(self._phases.items())
            if its_parent == parent
        ]
        return min(1.0, max(shares, default=0.0))


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
    if library.is_rtx:
        entries["Targets"] = options.text("target").replace(",", ", ") or "portable"
    entries["Profiling verbosity"] = {"layer_names_only": "0", "none": "1"}.get(options.text("profilingVerbosity"), "2")
    entries["Save engine"] = engine
    for number, inputs in enumerate(ranges):
        text = ", ".join("{}={}".format(name, "+".join(map(shape_text, limits))) for name, limits in inputs.items())
        if text:
            entries["Input build shape (profile %d)" % number] = text
    return {"Model Options": {"Format": "ONNX", "Model": model}, "Build Options": entries}


def _pools_text(options: CollectorOptions) -> str:
    return ", ".join(part.strip().replace(":", ": ") + " MiB" for part in options.text("memPoolSize").split(","))


def set_timing_cache(library: Library, config: Any, path: str, is_own: bool) -> str:
    """Returns the file for the cache after the build, "" for none: a file that does not fit may be hours of work for
    another GPU, and is replaced only if it is the output folder's own.
    """
    data = b""
    if os.path.isfile(path):
        with open(path, "rb") as file:
            data = file.read()
    cache = config.create_timing_cache(data)
    if cache is not None and config.set_timing_cache(cache, False):
        return path
    rest = "a new one replaces it" if is_own else "it is kept, and no new one is written: name another file to have one"
    library.log.warning(f"the timing cache {path} does not fit this TensorRT and GPU; {rest}")
    cache = config.create_timing_cache(b"")
    if cache is not None:
        config.set_timing_cache(cache, False)
    return path if is_own else ""


def _hint(reason: str) -> str:
    lower = reason.lower()
    if "for target" in lower or "for turing" in lower:
        return "leave this GPU out of --target, or convert the model to a type that it has, as FP16"
    if "cuda_success" in lower:
        return "this takes a GPU; TensorRT for RTX needs one to build with refit or stripWeights"
    if "at least one output" in lower:
        return "the file holds no network: is it a complete ONNX model? onnx.checker reports what is wrong with it"
    if "memory" in lower:
        return "try less memory for the builder (--memPoolSize workspace:1024) or smaller shapes"
    if "erroronmiss" in lower or ("timing cache" in lower and "miss" in lower):
        return "the record lacks an operation: if the model, its shapes or the options changed, record again"
    if "could not find any implementation" in lower:
        return "try more workspace (--memPoolSize) or a higher --builderOptimizationLevel"
    if "dynamic" in lower or "profile" in lower or "dimension" in lower:
        return "check --minShapes, --optShapes and --maxShapes"
    return "the log has TensorRT's other messages"


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
            _import_hint(reason),
            FAILED,
        )
    library.log.info("Finished parsing network model. Parse time: %g" % (time.monotonic() - start))
    return network, parser


def _import_hint(reason: str) -> str:
    if "initializer" in reason.lower():
        return "the weights' data are absent: keep the .data file next to the model; trex examples: --weights random"
    return "check the file with onnx.checker; an operator that TensorRT lacks needs a plugin (--plugins)"


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
