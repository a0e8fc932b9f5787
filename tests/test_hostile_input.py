"""Hostile input: any bytes at any door give a plan with Notes or a TrexError, and what is made of a plan is inert.

The doors, and what must hold behind them, are in ``tests/fuzz/doors.py``. Bombs, links and folders are in
``tests/fuzz/test_containers.py``, size and time in ``tests/fuzz/test_monsters.py``; ``fuzz_readers.py`` looks for more.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from math import inf, nan
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import trex
from tests.fuzz import doors, mutations, targets, user_doors
from tests.fuzz.monsters import document, layer, tensor, zipped
from tests.fuzz.time_limit import Hang, time_limit
from tests.simulated_examples import load_simulated
from tests.synthetic import CASES
from trex.cli import console
from trex.cli.main import main
from trex.core.errors import TrexError
from trex.export.document import render_document
from trex.ingest.artifacts import engine_from_names
from trex.ingest.graph_json import engine_from_documents, read_graph
from trex.ingest.profile_json import read_profile
from trex.ingest.timing_json import read_timing
from trex.plan.engine_plan import EnginePlan
from trex.views.layers import layers_document

pytestmark = pytest.mark.slow

CALMLY = settings(
    derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck), max_examples=60
)
BY_NAME = {door.__name__: door for door in targets.DOORS}


@pytest.fixture(autouse=True)
def _no_hang() -> Iterator[None]:
    with time_limit(seconds=300):  # a busy machine needs a third of it
        yield


# ----------------------------------------------------------------------------------------------------- any bytes

# What the readers look for, so that random texts come past their first question.
WORDS = (
    '{"Layers": [',
    '"Bindings": ["x"]',
    '{"Name": "',
    '", "LayerType": "',
    '"Inputs": [',
    '[{ "count" : 1 }',
    '{ "name" : "',
    '"timeMs" : ',
    '"averageMs" : nan',
    '"latencyMs": ',
    '"performance_summary": {',
    "&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec",
    "[07/01/2024-10:00:00] [I] ",
    "[I] === Performance summary ===\n",
    "[I] === Profile ( 1 iterations ) ===\n",
    "Engine Layer Information:\n",
    "Layer(x): a, Tactic: 0x1, b[Half(1,2)] -> c[Half(3)]\n",
    "Layers:\nName: a, LayerType: b, Inputs: [{ Name: x, Dimensions: [1], Format/Datatype: Half }], Outputs: []",
    "Bindings:\n",
    *'[]{}",:\\\n\x1e',
    "1e400",
    "-1",
    "null",
    "true",
    *mutations.TEXTS[:-1],
)
texts = st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=8)), max_size=25).map(
    lambda pieces: "".join(pieces).encode("utf-8", "surrogatepass")
)
anything = st.one_of(st.binary(max_size=300), texts)


@pytest.mark.parametrize("name", BY_NAME)
@CALMLY
@given(data=anything, thorough=st.integers(0, 9).map(lambda number: number == 0))
@example(data=b"", thorough=True)
@example(data=b"\xff\xfe", thorough=True)
@example(data=b"[]", thorough=True)
@example(data=b'{"Layers": [{}]}', thorough=True)
def test_any_bytes_at_any_door(name: str, data: bytes, thorough: bool) -> None:
    doors.through(BY_NAME[name], data, thorough)


@pytest.mark.parametrize("name", ["graph", "profile", "timing", "metadata", "log", "archive", "compressed"])
@CALMLY
@given(seed=st.integers(0, 2**32))
def test_any_damage_to_a_file_that_was_right(name: str, seed: int) -> None:
    damaged(name, Random(seed).choice(FILES_FOR[name]), seed)


@pytest.mark.parametrize("name", [door.__name__ for door in user_doors.DOORS])
@CALMLY
@given(seed=st.integers(0, 2**32))
def test_any_damage_to_what_a_user_wrote(name: str, seed: int) -> None:
    damaged(name, Random(seed).choice(_seeds()[name]), seed)


@cache
def _seeds() -> dict[str, list[bytes]]:
    by_door: dict[str, list[bytes]] = {door.__name__: [] for door in user_doors.DOORS}
    for door, data in targets.seeds(user_doors.DOORS):
        by_door[door.__name__].append(data)
    return by_door


def damaged(name: str, whole: bytes, seed: int) -> None:
    random = Random(seed)
    data = bytearray(whole)
    for _ in range(random.randint(1, 6)):
        place = random.randrange(len(data) + 1)
        length = random.choice((0, 1, 2, 50, len(data)))
        data[place : place + length] = random.choice((b"", b"\x00", b'"', b"}", random.randbytes(3), data[:40]))
    doors.through(BY_NAME[name], bytes(data), thorough=seed % 16 == 0)


def _files(ending: str) -> list[bytes]:
    return [data for case in CASES.values() for name, data in case.files.items() if name.endswith(ending)]


FILES_FOR = {
    "graph": [data for data in _files(".graph.json") if len(data) < 20_000],
    "profile": _files(".profile.json"),
    "timing": [data[:3000] for data in _files(".timing.json")],
    "metadata": _files(".metadata.json"),
    "log": _files(".log"),
    "archive": [zipped(dict(case.files)) for case in list(CASES.values())[:4]],
    "compressed": [*_files(".gz"), *_files(".zst")],
}


# ----------------------------------------------------------------------------------------------------- any structure

RECORD: dict[str, Any] = {
    "Name": "/stem/Conv + PWN(Relu)",
    "LayerType": "CaskConvolution",
    "Inputs": [{"Name": "x", "Location": "Device", "Dimensions": [8, 3, 64, 64], "Format/Datatype": "Half"}],
    "Outputs": [{"Name": "y", "Dimensions": [8, 64, 32, 32], "Format/Datatype": "Channel major FP16 format"}],
    "ParameterType": "Convolution",
    "Kernel": [7, 7],
    "PaddingMode": "kEXPLICIT_ROUND_DOWN",
    "Stride": [2, 2],
    "OutMaps": 64,
    "Groups": 1,
    "Weights": {"Type": "Half", "Count": 9408},
    "Bias": {"Type": "Half", "Count": 64},
    "Activation": "RELU",
    "TacticName": "sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize64x64x64",
    "TacticValue": "0x1234",
    "StreamId": 0,
    "Metadata": "[ONNX Layer: /stem/Conv]\x1e[ONNX Layer: /stem/Relu]",
}
OTHER_RECORDS: tuple[dict[str, Any], ...] = (
    {"Name": "r", "LayerType": "Reformat", "Inputs": [tensor("x")], "Outputs": [tensor("y")], "Origin": "REFORMAT"},
    {"Name": "n", "LayerType": "NoOp", "Inputs": [tensor("x")], "Outputs": [tensor("y")]},
    {"Name": "c", "LayerType": "Constant", "Inputs": [], "Outputs": [tensor("w")]},
    {
        "Name": "__myl_Add_myl0_1",
        "LayerType": "kgen",
        "Inputs": [tensor("x"), tensor("__mye1")],
        "Outputs": [tensor("y")],
    },
    {"Name": "m_myl0_2", "LayerType": "gemm", "Inputs": [tensor("x"), tensor("w")], "Outputs": [tensor("z")]},
    {"Name": "s [profile 1]", "LayerType": "signal", "Inputs": [], "Outputs": []},
    {
        "Name": "p",
        "LayerType": "CaskPooling",
        "ParameterType": "ConvActPool",
        "Inputs": [tensor("x", (8, 3, 64, 64))],
        "Outputs": [tensor("y")],
        "ConvolutionKernel": [3, 3],
        "ConvolutionStride": [2, 2],
        "ConvolutionOutMaps": 8,
        "PoolingWindowSize": [2, 2],
    },
)
IO_TENSOR = {
    "Name": "x",
    "IOMode": "Input",
    "DataType": "Half",
    "Dimensions": [-1, 3],
    "ProfileInfo": [{"MinShape": [1, 3], "OptShape": [4, 3], "MaxShape": [8, 3]}],
}


def use_all(records: list[Any]) -> None:
    """The records as the layers of one engine; when that fails, as engines of one layer, so as to name the culprit."""
    try:
        doors.use(EnginePlan(engine_from_documents([{"Layers": records}])))
    except Hang:
        raise
    except Exception:
        for record in records:
            try:
                doors.use(EnginePlan(engine_from_documents([{"Layers": [record]}])))
            except Exception as error:
                raise AssertionError(f"{type(error).__name__} for the layer {record!r}"[:2000]) from error
        raise


@pytest.mark.slow
def test_every_node_of_a_layer_may_be_anything() -> None:
    """Thousands of layers in one engine, in each of which one node was replaced by one strange value."""
    records = [changed for _, _, changed in mutations.every_replacement(RECORD) if isinstance(changed, dict)]
    assert len(records) > 3000
    use_all(records)


@pytest.mark.parametrize("record", OTHER_RECORDS, ids=lambda record: record["LayerType"])
def test_every_key_of_other_layers_may_be_anything(record: dict[str, Any]) -> None:
    values = (*mutations.CONTAINERS, None, True, -1, 2**63, 1e308, "", "\x1b[31m", "NoOp")
    use_all([changed for _, _, changed in mutations.every_replacement(record, values) if isinstance(changed, dict)])


@pytest.mark.slow
@pytest.mark.parametrize("value", [nan, inf, -inf, 10**30, -(10**400), "\ud800"], ids=lambda value: repr(value)[:8])
def test_values_that_only_a_program_can_give(value: Any) -> None:
    records = [changed for _, _, changed in mutations.every_replacement(RECORD, (value, [value], {"Count": value}))]
    use_all([record for record in records if isinstance(record, dict)])


def _whole_files() -> Iterator[tuple[str, str, Any]]:
    graph = {
        "Layers": [RECORD],
        "Bindings": ["x", "y"],
        "I/O Tensors": [IO_TENSOR],
        "Engine Metadata": {"TensorRT Version": "10.4"},
    }
    profile = [{"count": 10}, {"name": "a", "timeMs": 5.0, "averageMs": 0.5, "medianMs": 0.4, "percentage": 100.0}]
    timing = [{"startComputeMs": 1.0, "computeMs": 2.0, "latencyMs": 3.0}, {"computeMs": 2.0, "latencyMs": 3.0}]
    run = {
        "performance_summary": {"Throughput": 10.5, "GPU Compute Time": [1, 2, 3, 4, 5], "H2D Latency": {"min": 1}},
        "device_information": {"Selected Device": "A", "SMs": 8, "Compute Clock Rate": "1.4 GHz"},
        "inference_options": {"Duration": "3s (+ 200ms warm up)"},
        "reporting_options": {"Percentiles": "90,95,99"},
        "build_options": {"Memory Pools": "workspace: default"},
    }
    devices = [{"Name": "A", "ComputeCapability": "8.0", "TotalMemory": 40 << 30, "CLOCK_RATE": 1410000}]
    yield "graph", "graph", graph
    yield "profile", "profile", profile
    yield "profile", "iterations", {"a": [1.0, 2.0], "b": [1.0]}
    yield "profile", "pairs", [["a", 1.0], ["b", 2.0]]
    yield "timing", "timing", timing
    yield "timing", "one-column", [{"latencyMs": 1.0}, {"latencyMs": 2.0}]
    yield "metadata", "metadata", run
    yield "metadata", "devices", devices


@pytest.mark.parametrize(("door", "whole"), [pytest.param(d, w, id=i) for d, i, w in _whole_files()])
def test_every_node_of_a_file_may_be_anything(door: str, whole: Any) -> None:
    for path, value, changed in mutations.every_replacement(whole):
        if path[:2] == ("Layers", 0) and len(path) > 2:
            continue
        data = json.dumps(changed, ensure_ascii=False).encode("utf-8", "surrogatepass")
        try:
            doors.through(BY_NAME[door], data, thorough=False)
        except Exception as error:
            raise AssertionError(f"{type(error).__name__} with {value!r} at {path}"[:2000]) from error


@pytest.mark.slow
@settings(CALMLY, max_examples=30)
@given(seed=st.integers(0, 2**32))
def test_any_change_of_structure(seed: int) -> None:
    random = Random(seed)
    engine = {"Layers": [RECORD, *OTHER_RECORDS], "Bindings": ["x", "y"], "I/O Tensors": [IO_TENSOR]}
    changed = mutations.mutated(engine, random, random.randint(1, 8))
    doors.through(doors.graph, json.dumps(changed).encode(), thorough=True)


@CALMLY
@given(seed=st.integers(0, 2**32))
def test_any_record_in_the_slot_of_any_other(seed: int) -> None:
    random = Random(seed)
    whole = random.choice([whole for _, _, whole in _whole_files()])
    data = json.dumps(mutations.mutated(whole, random, random.randint(0, 3))).encode()
    doors.through(doors.slots, data)


# ----------------------------------------------------------------------------------------------------- inert outputs

NASTY = [text for text in mutations.TEXTS if len(text) < 1000 and "\ud800" not in text and "\udcff" not in text]


@pytest.fixture(scope="module")
def nasty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An engine every text of which is nasty somewhere, with a profile of its layers."""
    layers = [
        layer(
            text,
            LayerType=text,
            ParameterType=text,
            Inputs=[tensor(text, (1, 8), text)],
            Outputs=[tensor(f"{text}{i}", (1, 8), text)],
            TacticName=text,
            TacticValue=text,
            Origin=text,
            Metadata=text,
            **{text: text, f"k{i}": {text: [text]}},
        )
        for i, text in enumerate(NASTY)
    ]
    folder = tmp_path_factory.mktemp("nasty")
    path = folder / "nasty.graph.json"
    path.write_bytes(document(layers, NASTY, Synthetic="\x1b[31m"))
    rows = [{"name": text, "averageMs": 1.0, "timeMs": 1.0} for text in NASTY]
    (folder / "nasty.profile.json").write_bytes(json.dumps(rows).encode())
    facts = {
        "device_information": {"Selected Device": "\x1b[31m=1+1</title>"},
        "build_options": {"Precision": "\x9b1m"},
    }
    (folder / "nasty.profile.metadata.json").write_bytes(json.dumps(facts).encode())
    return path


def test_nasty_texts_are_inert_in_every_output(nasty_file: Path) -> None:
    doors.use(trex.load(nasty_file))


@pytest.mark.parametrize("is_terminal", [False, True])
@pytest.mark.parametrize(
    "command",
    [
        "summary PATH",
        "summary PATH --json",
        "summary PATH --group-tactics",
        "layers PATH --all-columns",
        "layers PATH --all-columns --format csv",
        "layers PATH --all-columns --format json",
        "layers PATH --all-columns --format markdown",
        "layers PATH --columns \x1b[31m",
        "layers PATH --query \x1b[31m",
        "perf PATH --explain",
        "perf PATH --json",
        "doctor PATH",
        "doctor PATH --json",
        "explain \x1b[31m\x9b",
        "explain [bold]</script>{0}%s",
        "summary \x1b[31m/absent",
    ],
)
def test_nasty_texts_are_inert_on_a_terminal(
    command: str,
    is_terminal: bool,
    nasty_file: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(console, "is_rich", lambda: is_terminal)
    code = main([word.replace("PATH", str(nasty_file)) for word in command.split(" ")])
    assert code in (0, 1, 2)
    for text in capsys.readouterr():
        doors.check_inert(doors.without_colors(text), command)
        assert is_terminal or "\x1b" not in text


def test_a_drawing_of_nasty_texts_is_one_valid_file(nasty_file: Path, tmp_path: Path) -> None:
    target = tmp_path / "nasty.svg"
    assert main(["draw", str(nasty_file), "--output", str(target)]) == 0
    doors.check_svg(target.read_text("utf-8"))


def test_a_column_is_named_by_the_file_and_still_no_formula() -> None:
    plan = EnginePlan(read_graph(document([layer(**{"=cmd|' /C calc'!A0": "-1", "\x1b[31m": "=1+1", "@x": -1})])))
    text = render_document(layers_document(plan.df, plan), "csv").decode()
    assert "'=cmd|' /C calc'!A0" in text
    assert "'=1+1" in text
    assert ",-1" in text, "a number is no formula"
    assert "\x1b" not in text


def test_cells_of_markdown_stay_in_their_columns() -> None:
    plan = EnginePlan(read_graph(document([layer("a \\| b | c", Origin="[x](javascript:1) <b> `d`\n\n# e")])))
    doors.check_markdown(render_document(layers_document(plan.df, plan), "markdown"), 1)


def test_json_holds_no_control_characters_but_says_them() -> None:
    plan = EnginePlan(read_graph(document([layer(Origin="\x9b31m \x7f \u2028 \u202e", Metadata="a+b")])))
    data = render_document(layers_document(plan.df, plan), "json")
    (row,) = doors.rows_of(data)
    assert (row["Origin"], row["Metadata"]) == ("\x9b31m \x7f \u2028 \u202e", "a+b")
    assert "\u202e" not in data.decode()


def test_numbers_beyond_every_column_are_still_written(tmp_path: Path) -> None:
    for values in ([2**64 - 1, -1], [2**64 - 1, 0.5], [2**53 + 1, 0.5], [-(2**63), None], [True, 2, "x"]):
        plan = EnginePlan(read_graph(document([layer(Kernel2=value) for value in values])))
        doors.use_frame(plan)


# ----------------------------------------------------------------------------------------------------- errors, Notes


def test_errors_and_notes_are_short_and_printable_whatever_the_names() -> None:
    with pytest.raises(TrexError) as caught:
        raise TrexError("\x1b[31m" + "m" * 10**6, "h" * 10**6, "where\x07", "e" * 10**6)
    doors.check_error(caught.value)
    long = "\x1b[31m" + "n" * 100_000
    plan = EnginePlan(
        read_graph(document([layer(long, Inputs=[tensor(long, (1, -1), long)])], [long])),
        read_profile(json.dumps([{"name": long, "averageMs": "x" * 10**5}]).encode()),
    )
    doors.check_notes(plan.notes)
    with pytest.raises(TrexError) as caught:
        plan.at_shapes({"y" * 10**5: (1, 2)})
    doors.check_error(caught.value)


def test_a_profile_of_hostile_names_is_refused_politely() -> None:
    plan = load_simulated("resnet18-int8")
    rows = [{"name": "\x1b[31m" + "x" * 10_000 + str(i), "averageMs": 1.0} for i in range(100)]
    with pytest.raises(TrexError) as caught:
        EnginePlan(plan.engine, read_profile(json.dumps(rows).encode()))
    doors.check_error(caught.value)


@pytest.mark.parametrize(
    "records", [[{1: 2}], [{"Name": b"x"}], [{"a": object()}], [{"a": {1, 2}}], [{"a": 10**30}], [5]]
)
def test_records_that_are_no_json_are_refused(records: list[Any]) -> None:
    with pytest.raises(TrexError):
        trex.EnginePlan(records)


def test_records_made_in_python_are_copied() -> None:
    records = [layer("a", Kernel=(3, 3), Groups=np.int64(2))]
    plan = trex.EnginePlan(records)
    records[0]["Name"] = "b"
    assert (
        plan.working_layers[0].name,
        plan.working_layers[0].raw["Kernel"],
        plan.working_layers[0].raw["Groups"],
    ) == ("a", [3, 3], 2)


# ----------------------------------------------------------------------------------------------------- found by fuzzing


@pytest.mark.parametrize("written", [True, 5, "x", {"MinShape": [1]}, [None], [{"MinShape": "1x2"}]])
def test_profile_shapes_that_are_no_list(written: Any) -> None:
    io_tensors = [{**IO_TENSOR, "ProfileInfo": written}]
    engine = read_graph(document([layer()], **{"I/O Tensors": io_tensors}))
    assert [binding.name for binding in engine.bindings] == ["x"]


def test_a_list_in_the_place_of_a_row_of_a_trace() -> None:
    with pytest.raises(TrexError):
        read_timing(b'[{"count": 400}, [{"name": "/nms", "timeMs": [null]}]]')
    times = read_timing(b'[{"latencyMs": 1}, ["latencyMs"], {"latencyMs": 2}]')
    assert list(times.latency_ms) == [1.0, 2.0]


def test_a_row_with_another_key_is_no_value_of_the_only_column() -> None:
    times = read_timing(b'[{"latencyMs": 1}, {"computeMs": 2}]')
    assert times.latency_ms[0] == 1.0
    assert np.isnan(times.latency_ms[1])
    assert np.isnan(times.columns["computeMs"][0])


def test_control_characters_in_types_and_tactics() -> None:
    plan = EnginePlan(read_graph(document([layer(LayerType="\x1b[31m", ParameterType="a\x00b", TacticName="t\x1e")])))
    (found,) = plan.working_layers
    assert (found.type, found.subtype, found.tactic) == ("a\\x00b", "\\x1b[31m", "t+")
    assert found.raw["LayerType"] == "\x1b[31m"


def test_half_surrogates_in_files_become_replacement_characters() -> None:
    plan = EnginePlan(read_graph(b'{"Layers": [{"Name": "a\\ud800", "LayerType": "\\udfff", "Inputs": []}]}'))
    assert plan.working_layers[0].name == "a\ufffd"
    doors.use(plan)


def test_an_engine_of_nothing_but_hostile_profile_names() -> None:
    rows = [{"name": text, "averageMs": 1.0} for text in NASTY]
    doors.use(EnginePlan(engine_from_names(read_profile(json.dumps(rows).encode()))))
