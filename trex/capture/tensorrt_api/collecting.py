"""The collection: what the words ask for, done stage by stage; what was collected is kept when a later stage fails."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from typing import Any, Sequence

from trex.capture.tensorrt_api.arguments import Job, help_lines, read_arguments
from trex.capture.tensorrt_api.building import build_engine
from trex.capture.tensorrt_api.context import Ready, load_engine, ready_context
from trex.capture.tensorrt_api.cuda import NO_CUDA_HINT, open_cuda
from trex.capture.tensorrt_api.device import device_section
from trex.capture.tensorrt_api.fault import FAILED, WRONG_WORDS, Fault
from trex.capture.tensorrt_api.files import make_folder, write_json, write_records
from trex.capture.tensorrt_api.inspection import inspect_engine
from trex.capture.tensorrt_api.layer_times import profile_layers
from trex.capture.tensorrt_api.library import Library, import_tensorrt
from trex.capture.tensorrt_api.log import Log, show
from trex.capture.tensorrt_api.queries import Queries, measure, performance_lines, performance_section
from trex.capture.tensorrt_api.records import Stage, inference_section, write_collection_manifest
from trex.capture.tensorrt_api.runner import Runner
from trex.capture.tensorrt_api.shape_spec import shape_text

INTERRUPTED = 130


class Files:
    """Where everything goes; "" for what is not wanted."""

    def __init__(self, job: Job) -> None:
        self.folder = job.folder
        stem = ""
        if self.folder is not None:
            given = os.path.basename(job.model or job.engine or "")
            name = job.text("name") or (given + ".engine" if job.model else given)
            stem = os.path.join(self.folder, name)
            self.name = name
        else:
            self.name = os.path.basename(job.text("saveEngine") or job.engine or "")

        def place(word: str, ending: str) -> str:
            return job.text(word) or (stem + ending if stem else "")

        self.engine = job.engine or place("saveEngine", "")
        self.graph = place("exportLayerInfo", ".graph.json")
        self.profile = place("exportProfile", ".profile.json")
        self.times = place("exportTimes", ".timing.json")
        self.build_log, self.profile_log = (stem and stem + ".build.log"), (stem and stem + ".profile.log")
        self.build_metadata = stem and stem + ".build.metadata.json"
        self.profile_metadata = stem and stem + ".profile.metadata.json"
        self.manifest = os.path.join(self.folder, "manifest.json") if self.folder is not None else ""


class Collection:
    """One run of the collector."""

    def __init__(self, job: Job, log: Log, argv: Sequence[str]) -> None:
        self.job = job
        self.log = log
        self.command = [os.path.basename(sys.argv[0] or "collect.py"), *argv]
        self.files = Files(job)
        self.stages: list[Stage] = []
        self.gpu: dict[str, str] = {}
        self.cuda: Any = None
        self.has_looked_for_cuda = False
        self.library: Library | None = None

    def run(self) -> int:
        """Returns the exit code; the failure that made it so has been told."""
        code = 0
        try:
            if self.files.folder is not None:
                make_folder(self.files.folder)
                if not self.job.has("timingCacheFile"):
                    self.job.words["timingCacheFile"] = os.path.join(self.files.folder, "timing.cache")
            library = self.library = import_tensorrt(self.log)
            library.load_plugins(self.job.libraries)
            if self.job.model:
                self._stage("build", self.files.build_log, self._build)
            if not (self.job.builds_only and self.job.model):
                self._stage("profile", self.files.profile_log, self._measure)
        except Fault as fault:
            tell_fault(self.log, fault)
            code = fault.code
        except BrokenPipeError:  # nobody is left to tell
            code = FAILED
        except KeyboardInterrupt:
            self.log.error("interrupted; what was collected is kept")
            code = INTERRUPTED
        finally:
            self._write_manifest()
            self.log.close()
        return code

    def _stage(self, name: str, log: str, work: Any) -> None:
        if log:
            self.log.open(log)
        stage = Stage(name, self.command, log)
        self.stages.append(stage)
        self.log.detail("collector: {}, TensorRT {}, Python {}".format(
            name, self.library.version if self.library else "?", sys.version.split()[0]))  # fmt: skip
        try:
            work(stage)
        except BaseException as error:
            stage.exit_code = error.code if isinstance(error, Fault) else FAILED
            stage.message = str(error) or type(error).__name__
            raise
        finally:
            stage.end = time.time()

    def _build(self, stage: Stage) -> None:
        library = self._library
        if not self.files.engine:
            raise Fault("nothing says where the engine goes", "--saveEngine=FILE, or a folder behind the model")
        try:
            self._open_cuda()
        except Fault as fault:
            if self.job.number("device", 0):
                raise
            self.log.warning(f"{fault.message}; TensorRT is asked to build all the same")
        build_engine(library, self.job, str(self.job.model), self.files.engine)
        stage.outputs["engine"] = self.files.engine
        if self.files.build_metadata:
            sections = library.build_sections
            self._write_metadata(self.files.build_metadata, model_options=sections.get("Model Options", {}),
                                 build_options=sections.get("Build Options", {}))  # fmt: skip

        if self.job.builds_only and self.files.graph:
            try:
                self._measure(stage)
            except Fault as fault:  # the engine is there, which is what was asked for
                self.log.warning(f"the engine was built, but not inspected: {fault.message}")

    def _measure(self, stage: Stage) -> None:
        library, files, job = self._library, self.files, self.job
        engine = load_engine(library, files.engine)
        self._open_cuda()
        self._tell({"Device Information": self.gpu} if self.gpu else {})
        self.log.detail(f"TensorRT version: {library.version}")
        cuda = self.cuda
        stream = cuda.stream() if cuda is not None else None
        ready = ready_context(library, engine, job, cuda, stream)
        if files.graph:
            inspect_engine(library, ready, files.graph)
            stage.outputs["graph"] = files.graph
        if job.builds_only or not (files.times or files.profile):
            return
        if cuda is None:
            if files.folder is None:  # who names the files of measurements is told that there are none
                raise Fault("nothing here drives CUDA from Python, which measuring needs", NO_CUDA_HINT)
            self.log.warning(
                "nothing here drives CUDA from Python, so the engine was built and inspected, but not measured: "
                + NO_CUDA_HINT
            )
            return
        runner = Runner(library, cuda, ready, job, stream)
        queries = self._queries(runner, ready) if files.times else None
        if queries is not None:
            write_records(files.times, list(queries.rows))
            stage.outputs["times"] = files.times
        if files.profile_metadata:
            self._write_metadata(
                files.profile_metadata,
                performance_summary=performance_section(queries) if queries else {},
                inference_options=self._inference(runner, ready),
                reporting_options={"Percentiles": "90,95,99"},
            )
        if files.profile:
            self.log.info("Profiling the layers")
            layers = profile_layers(library, runner, job)
            write_records(files.profile, layers.records())
            stage.outputs["profile"] = files.profile
            for line in layers.lines():
                self.log.detail(line)

    def _queries(self, runner: Runner, ready: Ready) -> Queries:
        """As many measurements as asked for; the one whose median time is the median counts."""
        if self.job.has("noCudaGraph"):
            runner.enqueue()
            runner.finish()
        else:
            runner.capture()
        self._tell({"Inference Options": self._inference(runner, ready),
                    "Reporting Options": {"Percentiles": "90,95,99"}})  # fmt: skip
        self.log.info("Starting inference")
        runs = []
        for number in range(max(1, int(self.job.number("runs", 1)))):
            queries = measure(runner, self.job)
            runs.append(queries)
            self.log.detail("run %d: median GPU compute time %g ms" % (number, queries.median_ms))
        runs.sort(key=lambda queries: queries.median_ms)
        chosen = runs[(len(runs) - 1) // 2]
        if len(runs) > 1:
            told = ", ".join(f"{queries.median_ms:g}" for queries in runs)
            self.log.info("Median GPU compute times of %d runs: %s ms; the middle one counts" % (len(runs), told))
        for line in performance_lines(chosen):
            self.log.info(line)
        return chosen

    @property
    def _library(self) -> Library:
        assert self.library is not None
        return self.library

    def _inference(self, runner: Runner, ready: Ready) -> dict[str, str]:
        shapes = ", ".join(f"{name}={shape_text(dims)}" for name, dims in ready.shapes.items())
        return inference_section(self.job.words, shapes, runner.graph is not None)

    def _open_cuda(self) -> None:
        """The device is chosen before TensorRT works, where something chooses it."""
        if self.has_looked_for_cuda:
            return
        self.cuda = open_cuda(self.log, self.job.text("cuda"), int(self.job.number("device", 0)))
        self.has_looked_for_cuda = True
        if self.cuda is not None:
            self.gpu = device_section(self.cuda)
        elif self.job.has("device") and self.job.number("device", 0):
            raise Fault("without cuda-python or pycuda the collector cannot choose a GPU",
                        "CUDA_VISIBLE_DEVICES={} before the command does".format(self.job.text("device")))  # fmt: skip

    def _tell(self, sections: dict[str, dict[str, str]]) -> None:
        """Sections of the log in trtexec's form."""
        for title, entries in sections.items():
            self.log.detail(f"=== {title} ===")
            for key, value in entries.items():
                self.log.detail(f"{key}: {value}")
            self.log.detail("")

    def _write_metadata(self, path: str, **sections: Any) -> None:
        document = dict(sections, device_information=self.gpu, tensorrt_version=self._library.version)
        document["command_line"] = " ".join(self.command)
        write_json(path, document)

    def _write_manifest(self) -> None:
        if not self.files.manifest or not self.stages:
            return
        version = self.library.version if self.library is not None else ""
        try:
            write_collection_manifest(self.files.manifest, self.files.name, version, self.job.model,
                                      self.files.engine, self.gpu, self.stages,
                                      list(self.log.warnings))  # fmt: skip
        except Fault as fault:
            tell_fault(self.log, fault)


def tell_fault(log: Log, fault: Fault) -> None:
    log.fault("collector", "error", fault.message)
    if fault.hint:
        log.fault("try", "  try", fault.hint)


def main(argv: Sequence[str] | None = None) -> int:
    """Exit codes: 0, 1 for what TensorRT or CUDA did not do, 2 for what the user can mend, 130 for Ctrl-C."""
    words = list(sys.argv[1:] if argv is None else argv)
    log = Log()
    try:
        job = read_arguments(words or ["--help"])
    except Fault as fault:
        tell_fault(log, fault)
        return WRONG_WORDS
    if job.has("help"):
        with contextlib.suppress(BrokenPipeError):
            show("\n".join(help_lines()), sys.stdout)
        return 0
    log = Log(is_whole=job.folder is None, verbose=job.has("verbose") or job.folder is not None, quiet=job.has("quiet"))
    return Collection(job, log, words).run()
