"""The section on work: sentences, tables and derivations of engines that are known by hand."""

from __future__ import annotations

import pytest

import trex
from tests.engines import READABLE
from tests.factories import conv, engine, layer, t
from tests.synthetic.engines import synthetic_engine
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.views.document import Detail
from trex.views.perf.sections.work import SECTION

X, Y, Z = t("x", (32, 8, 4, 4)), t("y", (32, 8, 4, 4)), t("z", (32, 8, 4, 4))
CONV = conv("c", [X], [Y], (3, 3), bias="FP16", module="/net/a")
PLUGIN = layer("p\x1b", "PluginV2", [Y], [Z], module="/net/b", PluginType="Mine")


def content(*layers):
    whole = engine(*layers, inputs=("x",), outputs=(layers[-1].outputs[0].name,) if layers else ())
    return SECTION.make(Performance(EnginePlan(whole)), Detail())


def table(result, title):
    return next(item for item in result.tables if item.title == title)


def test_the_sentences():
    # macs = 32·4·4 · 8 · (8·9) = 294,912; bias 32·8·16 = 4,096; bytes 8,192 + 1,152 + 16 + 8,192.
    text = content(CONV)
    assert text.statements == (
        "The layers compute 295 k MACs (9.22 k for each of a batch of 32) and 4.1 k other operations.",
        "They read and write 17.1 KiB, 1.1 KiB of it stored weights, every value once by each layer.",
    )


def test_what_is_not_known_is_said_with_its_reason():
    text = content(CONV, PLUGIN)
    assert "in the 1 of 2 layers with known work" in text.statements[0]
    assert text.statements[2] == (
        "Of 1 layer the work is not fully known, most often because of this: unknown operations of a plugin (Mine) "
        "(1 layer)."
    )
    assert table(text, "Why work is not known").rows == (("unknown operations of a plugin (Mine)", 1),)
    row = next(row for row in table(text, "Work by kind").rows if row[0] == "plugin")
    assert row[1:] == (1, None, None, None, 2 * 8192, 1)


def test_nothing_known_is_said_once():
    text = content(PLUGIN)
    assert text.statements[0] == "The engine's files don't contain what these layers compute."


def test_shapes_known_at_run_time_only_are_one_reason_not_one_for_each_tensor():
    layers = [
        conv(f"c{n}", [t(f"x{n}", [None, 16, 8, 8])], [t(f"x{n + 1}", [None, 16, 8, 8])], (3, 3)) for n in range(3)
    ]
    text = content(*layers)
    assert table(text, "Why work is not known").rows == (("dimensions known only at run time", 3),)
    assert text.statements[-1] == "At shapes of the optimization profile it may be: --shapes opt, min or max."


def test_the_shapes_that_the_work_is_for_are_told():
    x, y = t("x", [None, 16, 8, 8]), t("y", [None, 16, 8, 8])
    whole = engine(conv("c", [x], [y], (3, 3)), inputs=["x"], outputs=["y"])
    text = told_of(EnginePlan(whole).at_shapes({"x": (2, 16, 8, 8)}))
    assert [note.code for note in text.notes] == ["evaluated-at-shapes"]
    assert not any("--shapes" in line for line in text.statements)


def test_nothing_is_not_said_to_be_all_that_layers_compute():
    copied = layer("r", "Reformat", [t("x", [8, 8])], [t("y", [8, 8])])
    text = content(PLUGIN, copied)
    assert text.statements[0] == (
        "The engine's files don't contain what 1 of 2 layers compute; the others multiply nothing."
    )


def told_of(plan):
    return SECTION.make(Performance(plan), Detail())


def test_the_model_is_named_if_it_contains_the_work(tmp_path):
    pytest.importorskip("onnx")
    from tests.onnx_models import resnet18

    path = resnet18("batch").save(tmp_path / "resnet18.onnx")
    text = told_of(synthetic_engine("resnet18-fp16").with_model(path))
    assert "The work of 23 of 25 layers is computed from the ONNX model's operators." in text.statements
    assert text.notes == ()


def test_contradictions_of_the_model_are_told(tmp_path):
    pytest.importorskip("onnx")
    from tests.onnx_models import Net, convolution

    net = Net()
    net.output(convolution(net, net.input("x", (32, 8, 4, 4)), 8, 16, 3, "c"))  # twice as many maps as the layer
    path = net.save(tmp_path / "m.onnx")
    text = told_of(EnginePlan(engine(CONV, inputs=("x",)), onnx_file=path))
    assert [(note.code, note.where) for note in text.notes] == [("macs-differ", "c")]


def test_an_engine_without_layers_has_no_section():
    assert content() is None


@pytest.mark.parametrize("case", READABLE, ids=lambda case: case.name)
def test_every_engine_has_its_section(case, tmp_path):
    text = SECTION.make(Performance(trex.load(case.write(tmp_path))), Detail())
    assert text is not None and text.statements
    for item in text.tables:
        assert all(len(row) == len(item.columns) for row in item.rows)
