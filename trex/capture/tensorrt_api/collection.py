"""The collection: builds, inspects and measures as the options say; a later failure keeps earlier files."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from typing import Any, Callable, Sequence

from trex.capture.tensorrt_api.arguments import CollectorOptions, help_lines, read_arguments
from trex.capture.tensorrt_api.building import build_engine
from trex.capture.tensorrt_api.context import PreparedContext, load_engine, prepare_context
from trex.capture.tensorrt_api.cuda import NO_CUDA_HINT, open_cuda
from trex.capture.tensorrt_api.device import device_section
from trex.capture.tensorrt_api.errors import FAILED, USAGE_ERROR, CollectorError
from trex.capture.tensorrt_api.files import make_folder, write_json, write_records
from trex.capture.tensorrt_api.inspection import inspect_engine
from trex.capture.tensorrt_api.layer_times import profile_layers
from trex.capture.tensorrt_api.library import Library, import_tensorrt
from trex.capture.tensorrt_api.log import Log, show
from trex.capture.tensorrt_api.queries import Queries, measure, performance_lines, performance_section
from trex.capture.tensorrt_api.records import CollectedStage, inference_section, write_collection_manifest
from trex.capture.tensorrt_api.runner import Runner
from trex.capture.tensorrt_api.shape_spec import shape_text

INTERRUPTED = 130
_REPORTING = {"Percentiles": "90,95,99"}


class OutputFiles:
    """Paths of all files; "" for those that are not wanted."""

    def __init__(self, options: CollectorOptions) -> None:
        self.folder = options.folder
        stem = ""
        if self.folder is not None:
            source = os.path.basename(options.model or options.engine or "")
            self.name = options.text("name") or (source + ".engine" if options.model else source)
            stem = os.path.join(self.folder, self.name)
        else:
            self.name = os.path.basename(options.text("saveEngine") or options.engine or "")

        def path(option: str, ending: str) -> str:
            return options.text(option) or (stem + ending if stem else "")

        self.engine = options.engine or path("saveEngine", "")
        self.graph = path("exportLayerInfo", ".graph.json")
        self.profile = path("exportProfile", ".profile.json")
        self.times = path("exportTimes", ".timing.json")
        self.build_log, self.profile_log = (stem and stem + ".build.log"), (stem and stem + ".profile.log")
        self.build_metadata = stem and stem + ".build.metadata.json"
        self.profile_metadata = stem and stem + ".profile.metadata.json"
        self.manifest = os.path.join(self.folder, "manifest.json") if self.folder is not None else ""


class Collection:
    """One run of the collector."""

    def __init__(self, options: CollectorOptions, log: Log, argv: Sequence[str]) -> None:
        self.options = options
        self.log = log
        self.command = [os.path.basename(sys.argv[0] or "collect.py"), *argv]
        self.files = OutputFiles(options)
        self.stages: list[CollectedStage] = []
        self.gpu: dict[str, str] = {}
        self.cuda: Any = None
        self.has_opened_cuda = False
        self.library: Library | None = None

    def run(self) -> int:
        """Returns the exit code; errors are reported to the log."""
        code = 0
        options, files = self.options, self.files
        try:
            if files.folder is not None:
                make_folder(files.folder)
                options.values.setdefault("timingCacheFile", os.path.join(files.folder, "timing.cache"))
            self.library = import_tensorrt(self.log)
            self.library.load_plugins(options.libraries)
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
            self._write_manifest()
            self.log.close()
        return code

    def _stage(self, name: str, log: str, work: Callable[[CollectedStage], None]) -> None:
        if log:
            self.log.open(log)
        stage = CollectedStage(name, self.command, log)
        self.stages.append(stage)
        self.log.detail(f"collector: {name}, TensorRT {self._library.version}, Python {sys.version.split()[0]}")
        try:
            work(stage)
        except BaseException as error:
            stage.exit_code = error.code if isinstance(error, CollectorError) else FAILED
            stage.message = str(error) or type(error).__name__
            raise
        finally:
            stage.end = time.time()

    def _build(self, stage: CollectedStage) -> None:
        library, files = self._library, self.files
        if not files.engine:
            raise CollectorError("no file is named for the engine", "--saveEngine=FILE, or a folder after the model")
        try:
            self._open_cuda()
        except CollectorError as error:
            if self.options.number("device", 0):
                raise
            self.log.warning(f"{error.message}; TensorRT may still build")
        build_engine(library, self.options, str(self.options.model), files.engine)
        stage.outputs["engine"] = files.engine
        if files.build_metadata:
            sections = library.build_sections
            self._write_metadata(files.build_metadata, model_options=sections.get("Model Options", {}),
                                 build_options=sections.get("Build Options", {}))  # fmt: skip

        if self.options.builds_only and files.graph:
            try:
                self._measure(stage)
            except CollectorError as error:  # the engine was built, as requested
                self.log.warning(f"the engine was built, but not inspected: {error.message}")

    def _measure(self, stage: CollectedStage) -> None:
        library, files, options = self._library, self.files, self.options
        engine = load_engine(library, files.engine)
        self._open_cuda()
        self.log.sections({"Device Information": self.gpu} if self.gpu else {})
        self.log.detail(f"TensorRT version: {library.version}")
        cuda = self.cuda
        stream = cuda.stream() if cuda is not None else None
        prepared = prepare_context(library, engine, options, cuda, stream)
        if files.graph:
            inspect_engine(library, prepared, files.graph)
            stage.outputs["graph"] = files.graph
        if options.builds_only or not (files.times or files.profile):
            return
        if cuda is None:
            if files.folder is None:  # an option names a file of measurements
                raise CollectorError("measuring needs a CUDA binding for Python", NO_CUDA_HINT)
            message = "without a CUDA binding for Python the engine was built and inspected, but not measured"
            self.log.warning(f"{message}: {NO_CUDA_HINT}")
            return
        runner = Runner(library, cuda, prepared, options, stream)
        queries = self._queries(runner, prepared) if files.times else None
        if queries is not None:
            write_records(files.times, list(queries.rows))
            stage.outputs["times"] = files.times
        if files.profile_metadata:
            self._write_metadata(
                files.profile_metadata,
                performance_summary=performance_section(queries) if queries else {},
                inference_options=self._inference(runner, prepared),
                reporting_options=_REPORTING,
            )
        if files.profile:
            self.log.info("Profiling the layers")
            layers = profile_layers(library, runner, options)
            write_records(files.profile, layers.records())
            stage.outputs["profile"] = files.profile
            for line in layers.lines():
                self.log.detail(line)

    def _queries(self, runner: Runner, prepared: PreparedContext) -> Queries:
        """Measures ``runs`` times and returns the run with the median of the median times."""
        if self.options.has("noCudaGraph"):
            runner.run_plain()
        else:
            runner.capture()
        self.log.sections({"Inference Options": self._inference(runner, prepared), "Reporting Options": _REPORTING})
        self.log.info("Starting inference")
        runs = []
        for number in range(max(1, int(self.options.number("runs", 1)))):
            queries = measure(runner, self.options)
            runs.append(queries)
            self.log.detail("run %d: median GPU compute time %g ms" % (number, queries.median_ms))
        runs.sort(key=lambda queries: queries.median_ms)
        chosen = runs[(len(runs) - 1) // 2]
        if len(runs) > 1:
            times = ", ".join(f"{queries.median_ms:g}" for queries in runs)
            self.log.info("Median GPU compute times of %d runs: %s ms; the middle one is kept" % (len(runs), times))
        for line in performance_lines(chosen):
            self.log.info(line)
        return chosen

    @property
    def _library(self) -> Library:
        assert self.library is not None
        return self.library

    def _inference(self, runner: Runner, prepared: PreparedContext) -> dict[str, str]:
        shapes = ", ".join(f"{name}={shape_text(shape)}" for name, shape in prepared.shapes.items())
        return inference_section(self.options.values, shapes, runner.graph is not None)

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

    def _write_metadata(self, path: str, **sections: Any) -> None:
        document = dict(sections, device_information=self.gpu, tensorrt_version=self._library.version)
        document["command_line"] = " ".join(self.command)
        write_json(path, document)

    def _write_manifest(self) -> None:
        if not self.files.manifest or not self.stages:
            return
        version = self.library.version if self.library is not None else ""
        try:
            write_collection_manifest(self.files.manifest, self.files.name, version, self.options.model,
                                      self.files.engine, self.gpu, self.stages,
                                      list(self.log.warnings))  # fmt: skip
        except CollectorError as error:
            report_error(self.log, error)


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
    log = Log(is_whole=not has_folder, verbose=options.has("verbose") or has_folder, quiet=options.has("quiet"))
    return Collection(options, log, words).run()
