"""Engines whose shapes leave the batch out: read with it, like their twins whose shapes have it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.factories import conv, engine, layer, stored, t
from trex.core.layer import Role
from trex.core.metadata import Metadata
from trex.core.tensor import Tensor
from trex.engine_plan import load
from trex.examples import folder, names
from trex.perf.batch import batch_size
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.plan.implicit_batch import IMPLICIT_BATCH, UNKNOWN_BATCH, lacks_batch, with_batch
from trex.rules.lint import lint

Record = dict[str, Any]
TILED = "sm80_xmma_fprop_implicit_gemm_f16f16_f16f16_f16_nhwckrsc_nhwc_tilesize128x64x32_stage4_tensor16x8x16"
ITEMS = {"inference_options": {"Batch": "32"}, "device_information": {"Selected Device": "NVIDIA GeForce RTX 3090"}}


def tensor(name: str, *dims: int) -> Record:
    return {
        "Name": name,
        "Dimensions": list(dims),
        "Format/Datatype": "Channel major FP16 format where channel % 8 == 0",
    }


def convolution(name: str, source: Record, output: Record, channels: int, maps: int, kernel: int = 3) -> Record:
    return {
        "Name": name, "LayerType": "CaskConvolution", "ParameterType": "Convolution", "Inputs": [source],
        "Outputs": [output], "Kernel": [kernel] * 2, "PrePadding": [kernel // 2] * 2, "PostPadding": [kernel // 2] * 2,
        "Stride": [1, 1], "Dilation": [1, 1], "OutMaps": maps, "Groups": 1,
        "Weights": {"Type": "Half", "Count": maps * channels * kernel**2}, "Bias": {"Type": "Half", "Count": maps},
        "Activation": "NONE", "HasBias": 1, "HasReLU": 0, "TacticName": TILED,
    }  # fmt: skip


def network(*batch: int) -> Record:
    """Two convolutions of 64 channels at 56x56 and a pooling; batch: in front of all shapes."""
    x, y, z, p = (tensor(name, *batch, 64, 56, 56) for name in "xyzp")
    p["Dimensions"][-2:] = [28, 28]
    pooling = {"Name": "pool", "LayerType": "CudnnPooling", "ParameterType": "Pooling", "Inputs": [z], "Outputs": [p],
               "PoolingType": "MAX", "WindowSize": [2, 2], "Stride": [2, 2], "TacticName": ""}  # fmt: skip
    layers = [convolution("c1", x, y, 64, 64), convolution("c2", y, z, 64, 64, 1), pooling]
    return {"Layers": layers, "Bindings": ["x", "p"]}


def written(folder: Path, graph: Record, metadata: Record | None = None) -> EnginePlan:
    folder.mkdir(exist_ok=True)
    times: list[Record] = [{"count": 10}]
    for each in graph["Layers"]:
        times.append({"name": each["Name"], "timeMs": 1.0, "averageMs": 0.1, "medianMs": 0.1, "percentage": 33.0})
    files = {"graph": graph, "profile": times, **({"profile.metadata": metadata} if metadata else {})}
    for kind, content in files.items():
        (folder / f"m.{kind}.json").write_text(json.dumps(content))
    return load(folder)


def codes(plan: EnginePlan) -> set[str]:
    return {note.code for note in plan.notes} & {IMPLICIT_BATCH, UNKNOWN_BATCH}


def same(plan: EnginePlan, twin: EnginePlan) -> None:
    """Every reading of the plan is its twin's."""
    one, two = Performance(plan), Performance(twin)
    assert batch_size(plan) == batch_size(twin)
    for item, other in zip(plan.engine.layers, twin.engine.layers, strict=True):
        tensors, others = (*item.inputs, *item.outputs), (*other.inputs, *other.outputs)
        assert [seen.shape for seen in tensors] == [seen.shape for seen in others], item.name
        assert [seen.size_bytes for seen in tensors] == [seen.size_bytes for seen in others], item.name
        assert [seen.raw for seen in tensors] == [seen.raw for seen in others], item.name
    assert one.works == two.works
    assert one.tilings == two.tilings
    assert one.roofline.bounds == two.roofline.bounds
    assert one.memory.peak == two.memory.peak
    assert one.memory.bindings == two.memory.bindings
    assert lint(one).findings == lint(two).findings


def test_with_the_batch_of_its_run_it_reads_like_its_twin(tmp_path: Path) -> None:
    plan = written(tmp_path / "implicit", network(), ITEMS)
    explicit = {**ITEMS, "inference_options": {"Batch": "Explicit"}}
    same(plan, written(tmp_path / "explicit", network(32), explicit))
    assert batch_size(plan) == 32
    (note,) = [note for note in plan.notes if note.code == IMPLICIT_BATCH]
    assert note.severity == "info" and "leave the batch out (implicit batch): here that of the run, 32" in note.message
    inputs = plan.df["Inputs"].iloc[0]
    assert inputs[0]["Dimensions"] == [32, 64, 56, 56]
    assert plan.df["total_io_size_bytes"].iloc[0] == 32 * 2 * 64 * 56 * 56 * 2


def test_its_channels_are_not_its_heights(tmp_path: Path) -> None:
    """56 rows are no multiple of 16."""
    for metadata in (None, ITEMS):
        plan = written(tmp_path / str(metadata is None), network(), metadata)
        assert "CONV003" not in {finding.code for finding in lint(Performance(plan)).findings}


@pytest.mark.parametrize("metadata", [None, {"inference_options": {"Batch": "Explicit"}}])
def test_without_the_batch_of_its_run_all_that_depends_on_it_is_unknown(
    tmp_path: Path, metadata: Record | None
) -> None:
    plan = written(tmp_path, network(), metadata)
    performance = Performance(plan)
    (note,) = [note for note in plan.notes if note.code == UNKNOWN_BATCH]
    assert note.severity == "warning" and note.hint
    assert batch_size(plan) is None
    assert {work.macs for work in performance.works[:2]} == {None}
    assert performance.tilings == (None,) * 3
    assert performance.memory.peak is None and performance.memory.bindings.unknown_count == 2
    assert math.isnan(plan.total_act_size)
    assert {item.shape for each in plan.engine.layers for item in each.inputs} == {(None, 64, 56, 56)}
    given = plan.at_shapes({"x": (32, 64, 56, 56)})
    assert not codes(given)
    assert Performance(given).works == Performance(written(tmp_path / "twin", network(32))).works


@pytest.mark.parametrize(
    ("run", "build", "batch"),
    [
        ({"Batch": "1"}, {}, 1),  # as of every engine that trtexec loads: here it is true
        ({"Batch": "8"}, {"Max batch": "explicit batch"}, 8),  # what trtexec 8.4 prints of a loaded engine
        ({"Batch": 4}, {"Max batch": "32"}, 4),
        ({}, {"Max batch": "1"}, 1),
        ({}, {"Max batch": "32"}, None),
        ({"Batch": "0"}, {}, None),
        ({"Batch": "1e300"}, {}, None),
    ],
)
def test_the_batch_of_the_run(run: Record, build: Record, batch: int | None) -> None:
    source = engine(three_by_three([8, 14, 14], [8, 14, 14]), inputs=["x"])
    plan = EnginePlan(source, metadata=Metadata(inference_options=run), build_metadata=Metadata(build_options=build))
    assert batch_size(plan) == batch
    assert plan.engine.layers[0].inputs[0].shape == (batch, 8, 14, 14)
    again = EnginePlan(plan.engine, metadata=plan.metadata, build_metadata=plan.build_metadata)
    assert again.engine == plan.engine and not codes(again)


def three_by_three(source: list[int | None], output: list[int | None], *, axis: int = 0, **more: Any) -> Any:
    """A convolution whose channels are at ``axis``."""
    channels, maps = source[axis] or 0, output[axis] or 0
    kernel = more.pop("kernel", (3, 3))
    raw = {"OutMaps": maps, "Weights": {"Type": "Half", "Count": channels * maps * math.prod(kernel)}}
    return conv("c", [t("x", source)], [t("y", output)], kernel, **(raw | more))


def pooling(source: list[int | None], output: list[int | None], *window: int) -> Any:
    return layer("p", "Pooling", [t("x", source)], [t("y", output)], WindowSize=list(window))


@pytest.mark.parametrize(
    ("layers", "expected"),
    [
        pytest.param([three_by_three([3, 224, 224], [64, 224, 224])], True, id="two dimensions"),
        pytest.param([three_by_three([3, 224, 224], [64, 224, 224], kernel=(1, 1))], True, id="1x1"),
        pytest.param([three_by_three([8, 9, 10, 11], [4, 9, 10, 11], kernel=(3, 3, 3))], True, id="three dimensions"),
        pytest.param([three_by_three([64, 7, 7], [64, 7, 7], Groups=64, Weights={"Count": 576})], True, id="depthwise"),
        pytest.param([three_by_three([3, 8, 8], [4, 8, 8], Weights={})], True, id="weights unknown"),
        pytest.param([three_by_three([9, 9, 9], [9, 9, 9])], True, id="a cube"),
        pytest.param([three_by_three([9, 9, 9], [9, 9, 9], kernel=(1, 3))], None, id="a cube, or a sequence"),
        pytest.param([three_by_three([8, 16, 99], [8, 32, 99], axis=1, kernel=(1, 3))], False, id="a sequence"),
        pytest.param([three_by_three([8, 16, 99], [8, 32, 99], axis=1, kernel=(3, 1))], False, id="a column"),
        pytest.param([three_by_three([8, 16, 99], [8, 32, 99], axis=1, kernel=(3,))], None, id="one extent"),
        pytest.param([three_by_three([3, 8, 8], [4, 8, 8], Weights={"Count": 7})], None, id="other weights"),
        pytest.param([three_by_three([3, 8, 8], [4, 8, 8], OutMaps=0)], None, id="no number of outputs"),
        pytest.param([three_by_three([1, 3, 8, 8], [1, 4, 8, 8], axis=1)], False, id="with a batch"),
        pytest.param([three_by_three([3, 8, 8], [1, 4, 8, 8], axis=0)], None, id="ranks differ"),
        pytest.param(
            [three_by_three([3, 8, 8], [4, 8, 8]), three_by_three([1, 3, 8, 8], [1, 4, 8, 8], axis=1)],
            False,
            id="one with a batch refutes",
        ),
        pytest.param([pooling([64, 8, 8], [64, 4, 4], 2, 2)], True, id="pooling"),
        pytest.param([pooling([2, 64, 8], [2, 64, 4], 1, 2)], None, id="pooling of a sequence"),
        pytest.param([pooling([2, 64, 8, 8], [2, 64, 4, 4], 2, 2)], False, id="pooling with a batch"),
        pytest.param([layer("s", "Softmax", [t("x", [8, 128, 768])], [t("y", [8, 128, 768])])], None, id="no window"),
        pytest.param([layer("c", "Convolution", [], [], Kernel=[3, 3])], None, id="no tensors"),
        pytest.param([three_by_three([3, 8, 8], [4, 8, 8], Kernel="3x3")], None, id="a damaged window"),
        pytest.param([], None, id="nothing"),
    ],
)
def test_whether_shapes_lack_the_batch(layers: list[Any], expected: bool | None) -> None:
    assert lacks_batch(engine(*layers)) is expected


@pytest.mark.parametrize("batch", ["8", "1", "Explicit", None])
def test_engines_with_a_batch_or_without_a_window_stay(batch: str | None) -> None:
    """Of transformers (batch, length, width) and of 1-D convolutions."""
    metadata = Metadata(inference_options={} if batch is None else {"Batch": batch})
    tokens = engine(layer("s", "Softmax", [t("x", [8, 128, 768])], [t("y", [8, 128, 768])]), inputs=["x"])
    sequence = engine(three_by_three([8, 16, 99], [8, 32, 99], axis=1, kernel=(1, 3)), inputs=["x"])
    dynamic = engine(layer("s", "Softmax", [t("x", [None, 768])], [t("y", [None, 768])]), inputs=["x"])
    for source in (tokens, sequence, dynamic):
        assert with_batch(source, metadata, Metadata()) == (source, ())


def test_constants_and_values_on_the_host_have_no_batch() -> None:
    w, s = t("w", [4, 4]), replace(t("s", [2], "INT32"), location="Host")
    source = engine(
        layer("k", "Constant", [], [w], role=Role.CONSTANT),
        three_by_three([4, 8, 8], [4, 8, 8]),
        layer("m", "MatrixMultiply", [t("y", [4, 8, 8]), w, s], [t("z", [4, 8, 8])]),
        inputs=["x"],
    )
    result, _ = with_batch(source, Metadata(inference_options={"Batch": "2"}), Metadata())
    product = result.layers[2]
    assert [item.shape for item in product.inputs] == [(2, 4, 8, 8), (4, 4), (2,)]
    assert [item["Dimensions"] for item in product.raw["Inputs"]] == [[2, 4, 8, 8], [4, 4], [2]]
    assert result.layers[0] == source.layers[0]


def test_a_stored_operand_in_the_list_of_inputs_has_no_batch() -> None:
    x, w, y = t("x", [1, 8]), t("w", [8, 4]), t("y", [1, 4])
    product = layer("m", "MatrixMultiply", [x, w], [y], weights=[stored("input", "FP16", 32)])
    source = engine(replace(product, inputs=(x,)), inputs=["x"])
    plan = EnginePlan(source, metadata=Metadata(inference_options={"Batch": "16"}))
    assert [item["Dimensions"] for item in plan.engine.layers[0].raw["Inputs"]] == [[16, 1, 8], [8, 4]]
    assert Performance(plan).works[0].macs == 16 * 8 * 4


def test_tensors_without_a_shape_stay() -> None:
    odd: Tensor = replace(t("x"), shape=None, size_bytes=None)
    source = engine(
        three_by_three([3, 8, 8], [4, 8, 8]), layer("l", inputs=[odd], outputs=[t("z", [4])], Inputs="lost")
    )
    result, notes = with_batch(source, Metadata(), Metadata())
    assert [note.code for note in notes] == [UNKNOWN_BATCH]
    assert result.layers[1].inputs == (odd,) and result.layers[1].raw["Inputs"] == "lost"
    assert result.layers[1].outputs[0].shape == (None, 4)


def test_a_damaged_name_is_no_error() -> None:
    odd = replace(t("s"), raw={"Name": ["s"], "Dimensions": [1, 8, 4, 4]})
    layers = [three_by_three([3, 8, 8], [4, 8, 8]), layer("l", inputs=["y"], outputs=[odd])]
    result, _ = with_batch(engine(*layers), Metadata(), Metadata())
    assert result.layers[1].outputs[0].raw["Dimensions"] == [-1, 1, 8, 4, 4]


# -------------------------------------------------------------------------------------------------------- real engines


def test_no_bundled_engine_lacks_the_batch() -> None:
    for name in names():
        plan = load(folder(name))
        assert not codes(plan) and lacks_batch(plan.whole_engine) is not True, name


def test_no_real_engine_lacks_the_batch(shared_engines: Path) -> None:
    answers = {}
    for path in sorted(path for path in shared_engines.iterdir() if path.is_dir()):
        plan = load(path)
        answers[path.name] = lacks_batch(plan.whole_engine)
        assert not codes(plan), path.name
    assert answers.pop("trt8.5-yolo-int8-names-only") is None  # its file has names only, its log no windows
    assert set(answers.values()) == {False}


def _without_batch(graph: Record, batch: int) -> Record:
    for each in graph["Layers"]:
        for item in (*each["Inputs"], *each["Outputs"]):
            first, *item["Dimensions"] = item["Dimensions"]
            assert first == batch
    return graph


TWINS = (
    *(f"trt8.4-resnet18-a100-{kind}" for kind in ("fp32", "fp16", "qat", "qat-residual", "qat-residual-qgap")),
    *(f"trt8.2-resnet50-rtx3090-{kind}" for kind in ("fp32", "fp16", "qat")),
    "trt8.4-mobilenetv2-qat",
)


@pytest.mark.parametrize("name", TWINS)
def test_a_real_engine_without_its_batch_reads_like_itself(shared_engines: Path, tmp_path: Path, name: str) -> None:
    explicit = load(shared_engines / name)
    batch = batch_size(explicit)
    assert batch is not None
    changes: dict[str, Callable[[Record], Record]] = {
        ".graph.json": lambda graph: _without_batch(graph, batch),
        ".profile.metadata.json": lambda data: {
            **data,
            "inference_options": {**data["inference_options"], "Batch": str(batch)},
            "performance_summary": {
                **data["performance_summary"],
                "Throughput": batch * data["performance_summary"]["Throughput"],
            },
        },
    }
    for file in (shared_engines / name).iterdir():
        text = file.read_text()
        for ending, change in changes.items():
            text = json.dumps(change(json.loads(text))) if file.name.endswith(ending) else text
        (tmp_path / file.name).write_text(text)
    implicit = load(tmp_path)
    assert codes(implicit) == {IMPLICIT_BATCH}
    same(implicit, explicit)
