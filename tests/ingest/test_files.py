"""files: kinds of files by content, and files of one engine by name."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from zipfile import ZipFile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trex.core.errors import TrexError
from trex.ingest import files as files_module
from trex.ingest.confinement import confined
from trex.ingest.files import EngineFiles, Kind, find_engines, no_layers, recognize, stem_of

LAYER = {"Name": "conv", "LayerType": "CaskConvolution", "Inputs": [], "Outputs": [], "TacticName": ""}
GRAPH = json.dumps({"Layers": [LAYER], "Bindings": ["x"]}).encode()
PROFILE = b'[\n  { "count" : 1 }\n, { "name" : "conv", "timeMs" : 1, "averageMs" : 1, "percentage" : 100 }\n]\n'
TIMING = b'[\n  { "startEnqMs" : 1, "endEnqMs" : 2, "computeMs" : 1, "latencyMs" : 1 }\n]\n'
RUN = b'{"performance_summary": {"Throughput": 1}, "inference_options": {}, "device_information": {}}'
BUILD = b'{"model_options": {"Format": "ONNX"}, "build_options": {}, "device_information": {}}'
DEVICE = b'[{"Name": "A100", "ComputeCapability": [8, 0], "TotalMemory": 84929216512}]'
SAMPLES = b'{"conv": [0.1, 0.2], "relu": [0.3, 0.4]}'
BUILD_LOG = b"&&&& RUNNING TensorRT.trtexec [TensorRT v8401] # trtexec --onnx=m.onnx --saveEngine=m.engine\n"
RUN_LOG = b"&&&& RUNNING TensorRT.trtexec [TensorRT v8401] # trtexec --loadEngine=m.engine\n"
PLAN = b"ftrt" + bytes(20) + bytes([8, 6, 1, 6]) + bytes(100)
ONNX = b"\x08\x08\x12\x07pytorch\x1a\x052.1.0:\x05"
INSPECTOR = (
    b"Layers:\nName: conv, LayerType: gemm, Inputs: [ { Name: x, Dimensions: [1] }], Outputs: []\n\nBindings:\nx\n"
)

FULL = {
    "m.onnx.engine.graph.json": GRAPH,
    "m.onnx.engine.profile.json": PROFILE,
    "m.onnx.engine.timing.json": TIMING,
    "m.onnx.engine.profile.metadata.json": RUN,
    "m.onnx.engine.build.metadata.json": BUILD,
    "m.onnx.engine.metadata.json": DEVICE,
    "m.onnx.engine.build.log": BUILD_LOG,
    "m.onnx.engine.profile.log": RUN_LOG,
    "m.onnx.engine": PLAN,
    "m.onnx": ONNX,
}


def folder(path: Path, files: dict[str, bytes]) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (path / name).write_bytes(data)
    return path


def slots(files: EngineFiles) -> dict[str, str]:
    """The taken slots, by file name."""
    paths = {slot: getattr(files, slot) for slot in EngineFiles.__slots__ if slot not in ("name", "others", "notes")}
    return {slot: Path(path).name for slot, path in paths.items() if path}


def codes(files: EngineFiles) -> list[str]:
    return [note.code for note in files.notes]


# ---- kinds of files


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (GRAPH, Kind.GRAPH),
        (b'{"Layers": ["conv", "relu"], "Bindings": ["x"]}', Kind.GRAPH),
        (b'{"Layers": []}', Kind.GRAPH),
        (b'{"Bindings": ["x"], "Layers": ["conv"]}', Kind.GRAPH),
        (b'{"I/O Tensors": [], "ProfilingVerbosity": "DETAILED", "Layers": []}', Kind.GRAPH),
        (b'["conv", "relu"]', Kind.GRAPH),
        (json.dumps([LAYER]).encode(), Kind.GRAPH),
        (json.dumps(LAYER).encode() * 3, Kind.GRAPH),
        (json.dumps(LAYER).encode() + b",\n" + json.dumps(LAYER).encode(), Kind.GRAPH),
        (b'{"run_1_subgraph": ' + GRAPH + b"}", Kind.GRAPH),
        (GRAPH[:80], Kind.GRAPH),
        (b'{"Layers": [{"Name": "a "b" c", "LayerType": nan', Kind.GRAPH),
        (GRAPH.decode().encode("utf-16"), Kind.GRAPH),
        (GRAPH.decode().encode("utf-8-sig"), Kind.GRAPH),
        (b"[TRT] something\n" + b"\n  " + GRAPH, Kind.GRAPH),
        (PROFILE, Kind.PROFILE),
        (PROFILE.replace(b'"conv"', b'"a "b" c"').replace(b"100", b"-nan"), Kind.PROFILE),
        (PROFILE.partition(b"\n")[2], Kind.PROFILE),
        (PROFILE[:30], Kind.PROFILE),
        (b'[{"averageMs": 1, "name": "a"}]', Kind.PROFILE),
        (b'[{"name": "a", "timeMs": 1}]', Kind.PROFILE),
        (TIMING, Kind.TIMING),
        (b'[{"latencyMs": 1, "startEnqMs": 2}]', Kind.TIMING),
        (b'[{"startInMs": 1, "endInMs": 2, "inMs": 1}]', Kind.TIMING),
        (RUN, Kind.METADATA),
        (BUILD, Kind.METADATA),
        (b'{"device_information": {"SMs": "30"}}', Kind.METADATA),
        (DEVICE, Kind.DEVICE),
        (b'{"Name": "A100", "COMPUTE_CAPABILITY_MAJOR": 8}', Kind.DEVICE),
        (SAMPLES, Kind.SAMPLES),
        (BUILD_LOG, Kind.LOG),
        (b"[08/17/2022-07:50:58] [I] === Model Options ===\n", Kind.LOG),
        (b"[08/17/2022-07:50:58] [TRT] [V] Original: 20 layers\r\n", Kind.LOG),
        (b"[V] Compiler backend\n[V] Original: 1 layers\n", Kind.LOG),
        (b"[1,0]<stdout>:[08/17/2022-07:50:58] [I] Engine built\n" * 3, Kind.LOG),
        (b"2022-08-17T07:50:58Z stderr F [08/17/2022-07:50:58] [W] hot\n" * 3, Kind.LOG),
        (b"trt-1  | [V] Original: 9 layers\n" * 3, Kind.UNKNOWN),
        (b"chatter\n\x1b[32m[08/17/2022-07:50:58] [I] Engine built\x1b[0m\n", Kind.LOG),
        (INSPECTOR, Kind.INSPECTOR_TEXT),
        (b"Layers:\nconv\nrelu\n\nBindings:\nx\n", Kind.INSPECTOR_TEXT),
        (
            b"&&&& RUNNING TensorRT.trtexec [TensorRT v8201] # trtexec --help\n" + b"  --onnx=<file>  x\n" * 9,
            Kind.HELP_TEXT,
        ),
        (PLAN, Kind.ENGINE_PLAN),
        (ONNX, Kind.ONNX),
        (b"PK\x03\x04" + bytes(30), Kind.ARCHIVE),
        (b"", Kind.UNKNOWN),
        (b"# Notes\nSee [this](that).\n", Kind.UNKNOWN),
        (b'{"name": "package", "version": "1.0"}', Kind.UNKNOWN),
        (b"[1, 2, 3]", Kind.UNKNOWN),
        (b"{}", Kind.UNKNOWN),
        (b"[]", Kind.UNKNOWN),
        (bytes(range(256)), Kind.UNKNOWN),
    ],
)
def test_content_decides(data: bytes, kind: Kind) -> None:
    assert recognize(data) is kind


def test_a_name_helps_only_where_content_is_silent() -> None:
    assert recognize(b"[\n]\n", "x.timing.json") is Kind.TIMING
    assert recognize(b"[]", "x.profile.json") is Kind.PROFILE
    assert recognize(b'["tench", "goldfish"]', "labels.json") is Kind.UNKNOWN
    assert recognize(b'["tench", "goldfish"]', "layer_info.json") is Kind.GRAPH
    assert recognize(b'["Reformatting CopyNode for Input Tensor 0 to a", "a"]', "x.json") is Kind.GRAPH
    assert recognize(PROFILE, "x.graph.json") is Kind.PROFILE


def test_a_long_file_is_known_by_its_beginning() -> None:
    row = b', { "name" : "conv", "timeMs" : 1, "averageMs" : 1, "percentage" : 1 }\n'
    assert recognize(b'[\n  { "count" : 1 }\n' + row * 5000) is Kind.PROFILE
    assert recognize(b'{"Layers": [' + json.dumps(LAYER).encode() * 3000) is Kind.GRAPH


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200), st.sampled_from(["", "x.json", "graph.json"]))
def test_any_bytes_are_of_some_kind(data: bytes, name: str) -> None:
    assert isinstance(recognize(data, name), Kind)


# ---- names


@pytest.mark.parametrize(
    ("path", "stem"),
    [
        ("dir/resnet.onnx.engine.graph.json", "resnet.onnx.engine"),
        ("dir/resnet-qat.onnx.engine.profile.metadata.json", "resnet-qat.onnx.engine"),
        ("resnet.engine.graph.json.gz", "resnet.engine"),
        ("alexnet.layer_latency.json", "alexnet"),
        ("model-trained-exportLayerInfo.log", "model-trained"),
        ("dir/graph.json", "dir"),
        ("dir/layer_info.json", "dir"),
        ("graph.json", "graph.json"),
        ("dir/resnet.tea", "resnet"),
        ("dir/resnet.engine", "resnet.engine"),
    ],
)
def test_stems(path: str, stem: str) -> None:
    assert stem_of(path) == stem


# ---- one engine


def test_a_full_set_is_one_engine(tmp_path: Path) -> None:
    (engine,) = find_engines(folder(tmp_path, {**FULL, "notes.md": b"hello", "picture.svg": b"<svg/>"}))
    assert engine.name == "m.onnx.engine"
    assert slots(engine) == {
        "graph": "m.onnx.engine.graph.json",
        "profile": "m.onnx.engine.profile.json",
        "timing": "m.onnx.engine.timing.json",
        "profile_metadata": "m.onnx.engine.profile.metadata.json",
        "build_metadata": "m.onnx.engine.build.metadata.json",
        "device": "m.onnx.engine.metadata.json",
        "build_log": "m.onnx.engine.build.log",
        "profile_log": "m.onnx.engine.profile.log",
        "engine": "m.onnx.engine",
        "onnx": "m.onnx",
    }
    assert engine.notes == ()
    assert engine.others == ()


@pytest.mark.parametrize("name", [*FULL, "m.onnx.engine", "m"])
def test_any_file_or_stem_leads_to_its_siblings(tmp_path: Path, name: str) -> None:
    folder(tmp_path, {**FULL, "other.graph.json": GRAPH, "other.profile.json": PROFILE})
    (engine,) = find_engines(tmp_path / name)
    assert engine.name == "m.onnx.engine"
    assert len(engine.paths) == len(FULL)


def test_a_stem_needs_no_file_of_its_name(tmp_path: Path) -> None:
    rest = {name: data for name, data in FULL.items() if name.endswith("json")}
    folder(tmp_path, {**rest, "m2.onnx.engine.graph.json": GRAPH})
    (engine,) = find_engines(f"{tmp_path}/m.onnx.engine")
    assert len(engine.paths) == 6


@pytest.mark.parametrize(
    "names",
    [
        ("x-exportLayerInfo.json", "x-exportProfile.json", "x-exportTimes.json"),
        ("layer_info.json", "profile.json", "timing.json"),
        ("graph.json", "profile.json", "times.json"),
        ("alexnet.engine.graph.json", "alexnet.layer_latency.json", "alexnet.timing.json"),
        ("graph_resnet.json", "profile_resnet.json", "timing_resnet.json"),
        ("model-exportLayerInfo.log", "model-exportProfile.json", "model-exportTimes.json"),
        ("resnet.graph.json.gz", "resnet.profile.json.gz", "resnet.timing.json"),
    ],
)
def test_other_peoples_names_pair(tmp_path: Path, names: tuple[str, str, str]) -> None:
    contents = [
        gzip.compress(data) if name.endswith("gz") else data for name, data in zip(names, (GRAPH, PROFILE, TIMING))
    ]
    (engine,) = find_engines(folder(tmp_path / "run", dict(zip(names, contents))))
    assert slots(engine) == dict(zip(("graph", "profile", "timing"), names))
    assert engine.notes == ()
    for name in names:
        (engine,) = find_engines(tmp_path / "run" / name)
        assert len(engine.paths) == 3


def test_content_beats_the_name(tmp_path: Path) -> None:
    (engine,) = find_engines(folder(tmp_path, {"m.graph.json": PROFILE, "m.profile.json": GRAPH}))
    assert slots(engine) == {"graph": "m.profile.json", "profile": "m.graph.json"}


def test_one_graph_and_one_of_each_kind_pair_whatever_their_names(tmp_path: Path) -> None:
    (engine,) = find_engines(folder(tmp_path, {"alpha.graph.json": GRAPH, "beta.json": PROFILE, "device.json": DEVICE}))
    assert slots(engine) == {"graph": "alpha.graph.json", "profile": "beta.json", "device": "device.json"}
    assert codes(engine) == ["matched-file"]
    (tmp_path / "beta.json").write_bytes(PROFILE.replace(b"conv", b"gemm"))
    (engine,) = find_engines(tmp_path / "alpha.graph.json")
    assert slots(engine) == {"graph": "alpha.graph.json", "device": "device.json"}


@pytest.mark.parametrize("name", ["layers_of_it.json", "slow.json", "facts.json", "when.json"])
def test_any_file_of_such_a_folder_leads_to_all(tmp_path: Path, name: str) -> None:
    files = {"layers_of_it.json": GRAPH, "slow.json": PROFILE, "facts.json": RUN, "when.json": TIMING}
    (engine,) = find_engines(folder(tmp_path, files) / name)
    assert slots(engine) == {
        "graph": "layers_of_it.json",
        "profile": "slow.json",
        "profile_metadata": "facts.json",
        "timing": "when.json",
    }
    assert "matched-file" in codes(engine)


def test_a_given_graph_takes_no_profile_of_other_layers_nor_a_log(tmp_path: Path) -> None:
    other = PROFILE.replace(b"conv", b"gemm")
    files = {"one.json": GRAPH, "slow.json": other, "when.json": TIMING, "facts.log": RUN_LOG}
    (engine,) = find_engines(folder(tmp_path, files) / "one.json")
    assert slots(engine) == {"graph": "one.json", "timing": "when.json"}
    assert codes(engine) == ["matched-file", "unmatched-file"]
    (engine,) = find_engines(tmp_path / "slow.json")
    assert slots(engine) == {"profile": "slow.json"}


def test_a_given_file_is_not_guessed_to_one_of_two_graphs(tmp_path: Path) -> None:
    folder(tmp_path, {"one.json": GRAPH, "two.json": GRAPH, "slow.json": PROFILE})
    assert slots(find_engines(tmp_path / "slow.json")[0]) == {"profile": "slow.json"}
    assert slots(find_engines(tmp_path / "one.json")[0]) == {"graph": "one.json"}


@pytest.mark.parametrize(
    ("suffix", "data", "slot"),
    [
        ("log", BUILD_LOG, "build_log"),
        ("json", GRAPH, "graph"),
        ("json", PROFILE, "profile"),
        ("json", TIMING, "timing"),
    ],
)
def test_a_given_file_is_the_one_that_is_read(tmp_path: Path, suffix: str, data: bytes, slot: str) -> None:
    names = [f"net.{suffix}", f"net_engine.{suffix}", f"net-trt.{suffix}"]
    folder(tmp_path, dict.fromkeys(names, data))
    for name in names:
        (engine,) = find_engines(tmp_path / name)
        assert Path(getattr(engine, slot)).name == name


def test_samples_serve_as_profile_without_one(tmp_path: Path) -> None:
    (engine,) = find_engines(folder(tmp_path, {"a.graph.json": GRAPH, "a.latency.json": SAMPLES}))
    assert engine.profile == engine.samples == str(tmp_path / "a.latency.json")
    (engine,) = find_engines(folder(tmp_path, {"a.profile.json": PROFILE}))
    assert slots(engine)["profile"] == "a.profile.json"
    assert slots(engine)["samples"] == "a.latency.json"


def test_an_inspector_text_serves_as_graph(tmp_path: Path) -> None:
    (engine,) = find_engines(folder(tmp_path, {"a.txt": INSPECTOR, "a.profile.json": PROFILE}))
    assert slots(engine) == {"graph": "a.txt", "profile": "a.profile.json"}
    (engine,) = find_engines(folder(tmp_path, {"a.graph.json": GRAPH}))
    assert slots(engine)["graph"] == "a.graph.json"


def test_a_log_alone_is_an_engine(tmp_path: Path) -> None:
    assert slots(find_engines(folder(tmp_path / "a", {"m.log": BUILD_LOG}))[0]) == {"build_log": "m.log"}
    assert slots(find_engines(folder(tmp_path / "b", {"m.log": RUN_LOG}))[0]) == {"profile_log": "m.log"}


# ---- several engines, choices


def test_several_engines_are_all_returned(tmp_path: Path) -> None:
    contents = {"graph": GRAPH, "profile": PROFILE, "timing": TIMING}
    files = {f"{stem}.engine.{kind}.json": data for stem in ("net", "net-qat", "b") for kind, data in contents.items()}
    engines = find_engines(folder(tmp_path, files))
    assert [engine.name for engine in engines] == ["b.engine", "net-qat.engine", "net.engine"]
    for engine in engines:
        assert slots(engine) == {kind: f"{engine.name}.{kind}.json" for kind in contents}
        assert engine.notes == ()


def test_a_competing_file_is_a_note(tmp_path: Path) -> None:
    names = {"m.engine.graph.json": GRAPH, "m.engine.profile.json": PROFILE, "m-profile-export.json": PROFILE}
    (engine,) = find_engines(folder(tmp_path, names))
    assert slots(engine)["profile"] == "m.engine.profile.json"
    assert engine.others == (str(tmp_path / "m-profile-export.json"),)
    (note,) = engine.notes
    assert note.code == "several-candidates"
    assert "m-profile-export.json" in note.message


def test_a_compressed_copy_is_not_preferred(tmp_path: Path) -> None:
    (engine,) = find_engines(folder(tmp_path, {"m.graph.json": GRAPH, "m.graph.json.gz": gzip.compress(GRAPH)}))
    assert slots(engine)["graph"] == "m.graph.json"


def test_an_ambiguous_file_is_left_out_with_a_note(tmp_path: Path) -> None:
    engines = find_engines(folder(tmp_path, {"a.graph.json": GRAPH, "b.graph.json": GRAPH, "profile.json": PROFILE}))
    assert len(engines) == 2
    for engine in engines:
        assert engine.profile is None
        assert codes(engine) == ["unmatched-file"]


def test_a_device_file_serves_every_engine(tmp_path: Path) -> None:
    engines = find_engines(folder(tmp_path, {"a.graph.json": GRAPH, "b.graph.json": GRAPH, "device.json": DEVICE}))
    assert [slots(engine)["device"] for engine in engines] == ["device.json"] * 2


def test_the_longest_common_name_pairs(tmp_path: Path) -> None:
    files = {"net.graph.json": GRAPH, "net_fp16.graph.json": GRAPH, "net_fp16_run1.profile.json": PROFILE}
    plain, half = find_engines(folder(tmp_path, files))
    assert (plain.name, half.name) == ("net", "net_fp16")
    assert plain.profile is None
    assert slots(half)["profile"] == "net_fp16_run1.profile.json"
    assert codes(half) == ["matched-file"]


@pytest.mark.parametrize(
    ("name", "content", "severity"),
    [("net.timing.json", TIMING, "warning"), ("net.metadata.json", RUN, "warning"), ("net.log", RUN_LOG, "info")],
)
def test_a_similar_name_is_a_guess(tmp_path: Path, name: str, content: bytes, severity: str) -> None:
    """But not of a log, whose layers are compared."""
    (engine,) = find_engines(folder(tmp_path, {"net-int8.graph.json": GRAPH, name: content}))
    assert [(note.code, note.severity) for note in engine.notes] == [("matched-file", severity)]


def test_two_graphs_of_one_model_share_out_their_files(tmp_path: Path) -> None:
    files = {
        "m.engine.graph.json": GRAPH,
        "m.engine.profile.json": PROFILE,
        "m.plan.graph.json": GRAPH,
        "m.plan.profile.json": PROFILE,
        "m.timing.json": TIMING,
    }
    first, second = find_engines(folder(tmp_path, files))
    assert slots(first) == {"graph": "m.engine.graph.json", "profile": "m.engine.profile.json"}
    assert slots(second) == {"graph": "m.plan.graph.json", "profile": "m.plan.profile.json"}
    assert codes(first) == codes(second) == ["unmatched-file"]


# ---- matched by content


def graph_of(*names: str) -> bytes:
    return json.dumps({"Layers": [LAYER | {"Name": name} for name in names], "Bindings": ["x"]}).encode()


def profile_of(*names: str) -> bytes:
    return json.dumps([{"count": 1}, *({"name": name, "averageMs": 1} for name in names)]).encode()


TWO = {"a.graph.json": graph_of("conv", "relu"), "b.graph.json": graph_of("gemm", "softmax")}


def test_an_oddly_named_profile_goes_to_the_graph_it_times(tmp_path: Path) -> None:
    first, second = find_engines(folder(tmp_path, {**TWO, "tuesday.json": profile_of("gemm", "softmax")}))
    assert first.profile is None and first.notes == ()
    assert slots(second) == {"graph": "b.graph.json", "profile": "tuesday.json"}
    (note,) = second.notes
    assert (note.code, note.severity) == ("matched-file", "info")
    assert "tuesday.json" in note.message and "b.graph.json" in note.message
    for name in ("tuesday.json", "b.graph.json"):
        (given,) = find_engines(tmp_path / name)
        assert slots(given) == slots(second)


def test_samples_and_compressed_files_pair_by_content_too(tmp_path: Path) -> None:
    files = {"a.graph.json.gz": gzip.compress(TWO["a.graph.json"]), "b.graph.json": TWO["b.graph.json"]}
    first, second = find_engines(folder(tmp_path, {**files, "slow.json": b'{"conv": [0.1], "relu": [0.2]}'}))
    assert first.profile == str(tmp_path / "slow.json")
    assert second.profile is None


def test_all_layers_beat_most_layers(tmp_path: Path) -> None:
    files = {
        "a.graph.json": graph_of("conv", "relu"),
        "b.graph.json": graph_of("conv", "relu", "pool"),
        "x.json": profile_of("conv", "relu", "pool"),
    }
    first, second = find_engines(folder(tmp_path, files))
    assert first.profile is None
    assert slots(second)["profile"] == "x.json"


def test_a_profile_that_fits_several_graphs_is_left_out_with_a_note(tmp_path: Path) -> None:
    files = {"a.graph.json": GRAPH, "b.graph.json": GRAPH, "tuesday.json": PROFILE}
    engines = find_engines(folder(tmp_path, files))
    assert len(engines) == 2
    for engine in engines:
        (note,) = engine.notes
        assert note.code == "unmatched-file"
        assert "tuesday.json was left out: it may belong to a.graph.json or b.graph.json" in note.message
        assert "--profiling-json tuesday.json" in note.hint
    (given,) = find_engines(tmp_path / "a.graph.json")
    assert codes(given) == ["unmatched-file"]


def test_a_profile_that_fits_none_is_an_engine_of_its_own_and_says_why(tmp_path: Path) -> None:
    engines = find_engines(folder(tmp_path, {**TWO, "tuesday.json": profile_of("other")}))
    assert [slots(engine) for engine in engines[:2]] == [{"graph": "a.graph.json"}, {"graph": "b.graph.json"}]
    (note,) = engines[2].notes
    assert note.code == "unmatched-file"
    assert "its layers are not those of a.graph.json or b.graph.json" in note.message


def test_a_profile_of_other_layers_is_left_out_with_a_note(tmp_path: Path) -> None:
    (engine,) = find_engines(folder(tmp_path, {"a.graph.json": GRAPH, "tuesday.json": profile_of("other")}))
    assert slots(engine) == {"graph": "a.graph.json"}
    (note,) = engine.notes
    assert note.code == "unmatched-file"
    assert "tuesday.json was left out: its layers are not those of a.graph.json" in note.message


def test_of_two_profiles_the_one_that_fits_is_taken(tmp_path: Path) -> None:
    files = {"a.graph.json": GRAPH, "monday.json": PROFILE, "tuesday.json": profile_of("other")}
    (engine,) = find_engines(folder(tmp_path, files))
    assert slots(engine) == {"graph": "a.graph.json", "profile": "monday.json"}
    assert sorted(codes(engine)) == ["matched-file", "unmatched-file"]


def test_telemetry_of_two_gpus_is_left_out_with_notes(tmp_path: Path) -> None:
    monitor = b'{"schema": "trex.monitor/1", "gpu": {}, "samples": []}'
    files = {"m.graph.json": GRAPH, "m.gpu0.monitor.json": monitor, "m.gpu1.monitor.json": monitor}
    (engine,) = find_engines(folder(tmp_path, files))
    assert slots(engine) == {"graph": "m.graph.json"}
    assert codes(engine) == ["unmatched-file"] * 2


def test_two_profiles_of_the_same_layers_are_both_notes(tmp_path: Path) -> None:
    (engine,) = find_engines(folder(tmp_path, {"a.graph.json": GRAPH, "monday.json": PROFILE, "tuesday.json": PROFILE}))
    assert slots(engine) == {"graph": "a.graph.json"}
    assert codes(engine) == ["unmatched-file"] * 2
    assert "tuesday.json" in engine.notes[0].message


def test_a_graph_keeps_the_profile_of_its_name(tmp_path: Path) -> None:
    files = {**TWO, "a.profile.json": profile_of("conv", "relu"), "tuesday.json": profile_of("conv", "relu")}
    first, second = find_engines(folder(tmp_path, files))
    assert slots(first)["profile"] == "a.profile.json"
    assert codes(first) == ["unmatched-file"]
    assert second.notes == ()


def test_metadata_and_logs_go_to_the_engine_they_speak_of(tmp_path: Path) -> None:
    run = b'{"performance_summary": {"Throughput": 1}, "inference_options": {"Load engine": "/tmp/b.engine"}}'
    log = b"&&&& RUNNING TensorRT.trtexec [TensorRT v8401] # trtexec --onnx=m.onnx --saveEngine=out/a.plan\n"
    first, second = find_engines(folder(tmp_path, {**TWO, "facts.json": run, "monday.log": log}))
    assert slots(first) == {"graph": "a.graph.json", "build_log": "monday.log"}
    assert slots(second) == {"graph": "b.graph.json", "profile_metadata": "facts.json"}
    assert codes(first) == codes(second) == ["matched-file"]
    assert "it mentions a.plan" in first.notes[0].message


def test_an_export_says_more_than_an_engine_and_that_more_than_a_model(tmp_path: Path) -> None:
    log = b"&&&& RUNNING TensorRT.trtexec [TensorRT v8401] # trtexec --onnx=a.onnx --saveEngine=b.engine\n"
    first, second = find_engines(folder(tmp_path, {**TWO, "monday.log": log}))
    assert first.build_log is None
    assert second.build_log == str(tmp_path / "monday.log")
    log = log.replace(b"\n", b" --exportLayerInfo=x/a.graph.json\n")
    first, second = find_engines(folder(tmp_path, {"monday.log": log}))
    assert first.build_log == str(tmp_path / "monday.log")


def test_query_times_go_to_the_engine_whose_log_names_them(tmp_path: Path) -> None:
    log = b"&&&& RUNNING TensorRT.trtexec [TensorRT v8401] # trtexec --loadEngine=b.engine --exportTimes=when.json\n"
    first, second = find_engines(folder(tmp_path, {**TWO, "b.profile.log": log, "when.json": TIMING}))
    assert first.timing is None
    assert second.timing == str(tmp_path / "when.json")


@pytest.mark.parametrize(("name", "data"), [("when.json", TIMING), ("facts.json", RUN), ("made.json", BUILD)])
def test_a_file_without_evidence_is_a_note(tmp_path: Path, name: str, data: bytes) -> None:
    for engine in find_engines(folder(tmp_path, {**TWO, name: data})):
        (note,) = engine.notes
        assert note.code == "unmatched-file"
        assert name in note.message


def test_numbers_without_a_unit_are_not_used(tmp_path: Path) -> None:
    numbers = b'{"conv": 0.5, "relu": 0.25}'
    first, second = find_engines(folder(tmp_path, {**TWO, "a.latency.json": numbers, "weights.json": b'{"alpha": 1}'}))
    assert first.profile is second.profile is None
    assert recognize(numbers) is Kind.NUMBERS


def test_content_is_read_once_for_each_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []

    def read_head(path: str, size: int) -> bytes:
        reads.append(path)
        return Path(path).read_bytes()[:size]

    monkeypatch.setattr("trex.ingest.finding.candidate.read_head", read_head)
    files = {f"net{n}.graph.json": graph_of(f"layer{n}") for n in range(8)}
    files |= {f"day{n}.json": profile_of(f"layer{n}") for n in range(8)}
    engines = find_engines(folder(tmp_path, files))
    assert [Path(engine.profile or "").name for engine in engines] == [f"day{n}.json" for n in range(8)]
    assert len(reads) == len(set(reads)) == 16


def test_a_folder_of_many_engines_and_strays_has_few_notes(tmp_path: Path) -> None:
    files = {f"net{n}.graph.json": graph_of(f"layer{n}") for n in range(60)}
    files |= {f"day{n}.json": TIMING for n in range(60)}
    engines = find_engines(folder(tmp_path, files))
    assert len(engines) == 60
    for engine in engines:
        assert codes(engine) == ["unmatched-file"] * 5
        assert "none of the 60 graphs here has its name" in engine.notes[0].message
        assert engine.notes[-1].message == "56 more files left out"


# ---- folders


def test_a_folder_of_folders_is_looked_at_one_level_down(tmp_path: Path) -> None:
    for name in ("fp32", "int8"):
        folder(tmp_path / name, {"m.engine.graph.json": GRAPH, "m.engine.profile.json": PROFILE})
    folder(tmp_path / "deep" / "er", {"x.graph.json": GRAPH})
    folder(tmp_path / ".hidden", {"x.graph.json": GRAPH})
    folder(tmp_path, {"README.md": b"hello"})
    assert [files.name for files in find_engines(tmp_path)] == ["fp32/m.engine", "int8/m.engine"]
    folder(tmp_path, {"top.graph.json": GRAPH})
    assert [files.name for files in find_engines(tmp_path)] == ["top"]


def test_reading_a_folder_leaves_it_unchanged(tmp_path: Path) -> None:
    folder(tmp_path, FULL)
    before = [(p.name, p.stat().st_mtime_ns) for p in sorted(tmp_path.rglob("*"))]
    find_engines(tmp_path)
    assert [(p.name, p.stat().st_mtime_ns) for p in sorted(tmp_path.rglob("*"))] == before


def test_a_copy_of_a_folder_in_the_middle_of_a_run_is_a_note(tmp_path: Path) -> None:
    folder(tmp_path, FULL)
    (tmp_path / ".trex.run").mkdir()
    (tmp_path / ".trex.run" / "swap.json").write_text('{"source": "x.new", "installed": [], "removed": [], "inode": 1}')
    (engine,) = find_engines(tmp_path)
    with confined([str(tmp_path)]):
        (also,) = find_engines(tmp_path)
    assert [note.code for note in (*engine.notes, *also.notes)] == ["unfinished-run"] * 2


def test_a_packed_folder_in_the_middle_of_a_run_is_a_note(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "sent.zip", "w") as archive:
        archive.writestr("run/graph.json", GRAPH)
        archive.writestr("run/.trex.run/swap.json", '{"source": "x.new", "installed": [], "removed": [], "inode": 1}')
    (engine,) = find_engines(tmp_path / "sent.zip")
    assert codes(engine) == ["unfinished-run"]


def test_a_huge_folder_is_not_searched_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files_module, "MAX_FILES", 3)
    files = {"a.graph.json": GRAPH, **{f"picture{index}.json": b"{}" for index in range(5)}}
    (engine,) = find_engines(folder(tmp_path, files))
    assert codes(engine) == ["too-many-files"]


def test_no_folder_is_left_out_without_a_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for index in range(4):
        folder(tmp_path / f"run{index}", {"a.graph.json": GRAPH})
    assert len(find_engines(tmp_path)) == 4
    monkeypatch.setattr(files_module, "MAX_FOLDERS", 3)
    with pytest.raises(TrexError, match="a folder of 4 folders: more than 3 are not looked through"):
        find_engines(tmp_path)


def test_unrelated_files_make_no_engine(tmp_path: Path) -> None:
    files = {
        "package.json": b'{"name": "x"}',
        "labels.json": b'["cat", "dog"]',
        "data.txt": b"hello",
        "layers.json": b"{}",
    }
    with pytest.raises(TrexError, match="describes an engine"):
        find_engines(folder(tmp_path, files))
    (engine,) = find_engines(folder(tmp_path, {"m.graph.json": GRAPH}))
    assert engine.paths == (str(tmp_path / "m.graph.json"),)


# ---- broken and missing files


def test_an_empty_graph_is_kept_for_the_error_with_a_note(tmp_path: Path) -> None:
    (engine,) = find_engines(folder(tmp_path, {"m.graph.json": b"", "m.profile.json": PROFILE, "m.timing.json": b""}))
    assert slots(engine) == {"graph": "m.graph.json", "profile": "m.profile.json"}
    assert codes(engine) == ["empty-file", "empty-file"]


@pytest.mark.parametrize(
    "name",
    ["profile.json", "timing.json", "profile.metadata.json", "build.metadata.json", "metadata.json", "monitor.json",
     "build.log", "profile.log.gz"],
)  # fmt: skip
def test_a_file_that_belies_its_name_is_a_note(tmp_path: Path, name: str) -> None:
    (engine,) = find_engines(folder(tmp_path, {"m.graph.json": GRAPH, f"m.{name}": b'{"hello \xff' + 300 * b"x"}))
    assert slots(engine) == {"graph": "m.graph.json"}
    (note,) = engine.notes
    assert (note.code, note.where) == ("unrecognized-file", f"{tmp_path / f'm.{name}'}:1:1")
    assert repr('{"hello \ufffd' + 191 * "x") in note.message


def test_a_given_file_is_always_read(tmp_path: Path) -> None:
    folder(tmp_path, {"bad.json": b"{not json", "m.timing.json": TIMING, "odd.xyz": GRAPH, "s.json": SAMPLES})
    assert slots(find_engines(tmp_path / "bad.json")[0]) == {"graph": "bad.json"}
    assert slots(find_engines(tmp_path / "m.timing.json")[0]) == {"timing": "m.timing.json"}
    assert slots(find_engines(tmp_path / "odd.xyz")[0])["graph"] == "odd.xyz"
    assert slots(find_engines(tmp_path / "s.json")[0]) == {"profile": "s.json", "samples": "s.json"}


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("m.engine", PLAN, "trtexec 8.6: trtexec --loadEngine="),
        ("m.onnx", ONNX, "trex process "),
    ],
)
def test_a_binary_alone_says_what_to_run(tmp_path: Path, name: str, data: bytes, words: str) -> None:
    folder(tmp_path, {name: data})
    with pytest.raises(TrexError) as error:
        find_engines(tmp_path / name)
    assert words in error.value.hint
    with pytest.raises(TrexError) as error:
        find_engines(tmp_path)
    assert "trtexec --" in error.value.hint or "trex process" in error.value.hint


def test_an_engine_without_other_files_is_a_note(tmp_path: Path) -> None:
    (engine,) = find_engines(folder(tmp_path, {"a.graph.json": GRAPH, "b.engine": PLAN, "c.engine": PLAN}))
    assert engine.name == "a"
    (note,) = engine.notes
    assert note.code == "serialized-only"
    assert note.hint == "trex summary b.engine says how to export its layers"


def test_a_missing_path_suggests_what_is_near(tmp_path: Path) -> None:
    folder(tmp_path / "engines", {"resnet.graph.json": GRAPH})
    for path in ("engines/resnet.grap.json", "engines/resnt.graph.json"):
        with pytest.raises(TrexError) as error:
            find_engines(tmp_path / path)
        assert "resnet.graph.json" in error.value.hint
    with pytest.raises(TrexError, match="engines"):
        find_engines(tmp_path / "engine" / "x.json")
    for path in ("", "a\0b", "x" * 6000):
        with pytest.raises(TrexError):
            find_engines(path)


# ---- real files


def test_real_folders_pair_all_their_files(shared_engines: Path) -> None:
    folders = [path for path in sorted(shared_engines.iterdir()) if path.is_dir()]
    assert folders
    for path in folders:
        (engine,) = find_engines(path)
        assert engine.graph is not None
        assert sorted(engine.paths) == sorted(str(file) for file in path.iterdir())
        assert engine.notes == engine.others == ()
        for file in path.iterdir():
            assert find_engines(file) == (engine,)
    assert len(find_engines(shared_engines)) == len(folders)


def test_real_files_are_recognized(shared_engines: Path) -> None:
    expected = {
        ".profile.metadata.json": Kind.METADATA,
        ".build.metadata.json": Kind.METADATA,
        ".engine.metadata.json": Kind.DEVICE,
        ".graph.json": Kind.GRAPH,
        ".profile.json": Kind.PROFILE,
        ".timing.json": Kind.TIMING,
        ".layer_latency.json": Kind.SAMPLES,
        "layer_info.json": Kind.GRAPH,
        "profile.json": Kind.PROFILE,
    }
    for file in shared_engines.rglob("*.json"):
        kind = next(kind for suffix, kind in expected.items() if file.name.endswith(suffix))
        assert recognize(file.read_bytes()) is kind, file.name


def test_every_real_log_is_recognized(shared_logs: Path) -> None:
    for file in shared_logs.iterdir():
        kind = recognize(file.read_bytes(), file.name)
        if file.name.endswith("help.txt"):
            assert kind is Kind.HELP_TEXT
        elif file.suffix == ".log":
            assert kind is Kind.LOG, file.name
            (engine,) = find_engines(file)
            loads = "load" in file.name or file.name.endswith(("-03.log", "-05.log"))
            assert (engine.profile_log if loads else engine.build_log) == str(file)


SIMULATED = {
    "schema": "trex.simulated-engine/1",
    "statement": "simulated",
    "model": "my net.onnx",
    "device": {"Selected Device": "NVIDIA A100-SXM4-80GB"},
    "release": "10.4.0",
    "graph": {"Layers": [{"Name": "conv" * 2000, "LayerType": "Convolution"}]},
}


def simulated(folder: Path, **changed: object) -> Path:
    path = folder / "my net.onnx.engine"
    path.write_text(json.dumps({**SIMULATED, **changed}), encoding="utf-8")
    return path


def test_a_simulated_engine_says_what_it_is_and_what_is_missing(tmp_path: Path) -> None:
    path = simulated(tmp_path)
    for asked in (path, tmp_path, tmp_path / "my net"):
        with pytest.raises(TrexError) as error:
            find_engines(asked)
        assert error.value.where == str(path)
        assert "a simulated engine" in error.value.message
        assert "bring my net.onnx.engine.graph.json, my net.onnx.engine.profile.json" in error.value.hint
        assert f"trex process '{path}' {tmp_path} --profile-engine --backend simulated" in error.value.hint


def test_in_the_folder_that_one_is_in_the_command_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = simulated(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert f"trex process '{path.name}' . --profile-engine" in no_layers(path.name).hint


def test_a_real_engine_and_other_files(tmp_path: Path) -> None:
    (tmp_path / "a.engine").write_bytes(b"ftrt" + bytes(20) + bytes([10, 4, 0, 26]) + bytes(100))
    error = no_layers(str(tmp_path / "a.engine"))
    assert "a serialized TensorRT 10.4.0.26 engine" in error.message and "trtexec --loadEngine=" in error.hint
    (tmp_path / "a.monitor.json").write_text('{"schema": "trex.monitor/1"}', encoding="utf-8")
    assert "GPU telemetry" in no_layers(str(tmp_path / "a.monitor.json")).message
    (tmp_path / "a.txt").write_text("{", encoding="utf-8")
    assert "a file without layers" in no_layers(str(tmp_path / "a.txt")).message


def test_a_name_is_not_the_beginning_of_another(tmp_path: Path) -> None:
    engines = folder(tmp_path, {"v10.engine.graph.json": GRAPH, "v2-int8.engine.graph.json": GRAPH})
    for name in ("v1", "v2", "v10.eng"):
        with pytest.raises(TrexError, match="no such file"):
            find_engines(str(engines / name))
    assert find_engines(str(engines / "v10"))[0].graph == str(engines / "v10.engine.graph.json")


def test_a_folder_that_many_links_lead_to_is_looked_at_once(tmp_path: Path) -> None:
    folder(tmp_path / ".inner", {"a.graph.json": GRAPH})
    for number in range(30):
        (tmp_path / f"link{number}").symlink_to(".inner")
    assert len(find_engines(tmp_path)) == 1
