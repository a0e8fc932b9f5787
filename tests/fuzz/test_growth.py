"""Growth: twice the input takes about twice the steps, however its layers, names and lines refer to each other.

A step is a line of Python that runs: their number is the same on every machine, however busy it is.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt
from typing import Any

import pytest

from tests.raw_records import Record, layer, tensor
from tests.rules.cases import plan_of, reports
from tests.simulator.models import Net
from tests.steps import steps
from tests.traced_memory import peak_bytes
from trex.builder.build_statements import phases as build_phases
from trex.builder.tactics import Tactics
from trex.core.note import Note
from trex.export.documents.csv import safe_cell
from trex.ingest.build_log.build_log import parse_build_log
from trex.ingest.finding.file_names import stripped
from trex.ingest.logs.log_sections import add_performance
from trex.ingest.spelling.tensor_formats import parse_format
from trex.perf.performance import Performance
from trex.plan.lifetimes import lifetimes_of
from trex.plan.time_notes import TIMES_CONTRADICT
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.attention import unfused_blocks
from trex.rules.qdq_report import qdq_report
from trex.views.qdq import qdq_document

COUNT = 160


def single(name: str) -> Record:
    return tensor(name, written="Row major linear FP32")


def int8(name: str) -> Record:
    return tensor(name, written="Row major linear Int8 format")


def of(*records: Record, notes: tuple[Note, ...] = ()) -> AnalyzedEngine:
    return AnalyzedEngine(Performance(plan_of(records, notes=notes)))


def qdq(engine: AnalyzedEngine) -> None:
    qdq_document(engine, qdq_report(engine))


# ---- Engines


def meshed_copies(count: int) -> AnalyzedEngine:
    """Eight levels of copies that each read all of the level before: as many paths as the width to the eighth."""
    width = isqrt(count // 4)
    records, level = [layer("c", "gemm", [int8("x")], [single("0")])], ["0"]
    for depth in range(8):
        names = [f"{depth}.{index}" for index in range(width)]
        records += [layer(name, "Reformat", map(single, level), [single(name)]) for name in names]
        level = names
    return of(*records)


def copied_by_one(count: int) -> AnalyzedEngine:
    """Many quantized layers, one copy of all of them, many readers of the copy."""
    return of(
        *(layer(f"Conv_{index}", "CaskConvolution", [int8("x")], [single(f"a{index}")]) for index in range(count)),
        layer("copy", "Reformat", [single(f"a{index}") for index in range(count)], [single("b")]),
        *(layer(f"Pool_{index}", "Pooling", [single("b")], [single(f"c{index}")]) for index in range(count)),
    )


def read_by_adds(count: int) -> AnalyzedEngine:
    """A layer with many outputs, and an add for each of them."""
    return of(
        layer("c", "CaskConvolution", [int8("x")], [int8(f"a{index}") for index in range(count)]),
        *(
            layer(f"Add_{index}", "CaskConvolution", [int8(f"a{index}"), int8("w")], [int8(f"b{index}")])
            for index in range(count)
        ),
    )


def added_in_one(count: int) -> AnalyzedEngine:
    """Many generated kernels write floats, next to what is quantized, for one kernel of many adds."""
    name = " + ".join(f"Add_{index}" for index in range(count))
    return of(
        layer("c", "gemm", [int8("x")], [single("s")]),
        *(layer(f"k{n}", "kgen", [single("s")], [int8(f"q{n}"), single(f"f{n}")]) for n in range(count)),
        layer(name, "ElementWise", [single(f"f{index}") for index in range(count)], [single("z")]),
    )


def after_convolutions(operator: str) -> Callable[[int], AnalyzedEngine]:
    """Many quantized convolutions write floats for one kernel of many operators."""

    def make(count: int) -> AnalyzedEngine:
        name = " + ".join(f"{operator}_{index}" for index in range(count))
        return of(
            *(layer(f"Conv_{index}", "Convolution", [int8("x")], [single(f"f{index}")]) for index in range(count)),
            layer(name, "PointWise", [single(f"f{index}") for index in range(count)], [single("z")]),
            layer("Clip_0", "PointWise", [single("z")], [single("y")]),
        )

    return make


def named_after_weights(count: int) -> AnalyzedEngine:
    name = " + ".join(f"w{index}.weight + QuantizeLinear_{index}" for index in range(count))
    return of(layer(name, "CaskGemmConvolution", ["x"], ["y"]))


def reformatted_for_each(count: int) -> AnalyzedEngine:
    """One reformat is many Q/DQ, and many reformats read it."""
    name = " + ".join(f"QuantizeLinear_{index}" for index in range(count))
    return of(
        layer(name, "Reformat", ["x"], ["a"]),
        *(layer(f"copy_{index}", "Reformat", ["a"], [f"b{index}"]) for index in range(count)),
    )


def with_problems(count: int) -> AnalyzedEngine:
    notes = (Note(TIMES_CONTRADICT, f"contradiction {index}", severity="problem") for index in range(count))
    return of(layer("a", inputs=["x"], outputs=["y"]), notes=tuple(notes))


def softmax_of_many_outputs(count: int) -> AnalyzedEngine:
    outputs = [tensor(f"b{index}", (1, 8, 4, 64 + index)) for index in range(count)]
    return of(
        layer("MatMul_0", "gemm", ["x", "k"], ["a"]),
        layer("Softmax_0", "SoftMax", ["a"], outputs),
        layer("MatMul_1", "gemm", [outputs[0], "v"], ["y"]),
    )


def normalized_by_one_root(count: int) -> AnalyzedEngine:
    """Many means for one root, many divisions by it."""
    return of(
        *(layer(f"ReduceMean_{index}", "Reduce", ["x"], [f"m{index}"]) for index in range(count)),
        layer("Sqrt_0", "ElementWise", [f"m{index}" for index in range(count)], ["r"]),
        *(layer(f"Div_{index}", "ElementWise", ["r"], [f"y{index}"]) for index in range(count)),
    )


def softmaxes_for_one_reader(count: int) -> AnalyzedEngine:
    """Many softmaxes, one kernel that reads all, many readers of it."""
    return of(
        *(layer(f"Softmax_{index}", "SoftMax", ["x"], [f"s{index}"]) for index in range(count)),
        layer("c", "PointWise", [f"s{index}" for index in range(count)], ["z"]),
        *(layer(f"Add_{index}", "PointWise", ["z"], [f"y{index}"]) for index in range(count)),
    )


def attention_of_shared_products(count: int) -> AnalyzedEngine:
    """Two matrix products, and many softmaxes between them."""
    return of(
        layer("MatMul_0", "gemm", ["x", "k"], [f"s{index}" for index in range(count)]),
        *(layer(f"Softmax_{index}", "SoftMax", [f"s{index}"], [f"p{index}"]) for index in range(count)),
        layer("MatMul_1", "gemm", [f"p{index}" for index in range(count)], ["y"]),
    )


def islands_of_one_writer(count: int) -> AnalyzedEngine:
    """A convolution of many outputs, a pooling and a quantizer for each."""
    numbers = range(count)
    return of(
        layer("Conv_0", "Convolution", [int8("x")], [single(f"f{index}") for index in numbers]),
        *(layer(f"Pool_{index}", "Pooling", [single(f"f{index}")], [single(f"g{index}")]) for index in numbers),
        *(layer(f"Q_{index}", "Reformat", [single(f"g{index}")], [int8(f"q{index}")]) for index in numbers),
        *(layer(f"Conv_1{index}", "Convolution", [int8(f"q{index}")], [int8(f"y{index}")]) for index in numbers),
    )


def islands_of_one_quantizer(count: int) -> AnalyzedEngine:
    """Many poolings, one quantizer of all, many convolutions that read it."""
    numbers = range(count)
    return of(
        layer("Conv_0", "Convolution", [int8("x")], [single("f")]),
        *(layer(f"Pool_{index}", "Pooling", [single("f")], [single(f"g{index}")]) for index in numbers),
        layer("Q", "Reformat", [single(f"g{index}") for index in numbers], [int8("q")]),
        *(layer(f"Conv_1{index}", "Convolution", [int8("q")], [int8(f"y{index}")]) for index in numbers),
    )


def dequantized_for_one(count: int) -> AnalyzedEngine:
    """A model of many dequantizers, one concatenation of all, many quantizers of it; layers that name the ends."""
    net = Net(**{f"x{index}": (1, 4) for index in range(count)})
    for index in range(count):
        net.add("DequantizeLinear", f"x{index} s", f"d{index}", 1, 4, name=f"DQ_{index}")
    net.add("Concat", " ".join(f"d{index}" for index in range(count)), "c", 1, 4, name="Concat")
    for index in range(count):
        net.add("QuantizeLinear", "c s", f"q{index}", 1, 4, name=f"Q_{index}")
    plan = plan_of([layer("Concat", "Concat", [int8("x0")], [int8("q0")])])
    plan.model = net.model("q0")
    return AnalyzedEngine(Performance(plan))


def copied_for_one_scatter(count: int) -> AnalyzedEngine:
    """Many copies, and a kernel that writes a part of each."""
    records = [layer(f"__myl_Move_myl0_{index}", "kgen", ["x"], [f"m{index}"]) for index in range(count)]
    records.append(layer(f"__myl_Scat_myl0_{count}", "kgen", [f"m{index}" for index in range(count)], ["y"]))
    return AnalyzedEngine(Performance(plan_of(records, {record["Name"]: 0.1 for record in records})))


def written_twice(count: int) -> AnalyzedEngine:
    names = [f"a{index}" for index in range(count)]
    return of(*(layer(writer, "Myelin", ["x"], names) for writer in "vw"), layer("r", "Myelin", names, ["y"]))


# ---- Logs


HEAD = "[V] [TRT] Original: 10 layers\n[V] [TRT] After dead-layer removal: 10 layers\n"


def verdicts(count: int) -> str:
    begin = "[V] [TRT] Building graph using backend strategy 1\n"
    return HEAD + begin * count + "[V] [TRT] Use backend strategy 2 with estimated inference time (1.0)\n" * count


def phases(count: int) -> Tactics:
    selection = "[V] [TRT] Formats and tactics selection completed in 1 seconds.\n" * 10 * count
    compilation = "[V] [TRT] Subgraph compilation completed in 1 seconds.\n" * 10 * count
    return Tactics(parse_build_log((HEAD + selection + compilation).encode(), ""))


def builds(count: int) -> str:
    begin = "&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=m.onnx\n"
    return (begin + "[V] [TRT] Engine generation completed in 1 seconds.\n") * count


@pytest.mark.parametrize(
    ("maker", "work"),
    [
        (meshed_copies, lambda engine: reports("quantized-layer-writes-float", engine)),
        (copied_by_one, lambda engine: reports("quantized-layer-writes-float", engine)),
        (read_by_adds, qdq),
        (added_in_one, qdq),
        (added_in_one, lambda engine: reports("quantized-layer-writes-float", engine)),
        (after_convolutions("Mul"), lambda engine: reports("quantized-layer-writes-float", engine)),
        (named_after_weights, qdq),
        (reformatted_for_each, qdq),
        (with_problems, lambda engine: reports("contradictory-times", engine)),
        (softmax_of_many_outputs, unfused_blocks),
        (normalized_by_one_root, lambda engine: reports("unfused-layer-norm", engine)),
        (softmaxes_for_one_reader, unfused_blocks),
        (attention_of_shared_products, lambda engine: reports("unfused-attention", engine)),
        (islands_of_one_writer, lambda engine: reports("float-island", engine)),
        (islands_of_one_quantizer, lambda engine: reports("float-island", engine)),
        (dequantized_for_one, qdq),
        (copied_for_one_scatter, lambda engine: reports("copied-by-slice-or-concat", engine)),
        (written_twice, lambda engine: lifetimes_of(engine.plan.engine)),
        (verdicts, lambda log: parse_build_log(log.encode(), "")),
        (phases, lambda tactics: build_phases(tactics, 0)),
        (builds, lambda log: parse_build_log(log.encode(), "")),
    ],
)
def test_steps_grow_with_the_input(maker: Callable[[int], Any], work: Callable[[Any], object]) -> None:
    small, large = maker(COUNT), maker(2 * COUNT)
    work(maker(1))  # what is only done once, such as imports
    assert steps(lambda: work(large)) < 2.3 * steps(lambda: work(small))


@pytest.mark.parametrize(
    ("maker", "work"),
    [(after_convolutions("Add"), lambda engine: reports("quantized-layer-writes-float", engine))],
)
def test_memory_grows_with_the_input(maker: Callable[[int], Any], work: Callable[[Any], object]) -> None:
    """Where a step copies a whole list: a step each, however long the list is."""
    small, large = maker(2 * COUNT), maker(4 * COUNT)
    work(maker(1))
    assert peak_bytes(lambda: work(large)) < 2.7 * peak_bytes(lambda: work(small))


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "read",
    [
        lambda letters: stripped(letters + " "),
        lambda letters: stripped(" " * len(letters) + "!"),
        lambda letters: parse_format(f"Row major {letters}"),
        lambda letters: add_performance({}, {}, f"Latency: {letters}"),
        lambda letters: safe_cell(f"+{'1' * len(letters)}x"),
    ],
)
def test_a_pattern_looks_once_at_each_letter(read: Callable[[str], object]) -> None:
    """Not minutes: steps of the regular expressions are not Python's."""
    read("a" * 300_000)
