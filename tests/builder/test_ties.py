"""Trials of an engine's layers: native ones by tactic and type, Myelin's by region or by kernel."""

from __future__ import annotations

from dataclasses import replace

import pytest

import trex
from tests.raw_records import chain
from tests.rules.cases import plan_of
from trex.builder.build_statements import reproducibility
from trex.builder.ties import EngineTies, EngineTrials, engine_reproducible_words
from trex.core.data_type import DataType
from trex.core.metadata import Metadata
from trex.core.tactic_trial import TacticTrial
from trex.plan.engine_plan import EnginePlan


def plan(*trials: TacticTrial, **fields: str) -> EnginePlan:
    engine = plan_of([{**record, **fields} for record in chain("a", "b")], {"a": 1.0, "b": 1.0})
    engine.build_metadata = replace(Metadata(), trials=trials)
    return engine


@pytest.mark.parametrize(
    "name", ["trt8.4-mnist-fp16-build-verbose.log", "trt8.6-build-verbose.log", "trt10.16-trtexec-02.log"]
)
def test_summary_and_tactics_agree(shared_logs, name) -> None:
    whole = reproducibility(trex.tactics(shared_logs / name), 0)
    assert whole is not None and engine_reproducible_words(trex.load(shared_logs / name)) == whole.words


def test_of_several_types_that_of_the_layer() -> None:
    reads = plan().working_layers[0].inputs[0].data_type
    other = DataType.INT8 if reads is not DataType.INT8 else DataType.FP32
    close = TacticTrial("a", 1, 1.0, 2, 1.01, 3, reads)
    engine = plan(close, TacticTrial("a", 1, 1.0, 2, 1.5, 3, other), TacticValue="0x0000000000000001")
    assert EngineTrials(engine).of(engine.working_layers[0]) == (close,)
    assert engine_reproducible_words(engine).startswith("1 of 1 chosen tactics")
    assert engine_reproducible_words(plan()) == ""


def test_an_operation_of_myelin_by_its_kernel_and_node() -> None:
    timed = TacticTrial("node", 7, 1.0, 8, 1.01, 3, DataType.FP16, "{ForeignNode[x]}", "some_kernel")
    engine = plan(timed, TacticName="some_kernel", Metadata="[ONNX Layer: node]")
    assert EngineTrials(engine).of(engine.working_layers[0]) == (timed,)
    other = plan(timed, TacticName="another_kernel", Metadata="[ONNX Layer: node]")
    assert EngineTrials(other).of(other.working_layers[0]) == ()


def test_the_operations_of_a_region_count_once_however_many_layers_have_its_name() -> None:
    timed = [TacticTrial(node, 7, 1.0, 8, 1.01, 3, DataType.UNKNOWN, "region", "kernel") for node in ("m", "n")]
    engine = plan_of(chain("region", "region"), {"region": 1.0})
    engine.build_metadata = replace(Metadata(), trials=tuple(timed))
    assert [EngineTrials(engine).of(layer) for layer in engine.working_layers] == [tuple(timed), ()]
    assert engine_reproducible_words(engine).startswith("2 of 2 chosen tactics")


def test_a_changed_tactic_that_was_a_tie() -> None:
    base = plan(TacticTrial("a", 1, 1.0, 2, 1.004, 3), TacticValue="0x0000000000000001")
    new = plan(TacticTrial("a", 2, 1.0, 1, 1.01, 3), TacticValue="0x0000000000000002")
    layers = base.working_layers[0], new.working_layers[0]
    assert EngineTies(base, new).words(*layers) == "a tie of 1 %"
    assert EngineTies(base, plan(TacticValue="0x0000000000000002")).words(*layers) == "a tie of 0.4 %"
    assert EngineTies(plan(), plan()).words(*layers) == ""
    far = plan(TacticTrial("a", 1, 1.0, 2, 1.4, 3), TacticValue="0x0000000000000001")
    assert EngineTies(far, new).words(*layers) == ""
