"""Model → serialized engine: import, profiles, configuration, timing cache, build."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from typing import Any

from trex.capture.tensorrt_api.arguments import Job
from trex.capture.tensorrt_api.builder_settings import Settings, configure
from trex.capture.tensorrt_api.fault import FAILED, Fault
from trex.capture.tensorrt_api.files import write_file
from trex.capture.tensorrt_api.library import Library
from trex.capture.tensorrt_api.network import import_model, set_placeholder_ranges
from trex.capture.tensorrt_api.shape_profiles import Range, add_profiles
from trex.capture.tensorrt_api.shape_spec import shape_text

_MIB = 1 << 20


def build_engine(library: Library, job: Job, model: str, engine: str) -> None:
    """Builds and writes the engine. Raises Fault with TensorRT's own words when nothing comes of it."""
    log = library.log
    builder = library.made("Builder")
    imported = import_model(library, builder, job, model)
    config = builder.create_builder_config()
    configure(library, config, job)
    precisions = Settings(library, config, job).precisions
    if "INT8" in precisions:
        set_placeholder_ranges(library, imported.network)
    ranges = add_profiles(library, builder, imported.network, config, job)
    tell_options(library, job, model, engine, ranges, precisions)
    cache = job.text("timingCacheFile")
    if cache and not job.has("noBuilderCache"):
        _set_timing_cache(library, config, cache)
    if hasattr(library.trt, "IProgressMonitor"):
        config.progress_monitor = monitor = progress_monitor(library)
        log.detail(f"TensorRT tells its progress ({type(monitor).__name__})")
    begun = time.monotonic()
    plan = _built(builder, imported.network, config)
    if plan is None:
        said = log.reason or "it does not say why"
        raise Fault(f"TensorRT built no engine: {said}", _hint(said), FAILED)
    data = memoryview(plan)
    log.info("Engine built in %g sec." % (time.monotonic() - begun))
    log.info("Created engine with size: %g MiB" % (data.nbytes / _MIB))
    write_file(engine, data)
    if cache and not job.has("noBuilderCache"):
        kept = config.get_timing_cache()
        if kept is not None:
            write_file(cache, memoryview(kept.serialize()))


def _built(builder: Any, network: Any, config: Any) -> Any:
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
    """Since 9.0: what TensorRT calls, from several threads, as the build goes on."""
    log = library.log

    class ProgressMonitor(library.trt.IProgressMonitor):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            library.trt.IProgressMonitor.__init__(self)
            self.steps: dict[str, int] = {}

        def phase_start(self, phase_name: str, parent_phase: Any, num_steps: int) -> None:
            self.steps[phase_name] = num_steps

        def step_complete(self, phase_name: str, step: int) -> bool:
            with contextlib.suppress(BaseException):  # what a callback of TensorRT's raises ends the process
                log.progress(phase_name, step + 1, self.steps.get(phase_name, step + 1))
            return True

        def phase_finish(self, phase_name: str) -> None:
            self.steps.pop(phase_name, None)

    return ProgressMonitor()


def tell_options(
    library: Library, job: Job, model: str, engine: str, ranges: list[dict[str, Range]], precisions: list[str]
) -> None:
    """The sections of trtexec's log that tell of the build."""
    library.build_sections = build_sections(library, job, model, engine, ranges, precisions)
    for section, entries in library.build_sections.items():
        library.log.detail(f"=== {section} ===")
        for key, value in entries.items():
            library.log.detail(f"{key}: {value}")
        library.log.detail("")
    library.log.info(f"TensorRT version: {library.version}")


def build_sections(
    library: Library, job: Job, model: str, engine: str, ranges: list[dict[str, Range]], precisions: list[str]
) -> dict[str, dict[str, str]]:
    """{section: {key: value}} in trtexec's words."""
    options = {"Memory Pools": _pools_told(job)} if job.has("memPoolSize") else {}
    if library.release[0] < 11:
        options["Precision"] = "+".join(["FP32", *precisions])
    if job.has("stronglyTyped") or library.release[0] >= 11:
        options["Strongly typed"] = "Enabled"
    for key, word in (("BuilderOptimizationLevel", "builderOptimizationLevel"), ("MaxAuxStreams", "maxAuxStreams")):
        if job.has(word):
            options[key] = job.text(word)
    options["Profiling verbosity"] = {"layer_names_only": "0", "none": "1"}.get(job.text("profilingVerbosity"), "2")
    options["Save engine"] = engine
    for number, inputs in enumerate(ranges):
        told = ", ".join("{}={}".format(name, "+".join(map(shape_text, sides))) for name, sides in inputs.items())
        if told:
            options["Input build shape (profile %d)" % number] = told
    return {"Model Options": {"Format": "ONNX", "Model": model}, "Build Options": options}


def _pools_told(job: Job) -> str:
    return ", ".join(part.strip().replace(":", ": ") + " MiB" for part in job.text("memPoolSize").split(","))


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


def _hint(said: str) -> str:
    lower = said.lower()
    if "memory" in lower:
        return "less memory for the builder (--memPoolSize workspace:1024) or smaller shapes may help"
    if "could not find any implementation" in lower:
        return "more workspace (--memPoolSize), or a higher --builderOptimizationLevel, may find one"
    if "dynamic" in lower or "profile" in lower or "dimension" in lower:
        return "check --minShapes, --optShapes and --maxShapes"
    return "the log has all that TensorRT said; --verbose tells more"
