"""Every engine of the catalog, loaded and put through every plug: what comes out is what its description says."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.engines import READABLE
from tests.synthetic import CASES, Case
from trex.core.errors import TrexError
from trex.engine_plan import EnginePlan, find_plans, load
from trex.export.document import render_document
from trex.export.svg import render_svg
from trex.graph.build import build_graph
from trex.ingest.graph_json import EngineReader
from trex.ingest.lenient_json import parse
from trex.ingest.quirk import QUIRKS, run_quirks
from trex.ingest.raw_engine import RawEngine
from trex.ingest.source import read_source
from trex.views.completeness import completeness_document, completeness_of
from trex.views.diagram.scene import build_scene


def written(case: Case, folder: Path) -> Path:
    return case.write(folder)


def opened(case: Case, folder: Path) -> EnginePlan:
    return load(written(case, folder))


def cases(chosen: Iterable[Case]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", chosen, ids=lambda case: case.name)


@cases(READABLE)
def test_facts_are_those_of_the_description(case: Case, tmp_path: Path) -> None:
    plan = opened(case, tmp_path)
    expect = case.expect
    layers = plan.whole_engine.layers
    if expect.partial:
        assert len(layers) in (expect.layer_count, expect.layer_count + 1)
        assert any(note.severity == "problem" for note in plan.notes)
        return
    assert expect.layer_count in (None, len(layers))
    if expect.roles:
        assert Counter(layer.role.value for layer in layers) == Counter(expect.roles)
    if expect.row_count is not None:
        assert len(plan.df) == len(plan.working_layers) == expect.row_count
    assert plan.whole_engine.profiles == expect.profiles
    if expect.latency_ms is None:
        assert math.isnan(plan.total_runtime) or expect.unprofiled == ()
    else:
        assert plan.total_runtime == pytest.approx(expect.latency_ms, rel=1e-5)
    inputs, outputs = plan.binding_tensors()
    if expect.inputs is not None:
        assert tuple(t.name for t in inputs) == expect.inputs
        assert expect.outputs in (None, tuple(t.name for t in outputs))
    assert {note.code for note in plan.notes} >= set(expect.notes)


@cases(READABLE)
def test_precisions_and_sizes_are_those_of_the_description(case: Case, tmp_path: Path) -> None:
    plan = opened(case, tmp_path)
    labels = {layer.name: layer.precision for layer in plan.whole_engine.layers}
    wanted = {name: label for name, label in case.expect.precision.items() if name in labels}
    assert {name: labels[name] for name in wanted} == wanted
    sizes = {
        tensor.name: tensor.size_bytes
        for layer in plan.whole_engine.layers
        for tensor in (*layer.inputs, *layer.outputs)
    }
    checked = {name: size for name, size in case.expect.sizes.items() if name in sizes}
    assert {name: sizes[name] for name in checked} == checked


@cases(READABLE)
def test_unprofiled_layers_have_no_time(case: Case, tmp_path: Path) -> None:
    frame = opened(case, tmp_path).df.set_index("Name")
    for name in case.expect.unprofiled:
        assert math.isnan(frame.loc[name, "latency.avg_time"])


@cases([case for case in CASES.values() if case.expect.error])
def test_errors_have_an_address_and_a_next_step(case: Case, tmp_path: Path) -> None:
    with pytest.raises(TrexError) as caught:
        opened(case, tmp_path)
    assert caught.value.where
    assert caught.value.hint


@cases(READABLE)
def test_every_engine_is_drawn_as_valid_svg(case: Case, tmp_path: Path):
    plan = opened(case, tmp_path)
    root = ElementTree.fromstring(render_svg(build_scene(build_graph(plan))))
    assert root.tag.endswith("svg")


@cases(CASES.values())
def test_what_every_engine_lacks_is_known(case: Case, tmp_path: Path) -> None:
    written(case, tmp_path)
    for files in find_plans(tmp_path):
        completeness = completeness_of(files)
        assert render_document(completeness_document([completeness]), "json")
        assert bool(completeness.error) or completeness.layers is not None


@cases(READABLE)
def test_every_type_has_its_table(case: Case, tmp_path: Path) -> None:
    plan = opened(case, tmp_path)
    for type_ in {layer.type for layer in plan.working_layers}:
        table = plan.get_layers_by_type(type_)
        assert len(table) == sum(layer.type == type_ or layer.subtype == type_ for layer in plan.working_layers)


@cases(READABLE)
def test_reading_leaves_the_folder_alone(case: Case, tmp_path: Path) -> None:
    path = written(case, tmp_path)
    before = {file.name: (file.stat().st_mtime_ns, file.read_bytes()) for file in tmp_path.iterdir()}
    load(path).df  # noqa: B018
    assert {file.name: (file.stat().st_mtime_ns, file.read_bytes()) for file in tmp_path.iterdir()} == before


GRAPHS = [case for case in READABLE if case.main.endswith((".graph.json", ".gz", ".zst"))]


@cases(GRAPHS)
def test_quirks_of_one_stage_commute(case: Case, tmp_path: Path) -> None:
    source = read_source(str(written(case, tmp_path)))
    quirks = [plug.value for plug in QUIRKS.values()]
    assert len(quirks) > 10

    def engine(order: Any) -> Any:
        parsed = parse(source.data, "x")
        raw = run_quirks(RawEngine(documents=list(parsed.documents)), order)
        read = EngineReader(raw).engine()
        return read.layers, read.bindings, {note.code for note in read.notes}

    reference = engine(quirks)
    shuffler = random.Random(7)
    for order in itertools.islice(iter(lambda: shuffler.sample(quirks, len(quirks)), None), 4):
        assert engine(order) == reference
