"""EnginePlan: one profile's layers, their times, and totals that never pass the unknown for nothing."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path

import pytest

import trex
from tests.raw_records import chain, codes, convolution, layer, plan_of, tensor, times
from tests.simulated_engine import write_built_on_cpu
from tests.simulated_examples import SIMULATED
from trex.core.engine import Engine
from trex.core.errors import TrexError
from trex.core.metadata import Metadata
from trex.core.note import Note
from trex.core.provenance import Provenance
from trex.core.timings import LayerTime, LayerTimes
from trex.examples import folder
from trex.ingest.differing_facts import OTHER_FACT
from trex.ingest.graph_json import engine_from_documents
from trex.plan.engine_plan import EnginePlan
from trex.views.redaction import redacted


def plan(*records: dict, bindings=("x", "y"), **facts) -> EnginePlan:
    return EnginePlan(engine_from_documents([{"Layers": list(records), "Bindings": list(bindings)}]), **facts)


def profile(*rows: tuple[str, float | None]) -> LayerTimes:
    records = [LayerTime(name, 0, ms and ms * 10, ms, ms, None) for name, ms in rows]
    return LayerTimes(tuple(records), 10)


def fact(code: str) -> Note:
    return Note(code, "a fact")


def marked(number: int, dims: int = 8) -> list[dict]:
    """A convolution and a view of it in one optimization profile."""
    mark = f" [profile {number}]" if number else ""
    x, s, y = (tensor(f"{name}{mark}", [dims, 8]) for name in ("x", "s", "y"))
    return [
        layer(f"conv{mark}", "CaskConvolution", [x], [s], ParameterType="Convolution"),
        layer(f"view{mark}", "NoOp", [s], [tensor(f"v{mark}", [dims, 8])]),
        layer(f"last{mark}", "CaskConvolution", [tensor(f"v{mark}", [dims, 8])], [y], ParameterType="Convolution"),
    ]


def test_rows_are_the_layers_that_work() -> None:
    records = [
        layer("constant", "Constant", outputs=["w"]),
        layer("a", inputs=["x", "w"], outputs=["t"]),
        layer("view", "NoOp", ["t"], ["u"]),
        layer("sync", "signal"),
        layer("shape", "shape_call"),
        layer("b", inputs=["u"], outputs=["y"]),
    ]
    result = plan(*records)
    assert [item.name for item in result.working_layers] == ["a", "b"] == list(result.df["Name"])
    assert [item.name for item in result.engine.layers] == [record["Name"] for record in records]
    assert [item.name for item in result.engine.constants] == ["constant"]
    assert len(result.times) == len(result.working_layers)
    assert [item.index for item in result.working_layers] == [1, 5]


def test_anything_that_took_time_is_a_row() -> None:
    records = [
        layer("constant", "Constant", outputs=["w"]),
        layer("view", "NoOp", ["x"], ["u"]),
        layer("sync", "signal"),
        layer("b", inputs=["u", "w"], outputs=["y"]),
    ]
    rows = profile(("constant", 0.5), ("view", 0.25), ("sync", 0.0), ("b", 1.0))
    result = plan(*records, layer_times=rows)
    assert list(result.df["Name"]) == ["constant", "view", "b"]
    assert result.total_runtime == 1.75
    assert result.df["latency.avg_time"].sum() == 1.75


def test_the_first_profile_is_shown_and_noted() -> None:
    result = plan(*marked(0), *marked(3), *marked(12))
    assert [item.name for item in result.engine.layers] == ["conv", "view", "last"]
    (note,) = [note for note in result.notes if note.code == "several-profiles"]
    assert "3 optimization profiles" in note.message
    assert "profile_id=12" in note.hint
    assert len(result.whole_engine.layers) == 9


@pytest.mark.parametrize("number", [0, 3, 12])
def test_a_profile_is_chosen_by_its_number(number: int) -> None:
    result = plan(*marked(0), *marked(3), *marked(12), profile_id=number)
    assert {item.profile for item in result.engine.layers} == {number}
    assert "several-profiles" not in codes(result)
    assert result.engine.profiles == (number,)


@pytest.mark.parametrize("number", [1, -1, 99])
def test_a_profile_that_is_not_there_is_refused(number: int) -> None:
    with pytest.raises(TrexError, match=f"no optimization profile {number}") as caught:
        plan(*marked(0), *marked(3), profile_id=number)
    assert "0, 3" in caught.value.hint


def test_engines_whose_profiles_do_not_begin_at_zero() -> None:
    assert [item.profile for item in plan(*marked(2), *marked(5)).engine.layers] == [2, 2, 2]


def test_bindings_are_as_the_chosen_profile_sees_them() -> None:
    """Profiles may fix different dimensions: profile 0 a batch of 8, profile 1 one of 32."""
    records = [*marked(0, 8), *marked(1, 32)]
    names = ("x", "y", "x [profile 1]", "y [profile 1]")
    shapes = {}
    for number in (0, 1):
        inputs, outputs = plan(*records, bindings=names, profile_id=number).binding_tensors()
        shapes[number] = [tensor.shape for tensor in (*inputs, *outputs)]
    assert shapes == {0: [(8, 8), (8, 8)], 1: [(32, 8), (32, 8)]}


def test_totals_are_of_one_profile() -> None:
    weights = {"Type": "Half", "Count": 100}
    records = [
        convolution(f"c{mark}", f"x{mark}", f"y{mark}", Weights=weights)
        for mark in ("", *(f" [profile {n}]" for n in range(1, 12)))
    ]
    for number in (None, 0, 7, 11):
        result = plan(*records, profile_id=number)
        assert result.total_weights_size == 200
        assert result.total_act_size == 512


def test_times_of_one_profile_only() -> None:
    rows = profile(("conv", 1.0), ("last", 2.0), ("conv [profile 3]", 10.0), ("last [profile 3]", 20.0))
    records = [*marked(0), *marked(3)]
    assert plan(*records, layer_times=rows, profile_id=0).total_runtime == 3.0
    assert plan(*records, layer_times=rows, profile_id=3).total_runtime == 30.0


def test_unnumbered_times_are_those_of_the_profile_that_the_run_used() -> None:
    rows = profile(("conv", 1.0), ("last", 2.0))
    facts = {"layer_times": rows, "metadata": Metadata(inference_options={"Optimization Profile Index": "3"})}
    records = [*marked(0), *marked(3)]
    shown, other = plan(*records, **facts), plan(*records, profile_id=0, **facts)
    assert (shown.engine.layers[0].profile, shown.total_runtime) == (3, 3.0)
    assert other.layer_times is None and "times-of-another-profile" in codes(other)
    numbered = profile(("conv [profile 3]", 1.0), ("last [profile 3]", 2.0))
    assert plan(*records, profile_id=3, **{**facts, "layer_times": numbered}).total_runtime == 3.0
    first = {**facts, "metadata": Metadata(inference_options={"Optimization Profile Index": "0"})}
    mixed = plan(*records, profile_id=3, **{**first, "layer_times": numbered})
    assert [note.severity for note in mixed.notes if note.code == "times-of-two-runs"] == ["problem"]


def test_a_layer_profile_tells_which_profile_the_run_used() -> None:
    numbered = {"layer_times": profile(("conv [profile 3]", 1.0), ("last [profile 3]", 2.0))}
    shown = plan(*marked(0), *marked(3), **numbered)
    assert (shown.engine.layers[0].profile, shown.total_runtime) == (3, 3.0)
    other = plan(*marked(0), *marked(3), profile_id=0, **numbered)
    assert other.layer_times is None and "times-of-another-profile" in codes(other)


@pytest.mark.parametrize("first", ["conv [profile 1]", "conv"])
def test_names_of_myelin_tell_the_profile_of_a_run(first: str) -> None:
    """Myelin's names have no suffix, and trtexec may export the others without."""
    names = "__myl_Add_myl{0}_0", "__myl_Mul_myl{0}_1", "__myl_Sub_myl{0}_2"
    records = [
        layer(name)
        for suffix, region in (("", 6), (" [profile 1]", 13))
        for name in (f"conv{suffix}", *(name.format(region) for name in names))
    ]
    rows = profile((first, 1.0), *((name.format(13), 2.0) for name in names))
    shown = plan(*records, layer_times=rows)
    assert (shown.engine.layers[0].profile, shown.total_runtime) == (1, 7.0)


def test_a_run_of_a_profile_without_layers_is_noted() -> None:
    rows = profile(("conv", 1.0), ("last", 2.0))
    facts = {"layer_times": rows, "metadata": Metadata(inference_options={"Optimization Profile Index": "7"})}
    for result in (plan(*marked(0), **facts), plan(*marked(0), *marked(3), **facts)):
        assert "profile-without-layers" in codes(result) and result.total_runtime == 3.0


def test_repeated_names_count_within_their_profile() -> None:
    records = [record for number in (0, 1) for record in [*marked(number), *marked(number)]]
    rows = LayerTimes(tuple(LayerTime("conv", n, ms * 10, ms, ms, None) for n, ms in enumerate((1.0, 2.0))), 10)
    result = plan(*records, layer_times=rows, profile_id=1)
    assert [time.average_ms for time in result.times if time] == [1.0, 2.0]


def test_the_sum_of_times_leaves_out_what_is_not_known() -> None:
    records = chain("a", "b", "c")
    assert math.isnan(plan(*records).total_runtime)
    assert plan(*records, layer_times=profile(("a", 1.0), ("b", None), ("c", 3.0))).total_runtime == 4.0
    assert math.isnan(plan(*records, layer_times=profile(("a", None), ("b", None), ("c", None))).total_runtime)
    assert plan(*records, layer_times=profile(("a", 0.0), ("b", 0.0), ("c", 0.0))).total_runtime == 0.0


def test_shares_sum_to_the_whole() -> None:
    for rows in (profile(("a", 1.0), ("b", 3.0)), profile(("b", 3.0), ("a", 1.0))):
        assert plan(*chain("a", "b"), layer_times=rows).df["latency.pct_time"].tolist() == [25.0, 75.0]


def test_an_engine_without_layers_is_a_plan_of_unknowns() -> None:
    result = EnginePlan(Engine((), source="m.log"), name="m")
    assert result.working_layers == result.engine.layers == result.times == ()
    assert len(result.df) == 0
    assert "Name" in result.df
    for total in (result.total_runtime, result.total_act_size, result.total_weights_size):
        assert math.isnan(total)
    assert result.binding_tensors() == ([], [])
    assert len(result.get_layers_by_type("Convolution")) == 0


def test_unknown_sizes_are_counted() -> None:
    dynamic = tensor("t", [-1, 8])
    result = plan(layer("a", "Myelin", ["x"], [dynamic]), layer("b", inputs=[dynamic], outputs=["y"]))
    assert result.unknown_sizes == {"activations": 1, "weights": 1}
    assert result.total_act_size == 512
    assert math.isnan(result.total_weights_size)
    assert result.df["weights_size"].isna().tolist() == [True, False]


def test_the_frame_is_the_users() -> None:
    result = plan(*chain("a", "b"), layer_times=profile(("a", 1.0), ("b", 3.0)))
    result.df["latency.avg_time"] = 0
    result.df.pop("tactic")
    assert "tactic" not in result.df
    assert "tactic" in result.new_frame()
    assert result.total_runtime == 4.0
    assert result.new_frame()["latency.avg_time"].tolist() == [1.0, 3.0]


def test_notes_of_everything_come_together() -> None:
    rows = LayerTimes(profile(("a", 1.0)).records, 10, notes=(fact("of-the-profile"),))
    result = plan(
        *chain("a", "b"),
        layer_times=rows,
        metadata=Metadata(notes=(fact("of-the-run"),)),
        build_metadata=Metadata(notes=(fact("of-the-build"),)),
        notes=(fact("of-the-files"),),
    )
    expected = {"of-the-profile", "of-the-run", "of-the-build", "of-the-files", "layers-not-profiled"}
    assert codes(result) == expected


def test_device_comes_from_the_run_or_else_from_the_build() -> None:
    run, build = Metadata(device={"Selected Device": "run"}), Metadata(device={"Selected Device": "build"})
    assert plan(*chain("a"), metadata=run, build_metadata=build).device_properties == run.device
    assert plan(*chain("a"), build_metadata=build).device_properties == build.device
    assert plan(*chain("a")).device_properties == {}


def test_the_builders_configuration() -> None:
    build = Metadata(model_options={"Format": "ONNX"}, build_options={"Precision": "FP32"})
    assert plan(*chain("a"), build_metadata=build).builder_cfg == {"Format": "ONNX", "Precision": "FP32"}


@pytest.mark.parametrize("argument", ["metadata", "build_metadata"])
def test_synthetic_data_says_so(argument: str) -> None:
    assert plan(*chain("a"), **{argument: Metadata(synthetic=True)}).is_synthetic
    assert not plan(*chain("a")).is_synthetic
    assert EnginePlan(engine_from_documents([{"Layers": chain("a"), "Synthetic": "made"}])).is_synthetic


def test_a_folded_layers_record_is_a_copy(tmp_path: Path) -> None:
    records = [
        layer("a", inputs=["x"], outputs=["t"]),
        layer("v", "NoOp", ["t"], ["u"]),
        layer("b", inputs=["u"], outputs=["y"]),
    ]
    result = plan_of(tmp_path, records, profile=times(("a", 1.0), ("b", 2.0)))
    assert result.working_layers[1].raw["Inputs"][0]["Name"] == "t"
    (original,) = result.engine.by_name["b"]
    assert original.raw["Inputs"][0]["Name"] == "u"
    assert [item.inputs[0].name for item in result.engine.layers] == ["x", "t", "u"]


def test_what_it_is_called() -> None:
    assert plan(*chain("a"), name="mine").name == "mine"
    assert "mine" in repr(plan(*chain("a"), name="mine"))
    assert isinstance(plan(*chain("a")), EnginePlan) and issubclass(trex.EnginePlan, EnginePlan)


@pytest.mark.parametrize("kept", ["timing.json", "profile.json"])
@pytest.mark.parametrize("example", [SIMULATED / "resnet18-int8", folder("resnet18-int8")])
def test_a_file_of_predicted_times_says_so_alone(example: Path, kept: str, tmp_path: Path) -> None:
    for file in example.glob(f"*.{kept}"):
        shutil.copy(file, tmp_path)
    alone = trex.load(tmp_path)
    assert alone.provenance is trex.load(example).provenance and alone.provenance.has_predicted_times
    assert alone.statement and redacted(alone).provenance is alone.provenance


def test_an_engine_built_on_a_cpu_may_be_measured_later(tmp_path: Path) -> None:
    """The files of its times say whether they are predicted, and the graph where there are none."""
    write_built_on_cpu(tmp_path)
    files = {part: tmp_path / f"small.engine.{part}.json" for part in ("profile", "timing", "profile.metadata")}
    assert trex.load(tmp_path).provenance is Provenance.BUILT_ON_CPU
    records, rows, run = (json.loads(file.read_bytes()) for file in files.values())
    files["profile"].write_text(json.dumps([{k: v for k, v in row.items() if k != "built_on_cpu"} for row in records]))
    mixed = trex.load(tmp_path)
    assert mixed.provenance is Provenance.BUILT_ON_CPU
    assert [note.severity for note in mixed.notes if note.code == OTHER_FACT] == ["problem"]
    files["timing"].write_text(json.dumps([{k: v for k, v in row.items() if k != "built_on_cpu"} for row in rows]))
    files["profile.metadata"].write_text(json.dumps({k: v for k, v in run.items() if k != "built_on_cpu"}))
    measured = trex.load(tmp_path)
    assert measured.provenance is Provenance.MEASURED and measured.statement == "" and measured.is_for_rtx
    assert not [note for note in measured.notes if note.code == OTHER_FACT]
    assert redacted(measured).provenance is Provenance.MEASURED
    for file in files.values():
        file.unlink()
    assert trex.load(tmp_path).provenance is Provenance.BUILT_ON_CPU
