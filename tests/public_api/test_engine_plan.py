"""The classic EnginePlan: signature, attributes and what it prints; and load, load_all, load_example."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from zipfile import ZipFile

import pandas as pd
import pytest

import trex
from tests.raw_records import chain, codes, convolution, graph_file, layer, times, written
from tests.store.small_engines import write_engine
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.jupyter.show import table_html
from trex.views.chart import Subject
from trex.views.pointwise_table import pointwise_table


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    run = {
        "performance_summary": {"Throughput": 500.0, "Latency": [1.9, 2.1, 2.0, 2.0, 2.1]},
        "device_information": {"Selected Device": "NVIDIA A30"},
    }
    build = {"model_options": {"Format": "ONNX"}, "build_options": {"Precision": "FP32+FP16"}}
    return {
        "graph": graph_file(tmp_path, [convolution("c", "x", "t"), layer("p", inputs=["t"], outputs=["y"])]),
        "profile": written(tmp_path / "m.profile.json", times(("c", 1.5), ("p", 0.5))),
        "run": written(tmp_path / "m.profile.metadata.json", run),
        "build": written(tmp_path / "m.build.metadata.json", build),
    }


def test_the_constructor_is_the_classic_one() -> None:
    classic = ["graph_file", "profiling_file", "profiling_metadata_file", "build_metadata_file", "name", "profile_id"]
    signature = inspect.signature(trex.EnginePlan)
    assert list(signature.parameters)[:6] == classic
    assert all(parameter.default is None for parameter in list(signature.parameters.values())[1:])


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("run-failed", "times in doubt"),
        ("truncated", "layers missing"),
        ("shares-contradict", "layer times in doubt"),
    ],
)
def test_a_table_and_charts_of_doubted_times_say_so(files: dict[str, Path], code: str, words: str) -> None:
    plan = trex.EnginePlan(files["graph"], files["profile"])
    assert not plan.df.attrs and Subject.of_plan(plan).titled("a") == "a"
    plan.notes = (*plan.notes, Note(code, "wrong", severity="problem"))
    frame = plan.new_frame()
    assert code in frame.attrs["statement"] and "<p>" in table_html(frame[frame["latency.avg_time"] > 1.0])
    for subject in (Subject.of_plan(plan), Subject(frame)):
        assert subject.titled("a") == f"a · {words}"
    plan.df = frame
    assert pointwise_table(plan).attrs["statement"] == frame.attrs["statement"]


@pytest.mark.parametrize("as_path", [str, Path])
def test_classic_attributes(files: dict[str, Path], as_path: type) -> None:
    graph, profile, run, build = (as_path(path) for path in files.values())
    plan = trex.EnginePlan(graph, profile, run, build, "mine")
    assert plan.name == "mine"
    assert plan.bindings == ["x", "y"]
    assert [item.name for item in plan.layers] == [item.name for item in plan.all_layers] == ["c", "p"]
    assert all(type(item) is trex.Layer for item in plan.layers)
    assert plan.constants == []
    assert plan.total_act_size == 3 * 256
    assert plan.total_weights_size == 1152
    assert plan.total_runtime == 2.0
    assert plan.device_properties == {"Selected Device": "NVIDIA A30"}
    assert plan.performance_summary["Throughput"] == 500.0
    assert plan.builder_cfg == {"Format": "ONNX", "Precision": "FP32+FP16"}
    assert isinstance(plan.df, pd.DataFrame)
    assert list(plan.get_layers_by_type("Convolution")["Name"]) == ["c"]
    inputs, outputs = plan.get_bindings()
    assert ([t.name for t in inputs], [t.name for t in outputs]) == (["x"], ["y"])
    found = plan.find("p")
    assert found is not None and found.raw_dict["Name"] == "p"


def test_attributes_that_notebooks_reach_for(files: dict[str, Path]) -> None:
    plan = trex.EnginePlan(files["graph"], files["profile"])
    assert plan._df is plan.df
    plan._df = plan._df.assign(extra=1)
    assert "extra" in plan.df
    assert [record["name"] for record in plan._raw_perf or []] == ["c", "p"]
    assert trex.EnginePlan(files["graph"])._raw_perf is None


def test_layers_and_tensors_of_a_plan_have_all_classic_attributes(files: dict[str, Path]) -> None:
    plan = trex.EnginePlan(files["graph"])
    classic = trex.Layer(plan.layers[0].raw_dict)
    for name in vars(classic):
        if name not in ("fact", "inputs", "outputs"):
            assert getattr(plan.layers[0], name) == getattr(classic, name), name
    assert plan.layers[0].tooltip() == classic.tooltip()
    ((tensor,), _) = plan.get_bindings()
    activation = classic.inputs[0]
    assert (tensor.name, list(tensor.shape or ()), tensor.size_bytes) == ("x", activation.shape, activation.size_bytes)
    assert tensor.tooltip() == activation.tooltip()


def test_the_layer_in_which_a_file_was_cut_off_has_unknown_sizes(files: dict[str, Path], tmp_path: Path) -> None:
    whole = files["graph"].read_bytes()
    cut = tmp_path / "cut.graph.json"
    cut.write_bytes(whole[: whole.rindex(b'"Outputs"')])
    plan = trex.EnginePlan(cut)
    assert "truncated" in {note.code for note in plan.notes}
    assert list(plan.df["Name"]) == ["c", "p"]
    assert plan.df["total_io_size_bytes"].isna().tolist() == [False, True]
    assert plan.unknown_sizes["activations"] >= 1


def test_only_the_files_given_are_read(files: dict[str, Path]) -> None:
    plan = trex.EnginePlan(files["graph"])
    assert not plan.is_profiled
    assert plan.device_properties == plan.performance_summary == plan.builder_cfg == {}
    assert plan.df["latency.avg_time"].isna().all()


def test_a_list_of_raw_layers(files: dict[str, Path]) -> None:
    plan = trex.EnginePlan(chain("a", "b"))
    assert [item.name for item in plan.layers] == ["a", "b"]
    assert plan.name == ""


def test_a_file_that_is_not_there_is_named(files: dict[str, Path], tmp_path: Path) -> None:
    nothing = tmp_path / "no.json"
    with pytest.raises(TrexError, match=r"no\.json"):
        trex.EnginePlan(files["graph"], profiling_file=nothing)
    with pytest.raises(TrexError, match=r"no\.graph\.json"):
        trex.EnginePlan(tmp_path / "no.graph.json")


def test_a_metadata_file_that_is_not_there_is_a_note(files: dict[str, Path], tmp_path: Path) -> None:
    nothing, other = tmp_path / "m.metadata.json", tmp_path / "n.metadata.json"
    plan = trex.EnginePlan(files["graph"], files["profile"], nothing, other)
    notes = [note for note in plan.notes if note.code == "no-metadata-file"]
    assert [note.where for note in notes] == [str(nothing), str(other)]
    assert "m.profile.metadata.json" in notes[0].hint
    assert plan.builder_cfg == plan.performance_summary == {}
    assert not [note for note in trex.EnginePlan(*files.values()).notes if note.code == "no-metadata-file"]


def test_the_constructor_names_the_file_and_load_the_stem(files: dict[str, Path]) -> None:
    assert trex.EnginePlan(files["graph"]).name == files["graph"].name == "m.graph.json"
    assert trex.EnginePlan(files["graph"], name="mine").name == "mine"
    assert trex.load(files["graph"]).name == "m"


def test_profile_id(tmp_path: Path) -> None:
    layers = [
        layer(f"a{mark}", "CaskConvolution", [f"x{mark}"], [f"y{mark}"], ParameterType="Convolution")
        for mark in ("", " [profile 10]")
    ]
    path = graph_file(tmp_path, layers, ("x", "y", "x [profile 10]", "y [profile 10]"))
    assert trex.EnginePlan(path, profile_id=10).all_layers[0].index == 1
    assert trex.load(path, profile_id=10).all_layers[0].index == 1
    with pytest.raises(TrexError, match="no optimization profile 1"):
        trex.EnginePlan(path, profile_id=1)


DUMP = (
    "Layers:\n"
    "Name: a, LayerType: kgen, Inputs: [ { Name: x, Dimensions: [1,8], Format/Datatype: Half }], "
    "Outputs: [ { Name: y, Dimensions: [1,8], Format/Datatype: Half }], TacticName: k, StreamId: 0, Metadata: \n"
    "\nBindings:\nx\ny\n"
)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"Layers": chain("a"), "Bindings": ["x", "y"]}),
        json.dumps(chain("a")),
        DUMP,
        "[01/02/2030-03:04:05] [I] Layer Information:\n" + DUMP,
    ],
    ids=["JSON", "list", "inspector's text", "log"],
)
def test_from_string(text: str) -> None:
    plan = trex.EnginePlan.from_string(text)
    assert type(plan) is trex.EnginePlan
    assert [item.name for item in plan.layers] == ["a"]
    assert plan.bindings == ["x", "y"]


@pytest.mark.parametrize("text", ["", "no engine at all", "[]", "{}", "\x00\x01", "\ud800"])
def test_from_string_says_what_is_wrong(text: str) -> None:
    with pytest.raises(TrexError):
        trex.EnginePlan.from_string(text)


def test_the_summary_is_printed(files: dict[str, Path], capsys: pytest.CaptureFixture) -> None:
    trex.EnginePlan(files["graph"], files["profile"], files["run"], files["build"]).summary()
    printed = capsys.readouterr().out
    for word in ("NVIDIA A30", "x 1x8x4x4 FP16", "500.0 queries/s", "768 "):
        assert word in printed


def test_loading_is_silent(files: dict[str, Path], capsys: pytest.CaptureFixture, recwarn) -> None:
    trex.load(files["graph"]).df  # noqa: B018
    trex.EnginePlan(files["graph"]).df  # noqa: B018
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""
    assert not recwarn.list


def test_load_finds_the_siblings(files: dict[str, Path]) -> None:
    for path in files.values():
        plan = trex.load(path)
        assert plan.total_runtime == 2.0
        assert plan.builder_cfg["Precision"] == "FP32+FP16"
        assert plan.performance_summary["Throughput"] == 500.0
    assert trex.load(files["graph"], name="other").name == "other"


def test_load_all(files: dict[str, Path], tmp_path: Path) -> None:
    graph_file(tmp_path, chain("z"), name="another")
    assert [plan.name for plan in trex.load_all(tmp_path)] == ["another", "m"]
    assert all(type(plan) is trex.EnginePlan for plan in trex.load_all(tmp_path))


def test_load_example() -> None:
    plan = trex.load_example("transformer-fp16")
    assert plan.is_synthetic
    assert plan.total_runtime > 0
    with pytest.raises(TrexError, match="transformer-fp16"):
        trex.load_example("nothing")


def test_another_engines_profile_is_refused(files: dict[str, Path], tmp_path: Path) -> None:
    foreign = written(tmp_path / "foreign.json", times(("p1", 1.0), ("q1", 2.0)))
    with pytest.raises(TrexError, match="another engine"):
        trex.EnginePlan(files["graph"], foreign)


def test_columns_that_old_notebooks_use(files: dict[str, Path]) -> None:
    frame = trex.EnginePlan(files["graph"], files["profile"]).df
    classic = {
        "Name", "type", "subtype", "precision", "output_precision", "tactic", "Inputs", "Outputs", "latency.time",
        "latency.avg_time", "latency.median_time", "latency.pct_time", "total_io_size_bytes", "weights_size",
        "total_footprint_bytes", "Kernel", "Groups",
    }  # fmt: skip
    assert classic <= set(frame.columns)


def test_notes_tell_what_was_repaired(files: dict[str, Path], tmp_path: Path) -> None:
    torn = written(tmp_path / "torn.graph.json", files["graph"].read_bytes()[:-40])
    assert "truncated" in codes(trex.EnginePlan(torn))


def test_files_named_one_by_one_have_the_failures_of_their_run(tmp_path: Path) -> None:
    write_engine(tmp_path / "run")
    (tmp_path / "run/.trex.run").mkdir()
    (tmp_path / "run/.trex.run/swap.json").write_text("{}")
    engine = {"name": "net.engine", "stages": [{"name": "build", "exit_code": 1}]}
    (tmp_path / "run/manifest.json").write_text(json.dumps({"schema": "trex.manifest/1", "engines": [engine]}))
    with ZipFile(tmp_path / "run.zip", "w") as archive:
        for file in (tmp_path / "run").rglob("*.json"):
            archive.write(file, file.relative_to(tmp_path))
    for folder in (f"{tmp_path}/run", f"{tmp_path}/run.zip!run"):
        notes = trex.EnginePlan(f"{folder}/net.engine.graph.json", f"{folder}/net.engine.profile.json").notes
        assert {note.code for note in notes if note.severity == "problem"} == {"unfinished-run", "run-failed"}
