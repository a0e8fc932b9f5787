"""The work of real and hand-made layers is what was worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import trex
from tests.factories import conv, gemm, layer, stored, t
from tests.perf.work.by_hand import EXAMPLES, ROWS, Row
from tests.synthetic.engines import synthetic_engine
from trex.core.layer import Layer, NameParts, Weights
from trex.perf.performance import Performance
from trex.perf.work.plan_works import work_of
from trex.plan.engine_plan import EnginePlan


@cache
def opened(path: Path) -> EnginePlan:
    return trex.load(path)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.engine}-{row.index}")
def test_real_layers(shared_engines: Path, row: Row):
    plan = opened(shared_engines / row.engine)
    assert plan.working_layers[row.index].name.startswith(row.name)
    work = Performance(plan).works[row.index]
    result = (work.kind, work.macs, work.other_ops, work.bytes_read, work.bytes_written)
    assert result == (row.kind, row.macs, row.other, row.read, row.written)


def test_the_table_is_large_enough():
    assert len(ROWS) >= 40
    assert len({(row.engine, row.index) for row in ROWS}) == len(ROWS)


def kgen(tokens: str, inputs, outputs, stored_inputs=(), origins=(), **raw) -> Layer:
    """A kernel that Myelin generated; ``stored_inputs``: tensors that the engine stores."""
    built = layer(f"__myl_{tokens}", "kgen", [*inputs, *stored_inputs], outputs, origins=origins, **raw)
    kept = tuple(Weights("input", item.data_type, item.volume, item.size_bytes, item.name) for item in stored_inputs)
    parts = NameParts((), "myelin", tokens=tuple(tokens.split()))
    return replace(built, inputs=tuple(inputs), weights=kept, name_parts=parts)


# (layer, macs, other operations, bytes read, bytes written), each with its derivation. FP16: 2 bytes.
# fmt: off
CASES = {
    "convolution in one dimension, two groups": (
        conv("a", [t("x", (8, 16, 100))], [t("y", (8, 32, 98))], (3,), groups=2, bias="FP16"),
        8*98 * 32 * (8*3),                      # each group of 16 filters meets 8 of the 16 channels
        8*32*98, 8*16*100*2 + 32*8*3*2 + 32*2, 8*32*98*2),
    "convolution in three dimensions": (
        conv("a", [t("x", (2, 12, 8, 16, 16), "FP32")], [t("y", (2, 24, 8, 16, 16), "FP32")], (3, 3, 3)),
        2*8*16*16 * 24 * (12*27), 0, 2*12*8*16*16*4 + 24*12*27*4, 2*24*8*16*16*4),
    "depthwise convolution in three dimensions": (
        conv("a", [t("x", (1, 12, 8, 8, 8))], [t("y", (1, 12, 8, 8, 8))], (3, 3, 3), groups=12),
        8*8*8 * 12 * 27, 0, 12*8*8*8*2 + 12*27*2, 12*8*8*8*2),
    "dilated convolution": (
        conv("a", [t("x", (1, 8, 32, 32))], [t("y", (1, 8, 32, 32))], (3, 3), Dilation=[2, 2], PrePadding=[2, 2]),
        32*32 * 8 * (8*9), 0, 8*32*32*2 + 8*8*9*2, 8*32*32*2),   # gaps add no products, and every value is read
    "convolution whose stride skips": (
        conv("a", [t("x", (1, 64, 56, 56))], [t("y", (1, 128, 19, 19))], (2, 2), stride=3),
        19*19 * 128 * (64*4), 0,
        64*38*38*2 + 128*64*4*2,                # positions 0, 1, 3, 4, … 54, 55: 2·19 of 56 along each axis
        128*19*19*2),
    "convolution with clipped ReLU and residual": (
        conv("a", [t("x", (1, 8, 4, 4)), t("r", (1, 8, 4, 4))], [t("y", (1, 8, 4, 4))], (1, 1), bias="FP32",
             Activation="CLIPPED_RELU"),
        4*4 * 8 * 8, 8*4*4 * 4,                 # bias, residual, two comparisons
        2 * 8*4*4*2 + 8*8*2 + 8*4, 8*4*4*2),
    "convolution with 2:4 sparse weights": (
        replace(conv("a", [t("x", (1, 64, 8, 8))], [t("y", (1, 128, 8, 8))], (1, 1), bias="FP16", HasSparseWeights=1),
                tactic="sm80_xmma_fprop_sparse_conv_f16f16_f16f16_f16_nhwckrsc_nhwc_tilesize128x64x64_stage3_warpsize2x2x1"
                       "_sptensor16x8x32"),
        8*8 * 128 * 64, 128*8*8,                # products as if dense
        64*8*8*2 + 128*64 * 9//8 + 128*2,       # 16 bits become 8 and one bit of place
        128*8*8*2),
    "deconvolution": (
        conv("a", [t("x", (1, 16, 8, 8))], [t("y", (1, 8, 16, 16))], (2, 2), stride=2, type="Deconvolution"),
        8*8 * 16 * (8*2*2),                     # each of 8·8·16 input values meets 8 channels · 2·2 kernel values
        0, 16*8*8*2 + 16*8*4*2, 8*16*16*2),
    "grouped deconvolution in three dimensions": (
        conv("a", [t("x", (1, 16, 4, 4, 4))], [t("y", (1, 8, 8, 8, 8))], (4, 4, 4), stride=2, groups=4,
             type="Deconvolution"),
        4*4*4 * 16 * (2*64),                    # 8 channels in 4 groups: 2 for each input channel
        0, 16*64*2 + 16*2*64*2, 8*512*2),
    "matrix product of two activations": (
        layer("a", "MatrixMultiply", [t("a", (8, 12, 128, 64)), t("b", (8, 12, 64, 256))], [t("y", (8, 12, 128, 256))]),
        8*12 * 128*256*64, 0, 8*12*(128*64 + 64*256)*2, 8*12*128*256*2),
    "matrix product with a transposed operand": (
        layer("a", "MatrixMultiply", [t("a", (4, 128, 64)), t("b", (4, 256, 64))], [t("y", (4, 128, 256))]),
        4 * 128*256*64, 0, 4*(128*64 + 256*64)*2, 4*128*256*2),
    "matrix product with stored weights, bias and residual": (
        gemm("a", t("a", (8, 196, 384)), t("w", (384, 1536)), t("y", (8, 196, 1536)), t("b", (1536,)),
             t("r", (8, 196, 1536))),
        8*196 * 1536 * 384, 8*196*1536 * 2,
        (8*196*384 + 384*1536 + 1536 + 8*196*1536)*2, 8*196*1536*2),
    "weights of four bits": (
        gemm("a", t("a", (1, 4096)), t("w", (4096, 11008), "INT4"), t("y", (1, 11008))),
        4096 * 11008, 0, 4096*2 + 4096*11008//2, 11008*2),
    "product whose output is reshaped": (
        gemm("a", t("a", (8, 196, 384)), t("w", (384, 1152)), t("y", (8, 196, 3, 6, 64))),
        8*196 * 1152 * 384, 0, (8*196*384 + 384*1152)*2, 8*196*1152*2),
    "three products of one operand in one kernel": (
        replace(gemm("a", t("a", (8, 196, 384)), t("w", (384, 1152)), t("q", (8, 6, 196, 64))),
                outputs=tuple(t(name, (8, 6, 196, 64)) for name in "qkv")),
        8*196 * 1152 * 384, 0, (8*196*384 + 384*1152)*2, 3 * 8*6*196*64*2),
    "fully connected": (
        layer("a", "FullyConnected", [t("x", (32, 512, 7, 7))], [t("y", (32, 1000, 1, 1))],
              weights=[stored("weights", "FP16", 25088 * 1000), stored("bias", "FP16", 1000)]),
        32 * 1000 * (512*49), 32*1000, (32*512*49 + 25088*1000 + 1000)*2, 32*1000*2),
    "GEMM with an unknown operand": (
        layer("a", "gemm", [t("a", (8, 384))], [t("y", (8, 1536))], weights=[stored("weights", "Unknown", None)]),
        8 * 1536 * 384, 0, 8*384*2 + 384*1536*2, 8*1536*2),
    "GEMV with an unknown matrix": (
        kgen("Mul Sum", [t("x", (1024, 1), "FP32")], [t("y", (1, 10), "FP32")], origins=["/fc/MatMul"]),
        10 * 1024, 0, 1024*4 + 10*1024*4, 10*4),
    "softmax and its greatest value": (
        layer("a", "LogSoftmaxTopK", [t("x", (8, 10))], [t("v", (8, 1)), t("i", (8, 1), "INT32")]),
        0, 7 * 80, 160, 8*2 + 8*4),
    "self-attention": (
        kgen("gemm mha", [t("q", (8, 6, 198, 64)), t("k", (8, 6, 198, 64)), t("v", (8, 6, 198, 64))],
             [t("y", (8, 6, 198, 64))]),
        2 * 8*6 * 198*198*64,                   # Q·Kᵀ and scores·V
        5 * 8*6 * 198*198,                      # softmax over the scores
        3 * 8*6*198*64*2, 8*6*198*64*2),
    "cross-attention, keys transposed, with a mask": (
        kgen("gemm mha", [t("q", (2, 8, 1536, 40)), t("k", (2, 8, 40, 77)), t("v", (2, 8, 77, 40)),
                          t("m", (1, 1, 1536, 77))], [t("y", (2, 8, 1536, 40))]),
        2 * 2*8 * 1536*77*40, 6 * 2*8 * 1536*77,
        (2*8*1536*40 + 2 * 2*8*77*40 + 1536*77)*2, 2*8*1536*40*2),
    "grouped-query attention of one new token": (
        kgen("gemm mha", [t("q", (1, 32, 1, 128)), t("k", (1, 8, 2048, 128)), t("v", (1, 8, 2048, 128))],
             [t("y", (1, 32, 1, 128))]),
        2 * 32 * 2048*128,                      # 32 heads of queries over 8 of keys and values
        5 * 32 * 2048, (32*128 + 2 * 8*2048*128)*2, 32*128*2),
    "grouped-query attention whose keys and values come first": (
        kgen("gemm mha", [t("k", (1, 4, 128, 64)), t("v", (1, 4, 128, 64)), t("q", (16, 128, 64)),
                          t("m", (1, 1, 128, 128))], [t("y", (16, 128, 64))]),
        2 * 16 * 128*128*64, 6 * 16 * 128*128,
        (2 * 4*128*64 + 16*128*64 + 128*128)*2, 16*128*64*2),
    "attention by batch, tokens, heads": (
        kgen("gemm mha", [t("q", (2, 256, 8, 64)), t("k", (2, 256, 8, 64)), t("v", (2, 256, 8, 64))],
             [t("y", (2, 256, 512))]),
        2 * 2*8 * 256*256*64,                   # 8 heads, from the output's width of 8·64
        5 * 2*8 * 256*256, 3 * 2*256*512*2, 2*256*512*2),
    "generated elementwise kernel": (
        kgen("Add Mul Relu", [t("a", (4, 128, 256)), t("b", (256,))], [t("y", (4, 128, 256))]),
        0, 3 * 4*128*256, (4*128*256 + 256)*2, 4*128*256*2),
    "generated layer normalization": (
        kgen("Mean Sub Mul Mean Add Sqrt Div Mul Mul Add", [t("x", (4, 128, 256))], [t("y", (4, 128, 256))],
             [t("g", (256,)), t("s", (256,))]),
        0, 10 * 4*128*256, (4*128*256 + 2*256)*2, 4*128*256*2),
    "generated split": (
        kgen("Resh Tran Slic Slic Slic", [t("x", (1568, 1152))], [t(name, (8, 6, 196, 64)) for name in "qkv"]),
        0, 0, 1568*1152*2, 3 * 8*6*196*64*2),
    "generated slice of a large tensor": (
        kgen("Slic Cast", [t("x", (32, 4096), "FP32")], [t("y", (32, 16))]),
        0, 0, 32*16*4, 32*16*2),                # reads what it writes, in the type of what it reads
    "generated embedding": (
        kgen("Gath Add", [t("i", (1, 128), "INT32"), t("p", (1, 128, 768))], [t("y", (1, 128, 768))],
             [t("table", (50257, 768))]),
        0, 128*768, 128*4 + 128*768*2 + 128*768*2, 128*768*2),  # 128 rows of the table, not all 50257
    "generated embedding and layer normalization": (
        kgen("Gath Add Mean Sub Mul Mean Add Sqrt Div Mul Mul Add",
             [t("i", (1, 128), "INT32"), t("p", (1, 128, 768))], [t("y", (1, 128, 768))],
             [t("table", (50257, 768)), t("g", (768,)), t("s", (768,))]),
        0, 11 * 128*768, 128*4 + 128*768*2 + 128*768*2 + 2*768*2, 128*768*2),
    "embedding": (
        layer("a", "Gather", [t("table", (50257, 768), "FP16"), t("i", (1, 128), "INT64")], [t("y", (1, 128, 768))]),
        0, 0, 128*768*2 + 128*8, 128*768*2),
    "softmax": (
        layer("a", "SoftMax", [t("x", (8, 12, 128, 128))], [t("y", (8, 12, 128, 128))], subtype="CudaSoftMax"),
        0, 5 * 8*12*128*128, 8*12*128*128*2, 8*12*128*128*2),
    "mean over two dimensions": (
        layer("a", "Reduce", [t("x", (8, 64, 7, 7))], [t("y", (8, 64, 1, 1))], Operation="AVG"),
        0, 8*64 * (48 + 1), 8*64*49*2, 8*64*2),  # 48 additions and a division for each of 8·64
    "maximum over a dimension": (
        layer("a", "Reduce", [t("x", (8, 1000))], [t("y", (8, 1))], Operation="MAX"), 0, 8 * 999, 8*1000*2, 8*2),
    "layer normalization": (
        layer("a", "Normalization", [t("x", (8, 196, 384))], [t("y", (8, 196, 384))],
              weights=[stored("weights", "FP16", 384), stored("weights", "FP16", 384)]),
        0, 7 * 8*196*384, 8*196*384*2 + 2*384*2, 8*196*384*2),
    "bilinear resize": (
        layer("a", "Resize", [t("x", (1, 64, 32, 32))], [t("y", (1, 64, 64, 64))], ResizeMode="kLINEAR"),
        0, 64*64*64 * (4 + 3),                  # 4 neighbors: 4 multiplications, 3 additions
        64*32*32*2, 64*64*64*2),
    "nearest resize": (
        layer("a", "Resize", [t("x", (1, 64, 32, 32))], [t("y", (1, 64, 64, 64))], ResizeMode="kNEAREST"),
        0, 0, 64*32*32*2, 64*64*64*2),
    "slice with a step": (
        layer("a", "Slice", [t("x", (1, 16, 64, 64))], [t("y", (1, 16, 32, 64))],
              Start=[0, 0, 1, 0], Stride=[1, 1, 2, 1], Size=[1, 16, 32, 64]),
        0, 0, 16*32*64*2, 16*32*64*2),
    "slice of padded channels": (
        layer("a", "Slice", [t("x", (1, 40, 8, 8), "INT8", "NC/32HW32")], [t("y", (1, 8, 8, 8), "INT8", "NC/32HW32")],
              Start=[0, 0, 0, 0], Stride=[1, 1, 1, 1]),
        0, 0, 32*8*8, 32*8*8),                  # 8 channels take a vector of 32
    "concatenation": (
        layer("a", "Concatenation", [t("x", (1, 16, 8, 8)), t("z", (1, 8, 8, 8))], [t("y", (1, 24, 8, 8))]),
        0, 0, 24*64*2, 24*64*2),
    "copy into the region of a concatenation": (
        layer("a", "Reformat", [t("x", (1, 16, 8, 8))], [t("y", (1, 24, 8, 8))]), 0, 0, 16*64*2, 16*64*2),
    "quantization to FP8": (
        layer("a", "Reformat", [t("x", (4, 128, 256))], [t("y", (4, 128, 256), "FP8")], Origin="QDQ"),
        0, 2 * 4*128*256, 4*128*256*2, 4*128*256),
    "dequantization of odd four-bit values": (
        layer("a", "Dequantize", [t("x", (3, 5), "INT4")], [t("y", (3, 5))]),
        0, 15, 8, 15*2),                        # 15 values of 4 bits take 8 bytes
    "pointwise with padded channels": (
        layer("a", "PointWise", [t(name, (1, 40, 8, 8), "INT8", "NC/32HW32") for name in "xz"],
              [t("y", (1, 40, 8, 8), "INT8", "NC/32HW32")],
              Operations=["auto const v0 = pwgen::iPlus(arg0, arg1);", "auto const v1 = pwgen::iMax(v0, literal0);"]),
        0, 2 * 40*8*8, 2 * 64*8*8, 64*8*8),     # work of 40 channels, bytes of 64
    "top five of a thousand": (
        layer("a", "TopK", [t("x", (8, 1000), "FP32")], [t("v", (8, 5), "FP32"), t("i", (8, 5), "INT32")]),
        0, 8*1000, 8*1000*4, 8*5*8),
    "plugin": (
        layer("a", "PluginV2", ["x"], ["y"], PluginType="Mine"), None, None, 8*4*4*2, 8*4*4*2),
    "region of Myelin": (
        layer("{ForeignNode[a...b]}", "Myelin", ["x"], ["y"], weights=[stored("weights", "FP16", None)]),
        None, None, None, 8*4*4*2),
    "kernel that hides a product": (
        kgen("Add Gemm Resh", [t("a", (128, 64)), t("b", (64,)), t("w", (64, 32))], [t("y", (4, 8, 4, 32))]),
        None, 128*32 * 1, (128*64 + 64 + 64*32)*2, 4*8*4*32*2),
    "kernel with an unknown token": (
        kgen("Add Xyzw", [t("x")], [t("y")]), None, None, 8*4*4*2, 8*4*4*2),
    "product of unknown batch": (
        gemm("a", t("a", (None, 384)), t("w", (384, 1536)), t("y", (None, 1536))), None, 0, None, None),
}
# fmt: on


@pytest.mark.parametrize("name", CASES)
def test_made_layers(name: str):
    built, macs, other, read, written = CASES[name]
    work = work_of(built)
    assert (work.macs, work.other_ops, work.bytes_read, work.bytes_written) == (macs, other, read, written)
    assert work.confidence == 1 or work.reason


@pytest.mark.parametrize("row", EXAMPLES, ids=lambda row: f"{row.engine}-{row.index}")
def test_layers_of_the_examples(row: Row):
    """The same for machines without real engines."""
    plan = synthetic_engine(row.engine)
    assert plan.working_layers[row.index].name.startswith(row.name)
    work = Performance(plan).works[row.index]
    result = (work.kind, work.macs, work.other_ops, work.bytes_read, work.bytes_written)
    assert result == (row.kind, row.macs, row.other, row.read, row.written)
