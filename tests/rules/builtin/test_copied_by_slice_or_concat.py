"""Copies of slices and concatenations."""

from __future__ import annotations

import pytest

from tests.rules.cases import analyzed, conv, copy, findings, half, int8, single, unchecked, work
from tests.rules.planting import Parts, like, pair
from trex.core.layer import Layer
from trex.core.tensor import Tensor

NAME = "copied-by-slice-or-concat"


def test_copies_of_one_tensor_are_one_finding() -> None:
    engine = analyzed(
        conv("Gemm_1 || Gemm_2", [half("x")], half("a")),
        copy("reshape_after_Gemm_1_copy_input", half("a"), half("b"), "SLICE"),
        copy("reshape_after_Gemm_2_copy_input", half("a"), half("c"), "SLICE"),
        ms=[0.7, 0.1, 0.2],
    )
    (found,) = findings(NAME, engine)
    assert "a is split by 2 copies instead of a view (Gemm_1 || Gemm_2): 0.3 ms (30.0 % of time)" in found.message
    assert found.savings == pytest.approx({1: 0.1, 2: 0.2}) and found.layers == (1, 2)


def test_concatenations_by_name_and_plugins() -> None:
    engine = analyzed(
        copy("/neck/Concat_3 copy", half("a"), half("b")),
        work("NMS_1", "PluginV2", [half("b")], half("y")),
        ms=[0.1, 0.9],
    )
    (found,) = findings(NAME, engine)
    assert "b is joined by 1 copy instead of a view (NMS_1): 0.1 ms" in found.message
    assert "into the plugin" in found.fix[0] and found.savings == pytest.approx({0: 0.1})
    assert not findings(NAME, engine, share=50.0)


def test_plain_reformats_are_no_finding() -> None:
    assert not findings(
        NAME, analyzed(copy("Reformatting CopyNode for Input Tensor 0 to Conv_1", half("x"), half("a")))
    )


def test_clones_of_a_quantization_are_conversions() -> None:
    clone = copy("/neck/conv1/_input_quantizer/QuantizeLinear_clone_1", single("a"), int8("b"), "QDQ")
    assert not findings(NAME, analyzed(clone, ms=[1.0]))


def test_only_a_product_has_weights_to_split() -> None:
    def steps(before: Layer) -> tuple[str, ...]:
        parts = [copy(f"reshape_after_{n}_copy_output", half("a"), half(f"p{n}"), "SLICE") for n in range(2)]
        (found,) = findings(NAME, analyzed(before, *parts, ms=[0.5, 0.2, 0.2]))
        return found.fix

    assert "split the weights" in steps(work("MatMul_1", "MatrixMultiply", [half("x")], half("a")))[0]
    assert not any("weights" in step for step in steps(work("Relu_1", "PointWise", [half("x")], half("a"))))


def test_kernels_that_only_join_or_transpose_into_the_joined_tensor() -> None:
    """As TensorRT for RTX names them; one that computes as well has to pass the data anyway."""
    layers = (
        conv("Conv_1", [half("x")], half("a")),
        work("join", "kgen", [half("a"), half("skip")], half("joined")),
        work("into", "kgen", [half("b")], half("/Concat_3_output_0")),
        work("act", "kgen", [half("c"), half("d")], half("e")),
        work("pad", "kgen", [half("f")], half("g")),
    )
    tokens = {"join": ("Resi", "Conc"), "into": ("Tran",), "act": ("Conc", "Relu"), "pad": ("Conc", "Tran")}
    engine = analyzed(*layers, ms=[0.6, 0.1, 0.1, 0.1, 0.1], tokens=tokens)
    assert sorted(index for found in findings(NAME, engine) for index in found.savings) == [1, 2]
    assert "/Concat_3_output_0 is joined by 1 copy" in findings(NAME, engine)[1].message
    assert not findings(NAME, analyzed(*layers, tokens=tokens))  # without times it may be nothing


def test_a_padding_before_a_pooling() -> None:
    wide = (1, 64, 10, 10)
    pad = work("pool1_pad/Pad", "Slice", [half("a")], half("b", wide))
    pool = work("MaxPool_1", "Pooling", [half("b", wide)], half("y"))
    (found,) = findings(NAME, analyzed(conv("Conv_1", [half("x")], half("a")), pad, pool, ms=[0.8, 0.1, 0.1]))
    assert "a is padded by 1 copy (MaxPool_1): 0.1 ms" in found.message and "attribute pads" in found.fix[0]
    cut = work("Slice_1", "Slice", [half("a", wide)], half("b"))
    assert not findings(NAME, analyzed(cut, ms=[0.1]))
    at_input = work("conv1_pad/Pad", "Slice", [half("x")], half("a", wide))
    assert not findings(NAME, analyzed(at_input, ms=[0.1]))


def test_a_table_that_is_copied_before_rows_are_scattered() -> None:
    table, rows = (4096, 64), (16, 64)
    layers = (
        work("copy_and_gather", "kgen", [half("table", table), half("rows", (16,))], half("new", table)),
        work("scatter", "kgen", [half("new", table), half("r", rows)], half("y", table)),
    )
    tokens = {"copy_and_gather": ("Move", "Gath"), "scatter": ("Scat",)}
    (found,) = findings(NAME, analyzed(*layers, ms=[0.5, 0.1], tokens=tokens))
    assert "table is copied by 1 copy before a part of it is written (scatter): 0.5 ms" in found.message
    assert found.savings == pytest.approx({0: 0.5}) and "new rows only" in found.fix[0]
    assert not findings(NAME, analyzed(*layers, ms=[0.5, 0.1], tokens={**tokens, "scatter": ("Add",)}))


def test_without_times_they_are_reported_without_savings() -> None:
    engine = analyzed(copy("s_copy_input", half("a"), half("b"), "SLICE"))
    (found,), (answer,) = findings(NAME, engine), unchecked(NAME, engine)
    assert found.savings == {} and answer.layers == (0,)


# ---- The defect that tests plant into engines, and its sound twin


def sliced(x: Tensor, bad: bool) -> Parts:
    parts = [like(x, name, format_="NCHW") for name in ("b901", "c902")]
    names = ("reshape_after_Gemm_901_copy_input", "reshape_after_Gemm_902_copy_input")
    plain = ("Reformatting CopyNode for Input Tensor 0 to Softmax_903", "Reformatting CopyNode for Softmax_904")
    return [
        *(
            (copy(name, x, part, "SLICE" if bad else "REFORMAT"), 0.04)
            for name, part in zip(names if bad else plain, parts)
        ),
        (work("Softmax_903", "SoftMax", [parts[0]], like(x, "d903", format_="NCHW")), 0.05),
        (work("Softmax_904", "SoftMax", [parts[1]], like(x, "e904", format_="NCHW")), 0.05),
    ]


PLANTER = pair(sliced)
