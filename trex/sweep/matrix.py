"""SweepSpec → its jobs: models files and hashed, shapes filled in, options checked, keys computed."""

from __future__ import annotations

import glob
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from trex.capture.manifest import files_of_model, record_of
from trex.capture.options import CaptureOptions
from trex.core.command_words import words_of
from trex.core.errors import TrexError
from trex.core.near_names import did_you_mean
from trex.core.options import option_fields
from trex.core.whole_file import write_whole
from trex.ingest.onnx_model import input_shapes
from trex.perf.known_devices import find_device, is_same_gpu
from trex.sweep.backend_facts import BackendFacts, Question, facts_here
from trex.sweep.job import EXAMPLE, SHARED_AMOUNT, SWEEP_LABEL, Job, JobModel, full_name, gpu_resource, without_files
from trex.sweep.spec import AXES, ON_CPU, RTX, SIMULATED, Combination, SweepSpec, combinations_of, precision_words

_RUNS_OF_SHAPES = ("shapes", "minShapes", "optShapes", "maxShapes")


@dataclass
class Matrix:
    """spec → jobs. models: the folder for networks that trex writes. ask: answers where jobs will run.

    is_strict: a backend that can't run raises TrexError; otherwise its jobs have no key.
    """

    spec: SweepSpec
    models: Path
    ask: Callable[[Question], BackendFacts] = facts_here
    is_strict: bool = True
    _hashed: dict[str, JobModel] = field(default_factory=dict)
    _inputs: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    _answers: dict[object, BackendFacts] = field(default_factory=dict)

    @cached_property
    def axes(self) -> dict[str, tuple[str, ...]]:
        """The values of every axis, globs of models replaced by their files."""
        return {axis: self._models() if axis == "model" else self.spec.values(axis) for axis in AXES}

    @cached_property
    def varied(self) -> tuple[str, ...]:
        """The axes with more than one value."""
        return tuple(axis for axis, values in self.axes.items() if len(values) > 1)

    @cached_property
    def jobs(self) -> tuple[Job, ...]:
        """In order: every combination once, then again for each repetition. Raises TrexError."""
        unique: dict[str, Job] = {}
        for combination in combinations_of(self.spec, self.axes):
            job = self._job(combination)
            other = unique.setdefault(job.key or job.title, job)
            if other.labels != job.labels:
                message = f"{other.title} and {job.title} are the same job"
                raise TrexError(message, "leave out one of both: [[exclude]]", self.spec.file)
        return tuple(
            replace(job, repetition=index) for index in range(self.spec.repetitions) for job in unique.values()
        )

    def _models(self) -> tuple[str, ...]:
        names: list[str] = []
        for text in self.spec.values("model"):
            if text.startswith(EXAMPLE):
                _check_example(text, self.spec.file)
                names.append(text)
                continue
            path = str(Path(self.spec.folder) / text)
            is_glob = glob.has_magic(text) and not Path(path).exists()
            files = _files_of(Path(path)) if is_glob else [path]
            if not files or not all(Path(name).is_file() for name in files):
                raise TrexError(f"there is no model {text}", "paths start at the sweep's folder", self.spec.file)
            names += [_relative(name, self.spec.folder) for name in files]
        return tuple(dict.fromkeys(names))

    def _job(self, combination: Combination) -> Job:
        spec, backend, gpu = self.spec, combination["backend"], combination["gpu"]
        path = self._file(combination)
        arguments = [*precision_words(combination["precision"]), *words_of(combination["options"], spec.file)]
        values: dict[str, Any] = {"backend": backend, "build_engine": True}
        for setting in spec.settings:
            if setting.selector.applies_to(combination):
                arguments += setting.arguments
                values |= {_field(flag).name: _value(flag, text) for flag, text in setting.flags.items()}
        arguments = [_filled(word, combination) for word in arguments]
        if not any(word.lstrip("-").partition("=")[0] in _RUNS_OF_SHAPES for word in arguments):
            arguments += self._shapes(combination, path)
        if backend in ON_CPU:
            values["device"] = gpu
        if backend == RTX and gpu and not values.get("target"):
            values["target"] = gpu
        if backend == SIMULATED:
            values["as_release"] = combination["tensorrt"]
        values["profile_engine"] = backend != RTX or bool(gpu)
        options = CaptureOptions(path, "", tuple(arguments), **values)
        resources = {} if backend in ON_CPU else self._resources(gpu or spec.resources.gpu)
        facts = self._facts(options, resources, combination)
        wanted = gpu or spec.resources.gpu
        if backend not in ON_CPU and _is_other_gpu(wanted, facts.gpu):
            hint = "CUDA_VISIBLE_DEVICES and the resources of its worker should name that GPU"
            raise TrexError(f"the worker for the GPU {wanted} has {facts.gpu}", hint, spec.file)
        model = self._hash(path)
        named = full_name(gpu if backend in ON_CPU else facts.gpu or wanted)
        labels = {
            axis: value for axis, value in combination.items() if value and axis in (*spec.axes, "model", "backend")
        }
        job = Job(
            "",
            0,
            {SWEEP_LABEL: spec.name, **labels},
            model,
            without_files(options),
            named,
            facts.tensorrt,
            resources,
            spec.time_limit_s,
        )
        return job if facts.problem else replace(job, key=_key(job))

    def _resources(self, gpu: str) -> Mapping[str, float]:
        return {gpu_resource(gpu): 1.0 if self.spec.resources.is_exclusive else SHARED_AMOUNT}

    def _facts(self, options: CaptureOptions, resources: Mapping[str, float], combination: Combination) -> BackendFacts:
        """The answer for all jobs that differ in nothing that it depends on."""
        where = " · ".join(value for value in combination.values() if value)
        precision = combination["precision"]
        if options.backend == RTX and precision_words(precision):
            hint = f'[[exclude]] backend = "{RTX}", precision = "{precision}"; FP16 models: example:resnet18-fp16'
            raise TrexError(f"{where}: {RTX} takes its precisions from the model", hint, self.spec.file)
        same = (options.backend, options.trtexec, tuple(resources), options.device, options.as_release)
        # these check arguments in milliseconds; the others start programs for that
        words = tuple(word for word in options.trtexec_args if "hapes=" not in word) if not resources else ()
        key = (*same, *words)
        if key not in self._answers:
            ask = facts_here if options.backend == SIMULATED else self.ask
            self._answers[key] = ask(Question(options, resources))
        answer = self._answers[key]
        if answer.problem and (self.is_strict or options.backend == SIMULATED):
            raise TrexError(f"{where}: {answer.problem}", answer.hint, self.spec.file)
        wanted = combination["tensorrt"]
        if wanted and answer.tensorrt and not f"{answer.tensorrt}.".startswith(f"{wanted}."):
            message = f"{where}: TensorRT {wanted} is asked for, {answer.tensorrt} is installed"
            raise TrexError(message, "name the program of that release: [[set]] trtexec = PATH", self.spec.file)
        return answer

    def _file(self, combination: Combination) -> str:
        name, batch = combination["model"], combination["batch"]
        if not name.startswith(EXAMPLE):
            return os.path.realpath(Path(self.spec.folder) / name)
        return str(self._example(name.removeprefix(EXAMPLE), int(batch or 1)))

    def _example(self, network: str, batch: int) -> Path:
        """An example network with weights, written once per release of trex."""
        from trex import __version__
        from trex.examples.network import make_network

        path = self.models / f"{network}-b{batch}-{__version__}.onnx"
        if not path.is_file():
            self.models.mkdir(parents=True, exist_ok=True)
            write_whole(path, make_network(network, batch, weights="random").SerializeToString())
        return path.resolve()

    def _hash(self, path: str) -> JobModel:
        if path not in self._hashed:
            folder = Path(path).parent
            weights = {name: record_of(folder / name).sha256 for name, _, _ in files_of_model(Path(path))}
            self._hashed[path] = JobModel(path, record_of(path).sha256, weights)
        return self._hashed[path]

    def _shapes(self, combination: Combination, path: str) -> Iterator[str]:
        if combination["shapes"]:
            yield f"shapes={_filled(combination['shapes'], combination)}"
        elif combination["batch"] and not combination["model"].startswith(EXAMPLE):
            yield from self._batched(path, int(combination["batch"]), combination["model"])

    def _batched(self, path: str, batch: int, model: str) -> Iterator[str]:
        """shapes= with the batch size as the first dimension of all inputs that leave it open."""
        if path not in self._inputs:
            self._inputs[path] = input_shapes(path)
        inputs = self._inputs[path]
        opened = {name: shape for name, shape in inputs.items() if shape is None or not all(shape)}
        written = {shape[0] for shape in inputs.values() if shape and shape[0]}
        hint = 'write them: shapes = "NAME:{batch}x128"'
        if not opened and written != {batch}:
            message = f"{model} has its batch size written in it: {', '.join(map(str, sorted(written))) or 'none'}"
            raise TrexError(message, "export it with a dynamic batch, or leave the axis batch out", self.spec.file)
        for name, shape in opened.items():
            if not shape or not all(shape[1:]):
                raise TrexError(f"{model} leaves more open than the batch size of {name}", hint, self.spec.file)
        texts = [f"{name}:{'x'.join(map(str, (batch, *(shape or ())[1:])))}" for name, shape in opened.items()]
        if texts:
            yield f"shapes={','.join(texts)}"


def _is_other_gpu(wanted: str, actual: str) -> bool:
    """Whether both are known and differ; a slice of a GPU is that GPU."""
    whole = actual.partition(" MIG ")[0]
    try:
        find_device(wanted), find_device(whole)
    except TrexError:
        return False
    return not is_same_gpu(wanted, whole)


def _key(job: Job) -> str:
    """Two jobs with the same key build the same engine from the same model, in the same way. The model's name counts: a
    run belongs to one configuration, also where two files are equal or change places.
    """
    from trex import __version__
    from trex.sweep.job import option_words

    words = option_words(job.options)
    model = [job.labels["model"], job.model.sha256, dict(job.model.weights)]
    facts = [*model, words, job.tensorrt, job.gpu, __version__, job.options.backend]
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def _filled(text: str, combination: Combination) -> str:
    return text.replace("{batch}", combination["batch"] or "1")


def _field(flag: str) -> Any:
    return next(item for item in option_fields(CaptureOptions) if item.flag == f"--{flag}")


def _value(flag: str, text: str) -> Any:
    item = _field(flag)
    return True if item.is_switch else (item.convert or type(item.default))(text)


def _relative(path: str, folder: str) -> str:
    try:
        return str(Path(path).relative_to(folder))
    except ValueError:
        return path


def _files_of(pattern: Path) -> list[str]:
    """Sorted, without hidden ones; ``**`` follows no links, which may lead in circles; ``**.onnx`` is ``*.onnx``."""
    fixed = next(number for number, part in enumerate(pattern.parts) if glob.has_magic(part))
    root = Path(*pattern.parts[:fixed])
    rest = Path(*(part if part == "**" else re.sub(r"\*+", "*", part) for part in pattern.parts[fixed:]))
    paths = (path for path in root.glob(str(rest)) if path.is_file())
    return sorted(str(path) for path in paths if not any(map(_is_hidden, path.relative_to(root).parts)))


def _is_hidden(name: str) -> bool:
    return name.startswith(".") and name != ".."


def _check_example(text: str, where: str) -> None:
    from trex.examples.network import network_names

    name = text.removeprefix(EXAMPLE)
    if name not in (names := network_names()):
        raise TrexError(f"there is no example network {name!r}", did_you_mean(name, names, "trex examples"), where)
