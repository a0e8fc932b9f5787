"""Every case of the catalog goes through ``trex.load`` and gives what its description promises."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import trex
from tests.synthetic import CASES, Case
from trex.core.errors import TrexError

READABLE = [name for name, case in CASES.items() if not case.expect.error]
REFUSED = [name for name, case in CASES.items() if case.expect.error]


@pytest.fixture(scope="module")
def plans(tmp_path_factory: pytest.TempPathFactory) -> dict[str, trex.EnginePlan]:
    """Plans by case name, each loaded when first asked for."""

    class Plans(dict[str, trex.EnginePlan]):
        def __missing__(self, name: str) -> trex.EnginePlan:
            case = CASES[name]
            self[name] = trex.load(case.write(tmp_path_factory.mktemp(name)))
            return self[name]

    return Plans()


def case_and_plan(name: str, plans: dict[str, trex.EnginePlan]) -> tuple[Case, trex.EnginePlan]:
    return CASES[name], plans[name]


def printable(name: str) -> str:
    return name.replace("\x1e", "+")


@pytest.mark.parametrize("name", READABLE)
def test_layers_and_roles(name: str, plans: dict[str, trex.EnginePlan]) -> None:
    case, plan = case_and_plan(name, plans)
    engine = plan.whole_engine
    if case.expect.partial:
        assert case.expect.layer_count <= len(engine.layers) <= case.expect.layer_count + 1
        return
    assert len(engine.layers) == case.expect.layer_count
    assert engine.profiles == case.expect.profiles
    if case.expect.roles:
        assert Counter(layer.role.value for layer in engine.layers) == case.expect.roles


@pytest.mark.parametrize("name", READABLE)
def test_rows_and_times(name: str, plans: dict[str, trex.EnginePlan]) -> None:
    case, plan = case_and_plan(name, plans)
    if case.expect.row_count is not None:
        assert len(plan.df) == len(plan.layers) == case.expect.row_count
    times = plan.df["latency.avg_time"]
    if case.expect.latency_ms is None:
        assert times.isna().all()
    else:
        assert times.sum() == pytest.approx(case.expect.latency_ms, rel=1e-5)
        assert tuple(plan.df["Name"][times.isna()]) == case.expect.unprofiled


@pytest.mark.parametrize("name", READABLE)
def test_precision_sizes_and_weights(name: str, plans: dict[str, trex.EnginePlan]) -> None:
    case, plan = case_and_plan(name, plans)
    precision = {layer.name: layer.precision for layer in plan.engine.layers}
    for layer_name, label in case.expect.precision.items():
        assert precision[printable(layer_name)] == label, layer_name
    sizes: dict[str, set[int | None]] = {}
    for layer in plan.whole_engine.layers:
        for tensor in (*layer.inputs, *layer.outputs):
            sizes.setdefault(tensor.name, set()).add(tensor.size_bytes)
    for tensor_name, size in case.expect.sizes.items():
        assert sizes[tensor_name] == {size}, tensor_name
    if case.expect.weights_bytes is not None:
        assert plan.total_weights_size == case.expect.weights_bytes


@pytest.mark.parametrize("name", READABLE)
def test_bindings_and_notes(name: str, plans: dict[str, trex.EnginePlan]) -> None:
    case, plan = case_and_plan(name, plans)
    inputs, outputs = plan.binding_tensors()
    if case.expect.inputs is not None:
        assert tuple(tensor.name for tensor in inputs) == case.expect.inputs
    if case.expect.outputs is not None:
        assert tuple(tensor.name for tensor in outputs) == case.expect.outputs
    assert {note.code for note in plan.notes} >= set(case.expect.notes)


@pytest.mark.parametrize("name", REFUSED)
def test_what_must_be_refused_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(TrexError):
        trex.load(CASES[name].write(tmp_path))
