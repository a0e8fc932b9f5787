"""Works by the operators of the ONNX model: what they add to the layers' own, and that nothing counts twice."""

import random
from dataclasses import replace

import pytest

import trex
from tests.factories import conv, engine, layer, noop, stored, t
from tests.synthetic import CASES
from tests.synthetic.engines import synthetic_engine
from trex.core.data_type import DataType
from trex.core.model import Model
from trex.core.operator import Operator, Value
from trex.ingest.spelling.layer_names import parse_name
from trex.perf.performance import Performance
from trex.perf.work import from_model
from trex.perf.work.from_model import model_works_of
from trex.perf.work.operators import operator_count
from trex.perf.work.plan_works import own_works_of
from trex.perf.work.work import Work
from trex.plan.engine_plan import EnginePlan
from trex.plan.gemm import Gemm
from trex.plan.onnx_origins import find_origins

pytest.importorskip("onnx")

from tests.onnx_models import Net, convolution, resnet18, transformer

X = (2, 8, 16, 16)  # 4096 values


def block():
    """conv (2·256 positions · 16 · 8·9 = 589,824 macs) + add + relu, a sigmoid, and a product of matrices."""
    net = Net()
    x = net.input("x", ("N", 8, 16, 16))
    y = net.node("Conv", x, net.weight(16, 8, 3, 3), name="conv", pads=[1] * 4)
    z = net.node("Add", y, net.weight(16, 1, 1), name="add")
    z = net.node("Sigmoid", net.node("Relu", z, name="relu"), name="sigmoid")
    net.output(net.node("MatMul", z, net.weight(16, 4), name="matmul"))
    return net


CONV_MACS, VALUES = 2 * 256 * 16 * 72, 2 * 16 * 256  # 589,824 and 8,192
MATMUL_MACS = VALUES * 4  # 8,192 / 16 rows of 16, 4 columns


def planned(folder, net, *layers):
    path = net.save(folder / "m.onnx")
    return EnginePlan(engine(*layers, inputs=["x"], outputs=["y"]), onnx_file=path)


def the_conv(*origins, name="c", **facts):
    built = conv(name, [t("x", X)], [t("a", (2, 16, 16, 16))], (3, 3), **facts)
    return replace(built, origins=origins)


def opaque(name, *origins, inputs=("a",), outputs=("y",)):
    """A layer of unknown work by its own shapes."""
    return layer(name, "Myelin", inputs, outputs, origins=origins)


def total(works, figure):
    return sum(getattr(work, figure) or 0 for work in works)


def in_model(plan, figure):
    return sum(getattr(operator_count(operator, plan.model), figure) or 0 for operator in plan.model.operators)


# ---- What the operators add


def test_a_fused_layer_does_what_its_operators_do(tmp_path):
    plan = planned(tmp_path, block(), the_conv("conv", "add", "relu"), opaque("rest", "sigmoid", "matmul"))
    own, (first, rest) = own_works_of(plan), Performance(plan).works
    assert first.macs == CONV_MACS == own[0].macs
    assert first.other_ops == 2 * VALUES  # addition, ReLU: the layer's own record has neither
    assert first.gemm == Gemm(512, 16, 72)
    assert own[1].macs is None
    assert (rest.macs, rest.other_ops) == (MATMUL_MACS, 4 * VALUES)
    assert rest.gemm == Gemm(512, 4, 16)
    assert rest.confidence == 0.8  # nothing of its own confirms it
    assert ("matmul", MATMUL_MACS) in rest.terms


def test_bytes_stay_the_layers_own(tmp_path):
    plan = planned(tmp_path, block(), the_conv("conv", "add", "relu"), opaque("rest", "sigmoid", "matmul"))
    for own, result in zip(own_works_of(plan), Performance(plan).works):
        assert (own.bytes_read, own.bytes_written, own.weights_bytes, own.kind) == (
            result.bytes_read, result.bytes_written, result.weights_bytes, result.kind)  # fmt: skip


def test_without_a_model_nothing_changes():
    plan = EnginePlan(engine(the_conv("conv")))
    own = own_works_of(plan)
    assert model_works_of(plan, own).works == own == Performance(plan).works
    assert not model_works_of(plan, own).is_used


def test_a_layer_with_an_unknown_origin_keeps_its_own(tmp_path):
    plan = planned(tmp_path, block(), the_conv("conv"), opaque("rest", "sigmoid", "elsewhere"), opaque("m", "matmul"))
    own, works = own_works_of(plan), Performance(plan).works
    assert works[1] == own[1] and works[2].macs == MATMUL_MACS


def test_operators_of_unknown_shape_leave_the_layers_own(tmp_path):
    built = [conv("c", [t("x", (None, 8, 16, 16))], [t("a", (None, 16, 16, 16))], (3, 3))]
    plan = planned(tmp_path, block(), replace(built[0], origins=("conv",)))
    assert Performance(plan).works == own_works_of(plan)


def test_a_dynamic_plan_is_counted_at_its_shapes(tmp_path):
    path = block().save(tmp_path / "m.onnx")
    step = conv("c", [t("x", (None, 8, 16, 16))], [t("a", (None, 16, 16, 16))], (3, 3))
    rest = opaque("rest", "sigmoid", "matmul", inputs=[t("a", (None, 16, 16, 16))])
    plan = EnginePlan(engine(replace(step, origins=("conv",)), rest, inputs=["x"]), onnx_file=path)
    assert Performance(plan).works[1].macs is None
    assert Performance(plan.at_shapes({"x": X})).works[1].macs == MATMUL_MACS


def test_a_region_without_listed_weights_stores_what_its_operators_read(tmp_path):
    """conv's 16·8·9 weights and add's 16, in FP16 as the region computes, where the model has FP32."""
    name = "{ForeignNode[conv...relu]}"
    untold = stored("weights", "FP16", None)
    x, a = t("x", X, "FP16"), t("a", (2, 16, 16, 16), "FP16")
    region = replace(layer(name, "Myelin", [x], [a]), name_parts=parse_name(name), weights=(untold,))
    region = replace(region, compute=replace(region.compute, data_type=DataType.FP16))
    plan = planned(tmp_path, block(), region, opaque("m", "sigmoid", "matmul"))
    alone = Performance(EnginePlan(plan.engine)).works[0]
    assert alone.bytes_read is None and alone.weights_bytes is None
    work = Performance(plan).works[0]
    assert work.macs == CONV_MACS
    assert work.weights_bytes == 2 * (16 * 8 * 9 + 16)
    assert work.bytes_read == 2 * 4096 + work.weights_bytes and work.bytes_written == 2 * 8192
    assert work.confidence == 0.5 and "the model's constants" in work.reason


def test_a_region_has_the_operators_between_its_ends(tmp_path):
    name = "{ForeignNode[add...matmul]}"
    region = replace(opaque(name), name_parts=parse_name(name))
    work = Performance(planned(tmp_path, block(), the_conv("conv"), region)).works[1]
    assert (work.macs, work.other_ops) == (MATMUL_MACS, 6 * VALUES)  # add 1, relu 1, sigmoid 4
    assert work.confidence == 0.8 and "between the region's first and last" in work.reason


# ---- What costs nothing


def test_what_is_multiplied_into_weights_costs_nothing(tmp_path):
    net = Net()
    y = convolution(net, net.input("x", ("N", 8, 16, 16)), 8, 16, 3, "conv")
    stored_values = [net.weight(16) for _ in range(4)]
    net.output(net.node("Relu", net.node("BatchNormalization", y, *stored_values, name="bn"), name="relu"))
    fused = planned(tmp_path, net, the_conv("conv", "bn", "relu"))
    assert Performance(fused).works[0].other_ops == 2 * VALUES  # bias and ReLU
    alone = planned(tmp_path, net, the_conv("conv"), opaque("bn", "bn", "relu"))
    assert Performance(alone).works[1].other_ops == 3 * VALUES  # scale, shift, ReLU


def test_quantized_weights_were_computed_at_the_build(tmp_path):
    net = Net()
    x, scale, zero = net.input("x", ("N", 8, 16, 16)), net.constant([0.5], (), 1), net.constant([0], (), 3)
    q = net.node("QuantizeLinear", x, scale, zero, name="q")
    weights = net.node("QuantizeLinear", net.weight(16, 8, 3, 3), scale, zero, name="wq")
    y = net.node("DequantizeLinear", q, scale, zero, name="dq")
    w = net.node("DequantizeLinear", weights, scale, zero, name="wdq")
    net.output(net.node("Conv", y, w, name="conv", pads=[1] * 4))
    plan = planned(tmp_path, net, opaque("q", "q", inputs=["x"], outputs=["b"]), the_conv("dq", "wq", "wdq", "conv"))
    first, second = Performance(plan).works
    assert first.other_ops == 4096 * 2  # product and rounding of every input value
    assert (second.macs, second.other_ops) == (CONV_MACS, 0)


# ---- Nothing counts twice


def conserved(plan):
    works = Performance(plan).works
    for figure in ("macs", "other_ops"):
        assert total(works, figure) <= in_model(plan, figure) * (1 + 1e-12)
    return works


def test_a_copy_that_names_a_product_gets_none_of_it(tmp_path):
    copied = layer("reshape_after", "Reformat", ["a"], ["b"], origins=("conv",), Origin="REFORMAT")
    works = conserved(planned(tmp_path, block(), the_conv("conv"), copied, noop("n", "b", "y")))
    assert (works[0].macs, works[1].macs) == (CONV_MACS, 0)


def test_a_product_belongs_to_the_layer_that_holds_it(tmp_path):
    pointwise = layer("p", "PointWise", ["a"], ["b"], origins=("conv", "relu"))
    works = conserved(planned(tmp_path, block(), the_conv("conv", "relu"), pointwise))
    assert (works[0].macs, works[1].macs) == (CONV_MACS, 0)
    assert works[0].confidence == 0.5 and "several layers" in works[0].reason


def test_a_gemm_cut_in_two_is_shared_by_the_layers_shapes(tmp_path):
    """A convolution cut along its output channels, 12 and 4 of 16: three and one quarter."""
    big = conv("c1", [t("x", X)], [t("a", (2, 12, 16, 16))], (3, 3))
    small = conv("c2", [t("x", X)], [t("b", (2, 4, 16, 16))], (3, 3))
    plan = planned(tmp_path, block(), replace(big, origins=("conv",)), replace(small, origins=("conv",)))
    works = conserved(plan)
    assert [work.macs for work in works] == [CONV_MACS * 0.75, CONV_MACS * 0.25]
    assert total(works, "macs") == CONV_MACS


def test_without_shapes_the_parts_are_equal(tmp_path):
    parts = opaque("one", "sigmoid", "matmul", outputs=("b",)), opaque("two", "matmul", inputs=("b",))
    works = conserved(planned(tmp_path, block(), the_conv("conv"), *parts))
    assert [work.macs for work in works[1:]] == [MATMUL_MACS / 2] * 2
    assert [work.confidence for work in works[1:]] == [0.5, 0.5]
    assert works[1].gemm is None


def test_products_fused_side_by_side_add_up(tmp_path):
    net = Net()
    x = net.input("x", ("N", 8, 16, 16))
    for name in ("left", "right"):
        net.output(convolution(net, x, 8, 8, 3, name))
    works = conserved(planned(tmp_path, net, the_conv("left", "right", name="left || right")))
    assert works[0].macs == CONV_MACS  # 16 output channels in all


def test_an_incomplete_layer_takes_its_part_of_what_it_names(tmp_path):
    """The one with an unknown origin keeps its own work, so that the other gets only its own part."""
    big = conv("c1", [t("x", X)], [t("a", (2, 12, 16, 16))], (3, 3))
    small = conv("c2", [t("x", X)], [t("b", (2, 4, 16, 16))], (3, 3))
    plan = planned(
        tmp_path, block(), replace(big, origins=("conv", "?")), replace(small, origins=("conv",)), opaque("r", "relu")
    )
    assert [work.macs for work in conserved(plan)[:2]] == [CONV_MACS * 0.75, CONV_MACS * 0.25]


# ---- Contradictions


def test_certain_shapes_of_the_engine_stay_and_are_reported(tmp_path):
    wide = conv("wide", [t("x", X)], [t("a", (2, 32, 16, 16))], (3, 3))
    plan = planned(tmp_path, block(), replace(wide, origins=("conv",)), opaque("rest", "sigmoid", "matmul"))
    result = model_works_of(plan, own_works_of(plan))
    assert result.works[0].macs == 2 * CONV_MACS and result.works[0].confidence == 0.5
    (note,) = result.notes
    assert (note.code, note.where) == ("macs-differ", "wide")
    assert "1,179,648" in note.message and "589,824" in note.message
    assert Performance(plan).model_works.notes == result.notes
    assert Performance(plan).works == result.works == Performance(plan).works


def test_a_percent_is_no_contradiction(tmp_path):
    net = block()
    plan = planned(tmp_path, net, the_conv("conv"))
    own = own_works_of(plan)
    near = (replace(own[0], macs=CONV_MACS * 1.009),)
    assert model_works_of(plan, near).notes == ()
    far = (replace(own[0], macs=CONV_MACS * 1.02),)
    assert len(model_works_of(plan, far).notes) == 1


def test_guessed_shapes_give_way(tmp_path):
    plan = planned(tmp_path, block(), the_conv("conv"))
    guessed = (replace(own_works_of(plan)[0], macs=1e6, confidence=0.5),)
    result = model_works_of(plan, guessed)
    assert result.works[0].macs == CONV_MACS and len(result.notes) == 1


def test_a_model_of_another_engine_is_not_used(tmp_path):
    plan = planned(tmp_path, block(), the_conv("conv", "b", "c"), opaque("rest", "d", "e"))
    assert Performance(plan).works == own_works_of(plan)
    assert "model-of-another-engine" in {note.code for note in plan.notes}


def test_a_model_that_contradicts_most_products_is_not_used(tmp_path):
    net = Net()
    x = net.input("x", ("N", 8, 16, 16))
    for index in range(3):
        x = convolution(net, x, 8, 8, 3, f"Conv_{index}")
    net.output(x)
    wide = [replace(the_conv(name=f"c{index}"), origins=(f"Conv_{index}",)) for index in range(3)]
    plan = planned(tmp_path, net, *wide)
    result = model_works_of(plan, own_works_of(plan))
    assert not result.is_used and result.works == own_works_of(plan)
    (note,) = result.notes
    assert note.code == "model-contradicts-engine" and "3 of 3" in note.message


# ---- Whole engines


@pytest.mark.parametrize("example", ["resnet18-fp16", "resnet18-int8", "resnet18-int8-residual"])
def test_an_engine_and_its_model_agree(example, tmp_path):
    """Layers' shapes and ONNX operators are counted by different code: they agree on every layer."""
    path = resnet18("batch", is_quantized="int8" in example).save(tmp_path / "r.onnx")
    plan = synthetic_engine(example).with_model(path)
    own, result = own_works_of(plan), model_works_of(plan, own_works_of(plan))
    assert result.is_used and result.notes == ()
    assert [(work.macs, work.other_ops) for work in result.works] == [(work.macs, work.other_ops) for work in own]
    assert total(result.works, "macs") == pytest.approx(32 * 1.8e9, rel=0.02)
    conserved(plan)


def test_a_real_engine_and_its_rebuilt_model_agree(shared_engines, tmp_path):
    folder = shared_engines / "trt10.4-resnet18-fp16-rtx3060"
    if not folder.is_dir():
        pytest.skip("this real engine is absent")
    plan = trex.load(folder, onnx=resnet18("batch").save(tmp_path / "r.onnx"))
    result = model_works_of(plan, own_works_of(plan))
    assert plan.onnx_origins is not None and plan.onnx_origins.share == 1.0
    assert result.is_used and result.notes == ()
    assert total(result.works, "macs") == 1_814_073_344
    conserved(plan)


def test_classic_names_are_matched_without_metadata(shared_engines, tmp_path):
    """TensorRT 8.4 writes no metadata; older exporters number their nodes by type and index: Conv_0, Relu_1."""
    folder = shared_engines / "trt8.4-resnet18-a100-fp16"
    if not folder.is_dir():
        pytest.skip("this real engine is absent")
    net = resnet18("batch")
    for index, node in enumerate(net.nodes):
        node.name = f"{node.op_type}_{index}"
    net.inputs[0].name = net.nodes[0].input[0] = "input.1"
    plan = trex.load(folder, onnx=net.save(tmp_path / "r.onnx"))
    result = model_works_of(plan, own_works_of(plan))
    assert result.is_used and result.notes == ()
    assert total(result.works, "macs") == 32 * 1_814_073_344
    conserved(plan)


@pytest.mark.parametrize("seed", range(30))
def test_however_layers_share_operators_their_sum_is_the_models(seed, monkeypatch):
    """Any layers over any operators: what is taken from the model is never more than it holds, and all of it where
    every operator is named by a layer that takes its work from the model.
    """
    chance = random.Random(seed)
    count = chance.randrange(1, 12)
    model = Model(
        tuple(Operator(i, f"n{i}", chance.choice(["MatMul", "Relu"]), "", ("x", "w"), ("x",)) for i in range(count)),
        {name: Value(name, (8, 8), DataType.FP32) for name in "xw"},
    )
    layers, own = [], []
    for index in range(chance.randrange(1, 10)):
        named = chance.sample(range(count), chance.randrange(0, count + 1))
        lacking = ("lacking",) if chance.random() < 0.1 else ()
        layers.append(layer(f"l{index}", origins=(*(f"n{i}" for i in named), *lacking)))
        macs, other = chance.choices([None, 0, 10, 512, 1e6], k=2)
        own.append(Work("k", macs, other, 1, 1, 0, 0.5))
    plan = EnginePlan(engine(*layers))
    plan.model = model
    plan.onnx_origins = origins = find_origins(plan.working_layers, model)
    monkeypatch.setattr(from_model, "_differ", lambda one, other: False)
    result = model_works_of(plan, own)
    if not result.is_used:
        return
    taken = [work for work in result.works if work.formula.startswith(from_model.FORMULA)]
    shares = [group for work, group in zip(own, origins.operators) if not (work.macs == work.other_ops == 0)]
    is_all = all(origins.complete) and {o.index for group in shares for o in group} == set(range(count))
    for figure in ("macs", "other_ops"):
        held = in_model(plan, figure)
        assert total(taken, figure) <= held * (1 + 1e-9)
        if is_all:
            assert total(taken, figure) == pytest.approx(held)


def test_an_activation_that_no_layer_names_stays_with_the_layer_that_applies_it(tmp_path):
    """Names of fused layers may leave out a ReLU that the record has: the layer's own count stays."""
    built = the_conv("conv", HasReLU=1, Activation="RELU")
    (work,) = Performance(planned(tmp_path, block(), built)).works
    assert work.other_ops == VALUES and work.macs == CONV_MACS
    named = Performance(planned(tmp_path, block(), built, opaque("r", "add", "relu"))).works
    assert [work.other_ops for work in named] == [0, 2 * VALUES]  # here another layer has it


@pytest.mark.parametrize("case", [case for case in CASES.values() if not case.expect.error], ids=lambda case: case.name)
def test_every_engine_takes_a_model(case, tmp_path):
    """A model with the engine's own names but other shapes: nothing raises, bytes stay, no work is invented."""
    address = case.write(tmp_path)
    net = Net()
    x = net.input("input", (4, 32))
    for name in dict.fromkeys(origin for one in trex.load(address).working_layers for origin in one.origins):
        is_product = name.endswith(("Conv", "MatMul", "Gemm"))
        x = net.node("MatMul", x, net.weight(32, 32), name=name) if is_product else net.node("Relu", x, name=name)
    net.output(net.node("Relu", x, name="the end"))
    plan = trex.load(address, onnx=net.save(tmp_path / "model of the test.onnx"))
    own, result = own_works_of(plan), model_works_of(plan, own_works_of(plan))
    assert len(result.works) == len(own)
    assert [work.bytes_moved for work in result.works] == [work.bytes_moved for work in own]
    taken = [work for work in result.works if work.formula.startswith(from_model.FORMULA)]
    assert total(taken, "macs") <= in_model(plan, "macs")


def test_an_opaque_transformer_gets_its_macs(tmp_path):
    """One region for all of it: 2 layers of 12·tokens·hidden² + 2·tokens²·hidden MACs."""
    net = transformer(2, tokens=128, hidden=768)
    first, last = net.nodes[0].name, net.nodes[-1].name
    name = f"{{ForeignNode[{first}...{last}]}}"
    region = replace(layer(name, "Myelin", ["input_ids"], ["y"]), name_parts=parse_name(name))
    plan = EnginePlan(engine(region, inputs=["input_ids"]), onnx_file=net.save(tmp_path / "t.onnx"))
    (work,) = Performance(plan).works
    assert work.macs == 2 * (12 * 128 * 768**2 + 2 * 128**2 * 768)
    assert len(work.terms) == 13 and work.terms[-1][0] == "further operators"
    conserved(plan)


def test_weights_of_the_layer_are_no_operators():
    """Stored values belong to bytes: they are the engine's own."""
    built = replace(the_conv("conv"), weights=(stored("weights", "FP16", 1152),))
    (work,) = Performance(EnginePlan(engine(built))).works
    assert work.weights_bytes == 2304
