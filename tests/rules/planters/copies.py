"""Planters of the rules on reformats and copies."""

from __future__ import annotations

from dataclasses import replace

from tests.factories import t
from tests.rules.inspections import conv, copy, work
from tests.rules.planted import KERNEL, Planter
from tests.rules.planters.parts import Parts, int8, pair, shaped
from trex.core.tensor import Tensor


def ping_pong(x: Tensor, bad: bool) -> Parts:
    if not bad:
        return [(work("Norm_902", "Normalization", [x], shaped(x, "c902")), 0.05)]
    rows = shaped(x, "b901", format_="NCHW"), shaped(x, "c902", format_="NCHW")
    return [
        (copy("Reformat_901", x, rows[0]), 0.03),
        (work("Norm_902", "PluginV2", [rows[0]], rows[1], PluginType="Norm_TRT"), 0.02),
        (copy("Reformat_903", rows[1], shaped(x, "d903")), 0.03),
    ]


def redundant(x: Tensor, bad: bool) -> Parts:
    rows = shaped(x, "b901", format_="NCHW")
    if bad:
        return [(copy("Reformat_901", x, rows), 0.03), (copy("Reformat_902", rows, shaped(x, "c902")), 0.03)]
    return [
        (copy("Reformat_901", x, rows), 0.03),
        (work("Softmax_902", "SoftMax", [rows], shaped(x, "c902", format_="NCHW")), 0.3),
        (copy("Reformat_903", shaped(x, "c902", format_="NCHW"), shaped(x, "d903")), 0.03),
    ]


def at_output(x: Tensor, bad: bool) -> Parts:
    wide = t("o901", x.shape, "FP32")
    if bad:
        return [(copy("Reformat_901", x, wide), 0.05)]
    return [
        (copy("Reformat_901", x, wide), 0.02),
        (work("Softmax_902", "SoftMax", [wide], t("o902", x.shape, "FP32")), 0.1),
    ]


def converting(x: Tensor, bad: bool) -> Parts:
    there = shaped(x, "b901", "FP32") if bad else shaped(x, "b901", "FP16", "NCHW")
    return [
        (copy("Cast_901", x, there, "CAST" if bad else "REFORMAT"), 0.03),
        (work("Softmax_902", "SoftMax", [there], replace(there, name="c902")), 0.05),
    ]


def reformats(x: Tensor, bad: bool) -> Parts:
    rows = shaped(x, "b901", format_="NCHW")
    cost = 0.2 if bad else 0.001
    return [
        (copy("Reformat_901", x, rows), cost),
        (work("Softmax_902", "SoftMax", [rows], shaped(x, "c902", format_="NCHW")), 0.05),
        (copy("Reformat_903", shaped(x, "c902", format_="NCHW"), shaped(x, "d903")), cost),
    ]


def sliced(x: Tensor, bad: bool) -> Parts:
    parts = [shaped(x, name, format_="NCHW") for name in ("b901", "c902")]
    names = ("reshape_after_Gemm_901_copy_input", "reshape_after_Gemm_902_copy_input")
    plain = ("Reformatting CopyNode for Input Tensor 0 to Softmax_903", "Reformatting CopyNode for Softmax_904")
    return [
        *(
            (copy(name, x, part, "SLICE" if bad else "REFORMAT"), 0.04)
            for name, part in zip(names if bad else plain, parts)
        ),
        (work("Softmax_903", "SoftMax", [parts[0]], shaped(x, "d903", format_="NCHW")), 0.05),
        (work("Softmax_904", "SoftMax", [parts[1]], shaped(x, "e904", format_="NCHW")), 0.05),
    ]


def slice_of_type(x: Tensor, bad: bool) -> Parts:
    there = int8(x, "b901") if bad else shaped(x, "b901")
    return [
        (work("Slice_901", "Slice", [x], there), 0.04),
        (conv("Conv_902", [there], shaped(x, "c902"), tactic="" if bad else KERNEL), 0.05),
    ]


PLANTERS: dict[str, Planter] = {
    "reformat-ping-pong": pair(ping_pong),
    "redundant-reformat-pair": pair(redundant),
    "reformat-at-binding": pair(at_output),
    "type-converting-reformat": pair(converting),
    "share-of-reformats": pair(reformats),
    "copied-by-slice-or-concat": pair(sliced),
    "type-converting-slice": pair(slice_of_type),
    "slowing-plugin": pair(ping_pong),
}
