"""Doors of what is no file of TensorRT: our own files, settings, queries, options and models."""

from __future__ import annotations

import json
import re
import tempfile
import warnings
from functools import cache, partial
from pathlib import Path

import pandas as pd

import trex
from tests.fuzz.doors import GOOD_GRAPH, Door, check_document, check_json, check_notes, refusing, use
from trex.capture.log_metadata import BUILD_SECTIONS, metadata_bytes, metadata_of_log
from trex.capture.manifest import read_manifest, write_manifest
from trex.capture.outputs import engine_release
from trex.capture.phases import PhaseReader
from trex.capture.tensorrt_api.arguments import read_arguments
from trex.capture.tensorrt_api.errors import CollectorError
from trex.capture.tensorrt_api.tactics import read_tactics
from trex.capture.trtexec.failure import ErrorLines
from trex.capture.trtexec.user_options import parse_arguments
from trex.compare.condition import conditions_of, read_condition
from trex.core.metadata import Metadata
from trex.graph.build import build_graph
from trex.graph.select import Selection, select
from trex.ingest.artifacts import Artifacts
from trex.ingest.baseline_json import is_baseline, read_baseline
from trex.ingest.config_toml import find_configuration, read_compare_configuration, read_configuration
from trex.ingest.finding.engine_files import EngineFiles
from trex.ingest.graph_json import read_graph
from trex.ingest.monitor_json import monitor_document, read_monitor
from trex.ingest.onnx_model import input_shapes, read_model
from trex.ingest.polygraphy_results import read_run_results
from trex.ingest.polygraphy_text import HEADER, read_polygraphy_text
from trex.ingest.timing_cache import read_timing_cache
from trex.ingest.timing_cache_record import read_record, record_text
from trex.ingest.trtexec_command import (
    build_command,
    logged,
    options_of,
    profile_command,
    recipe_of,
    rtx_command,
)
from trex.ingest.tuning_jsonl import is_tuning_log, load_tuning_log
from trex.perf.device_file import device_document, device_text, read_device
from trex.plan.engine_plan import EnginePlan
from trex.plan.selection import layers_of_type, needs_attributes, select_layers, with_attributes
from trex.simulator.engine_file import read_engine
from trex.store.columns import RUNS
from trex.store.manifest import read_run, run_text
from trex.store.table_files import parquet_bytes, run_row
from trex.views.diagram.scene import build_scene
from trex.views.diagram.style import DiagramStyle
from trex.views.perf.document import performance_document
from trex.views.timing_cache import cache_document
from trex.views.tuning import tuning_document

RELEASES = ((8, 2), (8, 6), (10, 4), (11, 1))
# A user may ask for arithmetic or for a pattern that takes forever: that is no fault of a reader.
_SLOW_QUERY = re.compile(r"\*\s*\*|<<|\*\s*\d{5}|to_|apply|pipe|eval|query|repeat|zfill|just|center|pad")
_SLOW_PATTERN = re.compile(r"[*+}?][)\]]*[*+{?]|[*+}].*[*+}]|\d{3}")


@cache
def _plan() -> EnginePlan:
    return trex.load_example("resnet18-fp16")


@cache
def _rows() -> pd.DataFrame:
    plan = _plan()
    return with_attributes(plan.df, plan.working_layers, plan.times)


# ------------------------------------------------------------------------------------------------------ our own files


def telemetry(data: bytes, thorough: bool = True) -> None:
    telemetry = read_monitor(data, "x.monitor.json")
    check_notes(telemetry.notes)
    assert {len(values) for values in telemetry.columns.values()} <= {len(telemetry.time_s)}
    assert len(telemetry.reasons) == len(telemetry.time_s)
    document = check_json(json.dumps(monitor_document(telemetry)).encode())
    again = monitor_document(read_monitor(json.dumps(document).encode()))
    assert json.dumps(again["samples"]) == json.dumps(document["samples"])
    artifacts = Artifacts(read_graph(GOOD_GRAPH), telemetry=telemetry)
    use(EnginePlan.from_artifacts(artifacts), thorough)


def baseline(data: bytes, thorough: bool = True) -> None:
    is_baseline(data[:400])
    _, artifacts = read_baseline(data, "x.baseline.json")
    use(EnginePlan.from_artifacts(artifacts), thorough)


def device(data: bytes, thorough: bool = True) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.json")
        path.write_bytes(data)
        device = read_device(path)
        check_json(json.dumps(device_document(device), allow_nan=False).encode())
        path.write_text(device_text(device), encoding="utf-8")
        assert device_document(read_device(path)) == device_document(device)
        check_document(performance_document(trex.performance(_plan(), device)))
        if thorough:
            check_document(trex.lint_engine(_plan(), device).document)


def manifest(data: bytes, thorough: bool = True) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.manifest.json")
        path.write_bytes(data)
        manifest = read_manifest(path)
        write_manifest(manifest, path)
        assert read_manifest(path).engines.keys() == manifest.engines.keys()


def stored_run(data: bytes, thorough: bool = True) -> None:
    """The manifest of a run in a store: what is taken can be written again, and be a row of its table."""
    with refusing():
        run, files = read_run(data, "run.json")
        assert read_run(run_text(run, files).encode(), "run.json")[0].artifacts == run.artifacts
        if thorough:
            parquet_bytes(RUNS, [run_row(run)])


def engine_file(data: bytes, thorough: bool = True) -> None:
    """In place of an engine: the simulator's own file, or the header of TensorRT's."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.engine")
        path.write_bytes(data)
        with refusing():
            engine_release(path)
        with refusing():
            read_engine(path)


def tuning(data: bytes, thorough: bool = True) -> None:
    is_tuning_log(data)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "t.jsonl")
        path.write_bytes(data)
        log = load_tuning_log(path)
    check_notes(log.notes)
    check_document(tuning_document(log))


def timing_cache(data: bytes, thorough: bool = True) -> None:
    """What is read of a cache or a record is written and read again as it was."""
    cache = read_timing_cache(data, "x.cache")
    check_notes(cache.notes)
    text = record_text(cache)
    check_json(text.encode())
    again = read_record(text.encode())
    assert again.tactics == cache.tactics and record_text(again) == text
    check_document(cache_document(cache))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.cache")
        path.write_bytes(data)
        assert trex.read_timing_cache(path).cache.tactics == cache.tactics
        path.write_text(text, encoding="utf-8")
        assert {key: tactic for key, (tactic, _) in read_tactics(str(path)).items()} == cache.tactics


def model(data: bytes, thorough: bool = True) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.onnx")
        path.write_bytes(data)
        input_shapes(path)
        if thorough:  # starts processes
            check_notes(read_model(path).notes)


# --------------------------------------------------------------------------------------------- what TensorRT prints


def polygraphy_results(data: bytes, thorough: bool = True) -> None:
    times = read_run_results([data[: len(data) // 2], data[len(data) // 2 :]], "x")
    check_notes(times.notes)
    assert {len(column) for column in times.columns.values()} <= {len(times)}


def polygraphy(data: bytes, thorough: bool = True) -> None:
    text = data.decode("utf-8", "surrogateescape")
    use(EnginePlan(read_polygraphy_text(text if HEADER in text else f"[I] {HEADER}\n{text}", "x")), thorough)


def output(data: bytes, thorough: bool = True) -> None:
    """Lines of a running trtexec."""
    phases, errors = PhaseReader(), ErrorLines()
    for line in data.decode("utf-8", "surrogateescape").splitlines()[:1000]:
        phase = phases.read(line)
        assert phase is None or phase.name
        errors.add(line)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.log")
        path.write_bytes(data)
        check_json(metadata_bytes(metadata_of_log(path), BUILD_SECTIONS))


# Words of bash, and their quotes: shlex does not know ``$'…'``.
_WORD = re.compile(r"(?:\$'[^']*'|'[^']*'|\"[^\"]*\"|[^\s'\"])+")
_QUOTES = re.compile(r"\$'([^']*)'|'([^']*)'|\"([^\"]*)\"")


def command_line(data: bytes, thorough: bool = True) -> None:
    """A logged command line → the commands that repeat the run, which a shell splits into as many words."""
    line, _, rest = data.decode("utf-8", "surrogateescape").replace("\0", "").partition("\n")
    options_of(line)
    metadata = Metadata(command_line=line, build_options={"Precision": rest, "Memory Pools": rest})
    recipe = recipe_of(EngineFiles(rest or "x"), read_graph(GOOD_GRAPH), metadata, metadata)
    for command in (build_command(recipe), profile_command(recipe), rtx_command(recipe)):
        words = [_QUOTES.sub(r"\1\2\3", word) for word in _WORD.findall(logged(command, recipe))]
        assert words[0] in ("trtexec", "trex")
        assert all(word.startswith("-") for word in words[1:-4] if words[0] == "trtexec")


# --------------------------------------------------------------------------------------------------- what users write


def options(data: bytes, thorough: bool = True) -> None:
    """Arguments of trex process for trtexec and for the collector."""
    text = data.decode("utf-8", "surrogateescape")
    words = text.split("\n")[:50]
    for release in RELEASES:
        with refusing():
            arguments = parse_arguments(words, release)
            check_notes(arguments.notes)
            for argument in (*arguments.options, *arguments.profile_options):
                assert argument.text.startswith("--")
            repr(arguments.profiles)
    for given in (words, [f"--{word}" for word in words]):
        try:
            found = read_arguments(given)
        except CollectorError:
            continue
        assert all(found.run_shapes) or not found.run_shapes
        assert {type(path) for path in (found.model, found.engine, found.folder)} <= {str, type(None)}


def settings(data: bytes, thorough: bool = True) -> None:
    for name in ("trex.toml", "pyproject.toml"):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, name)
            path.write_bytes(data)
            with refusing():
                assert find_configuration(folder) is not None or name == "pyproject.toml"
            with refusing():
                read_configuration(path)
                trex.lint_engine(EnginePlan(read_graph(GOOD_GRAPH)), config=path)
            with refusing():
                configuration = read_compare_configuration(path)
                conditions_of((), tuple(configuration.limits.values()))


def conditions(data: bytes, thorough: bool = True) -> None:
    for line in data.decode("utf-8", "surrogateescape").split("\n")[:50]:
        with refusing():
            condition = read_condition(line)
            assert condition.limit >= 0
            condition.is_within(1.0, 2.0), condition.is_within(0.0, 0.0)


def queries(data: bytes, thorough: bool = True) -> None:
    """Query, order and columns of trex layers, one per line."""
    text = data.decode("utf-8", "surrogateescape")[:200]
    if _SLOW_QUERY.search(text):
        return
    query, sort, columns = (*text.split("\n"), "", "", "")[:3]
    needs_attributes(query, columns.split(","), sort)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a SyntaxWarning is about the user's query
        for part in (
            partial(select_layers, _rows(), query),
            partial(select_layers, _rows(), sort=sort),
            partial(select_layers, _rows(), query, 3, [name for name in columns.split(",") if name]),
            partial(layers_of_type, _plan(), columns),
        ):
            with refusing():
                assert len(part()) <= len(_rows())


def selections(data: bytes, thorough: bool = True) -> None:
    """Every text that selects a part of a graph."""
    text = data.decode("utf-8", "surrogateescape")[:60]
    graph = build_graph(_plan())
    kinds = ("beam", "between", "module", "tensor") + (() if _SLOW_PATTERN.search(text) else ("query",))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a FutureWarning is about the user's pattern
        for kind in kinds:
            with refusing():
                assert select(graph, Selection(**{kind: text})).nodes
        if "query" in kinds:
            with refusing():
                build_scene(graph, _plan(), DiagramStyle(close_groups=text))


DOORS: tuple[Door, ...] = (
    telemetry,
    baseline,
    device,
    manifest,
    stored_run,
    engine_file,
    model,
    timing_cache,
    tuning,
    polygraphy,
    polygraphy_results,
    output,
    command_line,
    options,
    settings,
    conditions,
    queries,
    selections,
)
