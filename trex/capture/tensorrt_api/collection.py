"""The collection: builds, inspects and measures as the options say; a later failure keeps earlier files."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Any, Callable, Sequence

from trex.capture.tensorrt_api.arguments import CollectorOptions, help_lines, read_arguments
from trex.capture.tensorrt_api.building import build_engine
from trex.capture.tensorrt_api.context import PreparedContext, inspect_engine, load_engine, prepare_context
from trex.capture.tensorrt_api.cuda import NO_CUDA_HINT, device_section, has_driver, open_cuda
from trex.capture.tensorrt_api.earlier import EarlierFiles
from trex.capture.tensorrt_api.errors import FAILED, USAGE_ERROR, CollectorError
from trex.capture.tensorrt_api.files import TIMING_CACHE, make_folder, may_be_timing_cache, write_records
from trex.capture.tensorrt_api.layer_times import profile_layers
from trex.capture.tensorrt_api.library import Library, import_library
from trex.capture.tensorrt_api.log import READ_BY_TREX, Log, show
from trex.capture.tensorrt_api.queries import Row, inference_section, measure, performance_lines
from trex.capture.tensorrt_api.runner import Runner
from trex.capture.tensorrt_api.shape_spec import shape_text
from trex.capture.tensorrt_api.tactics import RECORD, REPLAY, cache_path, wants_tactics

INTERRUPTED = 130
_REPORTING = {"Percentiles": "90,95,99"}


class OutputFiles:
    """Paths of all files; "" for those that are not wanted."""

    def __init__(self, options: CollectorOptions) -> None:
        self.folder = options.folder
        stem = ""
        if self.folder is not None:
            source = os.path.basename(options.model or options.engine or "")
            stem = os.path.join(self.folder, source + ".engine" if options.model else source)

        self.earlier = EarlierFiles(stem) if stem else None

        def path(option: str, ending: str) -> str:
            return options.text(option) or (self.earlier.path(ending) if self.earlier else "")

        self.engine = options.engine or path("saveEngine", "")
        self.named_engine = options.engine or options.text("saveEngine") or stem
        self.graph = path("exportLayerInfo", ".graph.json")
        self.profile = path("exportProfile", ".profile.json")
        self.times = path("exportTimes", ".timing.json")
        self.build_log, self.profile_log = (
            self.earlier.path(ending) if self.earlier else "" for ending in (".build.log", ".profile.log")
        )
        self._written_to = os.path.dirname(self.earlier.path("")) if self.earlier else None
        if self.folder is not None:
            options.values.setdefault("timingCacheFile", os.path.join(self.folder, TIMING_CACHE))

    def check(self, options: CollectorOptions) -> None:
        """Raises CollectorError if one of them is a file that is read, or another of them, or no timing cache."""
        record, replay = options.text(RECORD), options.text(REPLAY)
        loaded = [part.partition(":")[2] for part in options.text("loadInputs").split(",")]
        inputs = [options.model, options.engine, *options.libraries, *loaded]
        outputs = [
            self._final_path(path) for path in (self.graph, self.profile, self.times, self.build_log, self.profile_log)
        ]
        if options.model:
            uses_cache = not wants_tactics(options) and not options.has("noBuilderCache")
            timing_cache = options.text("timingCacheFile") if uses_cache else ""
            if not may_be_timing_cache(timing_cache):
                raise CollectorError(f"this file is not a timing cache: {timing_cache}", "name one, or a new file")
            inputs += [replay, cache_path(replay)] if replay else []
            outputs += [self.named_engine, timing_cache, *({record, cache_path(record)} if record else ())]
        taken = {os.path.realpath(path) for path in inputs if path}
        for path in filter(None, outputs):
            if os.path.exists(path) and not os.path.isfile(path):  # a device or a pipe takes several
                continue
            if os.path.realpath(path) in taken:
                message = f"writing {path} would overwrite a file that this run reads or writes"
                raise CollectorError(message, "name another file")
            taken.add(os.path.realpath(path))

    def _final_path(self, path: str) -> str:
        """Where a file is in the end."""
        folder, name = os.path.split(path)
        return os.path.join(self.folder or "", name) if path and folder == self._written_to else path


class Collection:
    """One run of the collector."""

    def __init__(self, options: CollectorOptions, log: Log) -> None:
        self.options = options
        self.log = log
        self.files = OutputFiles(options)
        self.gpu: dict[str, str] = {}
        self.cuda: Any = None
        self.has_opened_cuda = False
        self.has_measured = False
        self.library: Library | None = None

    def run(self) -> int:
        """Returns the exit code; errors are reported to the log."""
        code = 0
        options, files = self.options, self.files
        try:
            files.check(options)
            if files.folder is not None:
                make_folder(files.folder)
            self.library = import_library(self.log, options.text("library"))
            self.library.load_plugins(options.libraries)
            if files.earlier is not None:
                files.earlier.begin()
            if options.model:
                self._stage("build", files.build_log, self._build)
            if not (options.builds_only and options.model):
                self._stage("profile", files.profile_log, self._measure)
        except CollectorError as error:
            report_error(self.log, error)
            code = error.code
        except BrokenPipeError:  # the reader of the output is gone
            code = FAILED
        except KeyboardInterrupt:
            self.log.error("interrupted; the files written until now are kept")
            code = INTERRUPTED
        finally:
            self.log.close()
            self._settle()
        return code

    def _settle(self) -> None:
        if self.files.earlier is None:
            return
        try:
            message = self.files.earlier.settle(self.has_measured)
        except OSError as error:
            message = f"files of the earlier run could not be moved or removed: {error.strerror}: {error.filename}"
        with contextlib.suppress(BrokenPipeError):
            if message:
                self.log.warning(message)

    def _stage(self, name: str, log: str, work: Callable[[], None]) -> None:
        if log:
            self.log.open(log)
        self.log.detail(
            f"collector: {name}, {self._library.name} {self._library.version}, Python {sys.version.split()[0]}"
        )
        work()

    def _build(self) -> None:
        library, files = self._library, self.files
        if not files.engine:
            raise CollectorError("no file is named for the engine", "--saveEngine=FILE, or a folder after the model")
        try:
            self._open_cuda()
        except CollectorError as error:
            if self.options.number("device", 0):
                raise
            self.log.warning(f"{error.message}; TensorRT may still build")
        gpu = self.gpu.get("Selected Device", "")
        build_engine(library, self.options, str(self.options.model), files.engine, files.named_engine, gpu)
        if library.is_rtx and not has_driver():
            self.log.info("The engine is not loaded: there is no GPU. Its layers are in this log")
        elif self.options.builds_only and files.graph:
            try:
                self._measure()
            except CollectorError as error:  # the engine was built, as requested
                self.log.warning(f"the engine was built, but not inspected: {error.message}")

    def _measure(self) -> None:
        library, files, options = self._library, self.files, self.options
        engine = load_engine(library, files.engine)
        self._open_cuda()
        self.log.sections({"Device Information": self.gpu} if self.gpu else {})
        self.log.detail(f"{library.name} version: {library.version}")
        cuda = self.cuda
        stream = cuda.stream() if cuda is not None else None
        prepared = prepare_context(library, engine, options, cuda, stream)
        if files.graph:
            inspect_engine(library, prepared, files.graph)
        if options.builds_only or not (files.times or files.profile):
            return
        if cuda is None:
            if files.folder is None:  # an option names a file of measurements
                raise CollectorError("measuring needs a CUDA binding for Python", NO_CUDA_HINT)
            message = "without a CUDA binding for Python the engine was built and inspected, but not measured"
            self.log.warning(f"{message}: {NO_CUDA_HINT}")
            return
        runner = Runner(library, cuda, prepared, options, stream)
        if files.times:
            write_records(files.times, self._queries(runner, prepared))
        if files.profile:
            self.log.info("Profiling the layers")
            write_records(files.profile, profile_layers(library, runner, options).records())
        self.has_measured = True

    def _queries(self, runner: Runner, prepared: PreparedContext) -> list[Row]:
        if self.options.has("noCudaGraph"):
            runner.run_plain()
        else:
            runner.capture()
        shapes = ", ".join(f"{name}={shape_text(shape)}" for name, shape in prepared.shapes.items())
        inference = inference_section(self.options, shapes, runner.graph is not None)
        self.log.sections({"Inference Options": inference, "Reporting Options": _REPORTING})
        self.log.info("Starting inference")
        queries = measure(runner, self.options)
        for line in performance_lines(queries):
            self.log.info(line)
        return queries.rows

    @property
    def _library(self) -> Library:
        assert self.library is not None
        return self.library

    def _open_cuda(self) -> None:
        """Selects the GPU before TensorRT uses one."""
        if self.has_opened_cuda:
            return
        device = int(self.options.number("device", 0))
        self.cuda = open_cuda(self.log, self.options.text("cuda"), device)
        self.has_opened_cuda = True
        if self.cuda is not None:
            self.gpu = device_section(self.cuda)
        elif device:
            raise CollectorError("without cuda-python or pycuda the collector cannot choose a GPU",
                                 f"write CUDA_VISIBLE_DEVICES={device} before the command")  # fmt: skip


def report_error(log: Log, error: CollectorError) -> None:
    log.failure("collector", "error", error.message)
    if error.hint:
        log.failure("try", "  try", error.hint)


def main(argv: Sequence[str] | None = None) -> int:
    """Exit codes: 0, 1 TensorRT or CUDA failed, 2 usage or input error, 130 Ctrl-C."""
    words = list(sys.argv[1:] if argv is None else argv)
    log = Log()
    try:
        options = read_arguments(words or ["--help"])
    except CollectorError as error:
        report_error(log, error)
        return USAGE_ERROR
    if options.has("help"):
        with contextlib.suppress(BrokenPipeError):
            show("\n".join(help_lines()), sys.stdout)
        return 0
    has_folder = options.folder is not None
    is_raw = not has_folder and READ_BY_TREX in os.environ
    log = Log(is_whole=not has_folder, verbose=options.has("verbose") or has_folder, is_raw=is_raw)
    return Collection(options, log).run()
