"""Mutants of ONNX models through every door that reads ONNX: an engine, a table or a TrexError, in bounded time.

    python -m tests.fuzz.onnx_mutations --seconds 60               until something is found
    python -m tests.fuzz.onnx_mutations --seconds 1800 --keep-going FOLDER
    python -m tests.fuzz.onnx_mutations FOLDER/0123abcd.onnx       once more what was found

The seeds are the test models inside the package ``onnx``, the package's example networks and small models of the tests.
A mutant differs from its seed by one to five changes: names of ends doubled, emptied or crossed, nodes dropped,
shuffled, repeated or inserted, attributes, shapes, types, opsets and stored data that are false. ONNX's own C++ code
runs in a process of its own that is kept, else each mutant would wait for Python to start. A finding is fixed where it
belongs, and its smallest form goes into ``tests/test_onnx_damage.py`` or a test of the pass.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures import TimeoutError as TooLong
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, redirect_stdout, suppress
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import onnx
from google.protobuf.message import DecodeError
from onnx import TensorProto, helper

from tests.fuzz.doors import check_error, check_notes
from tests.fuzz.time_limit import time_limit
from tests.onnx_models import Net as ModelNet
from tests.onnx_models import infer_here, quantized, resnet18, transformer
from trex.core.data_type import DataType
from trex.core.shape import Shape
from trex.ingest import onnx_model, onnx_shapes
from trex.ingest.onnx_child import OnnxChildResult
from trex.ingest.onnx_model import input_shapes, read_model, written_ends
from trex.perf.recognize import find_device
from trex.simulator.model_edit import EDITS
from trex.simulator.simulation import simulate
from trex.simulator.target import Target, simulated_release
from trex.simulator.what_if import what_if_results, what_if_rows

LARGEST_SEED = 200_000
SLOWEST_S = 60
"""A mutant that takes longer is a finding; a whole ResNet takes one second."""
MEMORY_BYTES = 6 << 30
_SIZES = (0, 1, 2, 3, -1, -2, 7, 1 << 20, 1 << 31, (1 << 40) + 1, 10**12, (1 << 63) - 1, -(1 << 63))
_NUMBERS = (0.0, -1.0, 1e38, float("inf"), float("nan"))
_NAMES = (
    "",
    " ",
    "a\nb",
    "\x1b[31m",
    "::error::x",
    "../../x",
    "x" * 5000,
    "\u202e",
    "a+b",
    "\ud7ff",
    "]x[",
    "0",
    "None",
)
_TYPES = tuple(TensorProto.DataType.values())
_DOMAINS = ("", "ai.onnx", "com.microsoft", "ai.onnx.ml", "trt.plugins", "\n")
_COMMON = (
    "Relu", "Concat", "MaxPool", "Transpose", "Reshape", "QuantizeLinear", "DequantizeLinear", "Add", "Mul", "Conv",
    "MatMul", "Gemm", "Slice", "Pad", "Cast", "Identity", "Squeeze", "Unsqueeze", "Tile", "Expand", "Softmax",
    "Resize", "Split", "Gather", "Shape", "ConstantOfShape", "Range", "Flatten", "BatchNormalization",
    "LayerNormalization", "GlobalAveragePool", "ConvTranspose", "Einsum", "TopK", "Loop", "If", "Attention", "Clip",
)  # fmt: skip


# --------------------------------------------------------------------------------------------------------------- seeds


def seeds(*, every_operator: bool = False) -> list[bytes]:
    """Models to begin with, smallest first. every_operator: also those of ONNX's own test of each operator, which take
    seconds to make.
    """
    folder = Path(onnx.__file__).parent / "backend/test/data"
    models = [path.read_bytes() for path in sorted(folder.rglob("*.onnx")) if path.stat().st_size <= LARGEST_SEED]
    models += [model.proto().SerializeToString() for model in _own()]
    if every_operator:
        from onnx.backend.test.case.node import collect_testcases

        models += [case.model.SerializeToString() for case in collect_testcases(None) if case.model is not None]
    return sorted({data for data in models if len(data) <= LARGEST_SEED}, key=lambda data: (len(data), data))


def _own() -> Iterator[ModelNet]:
    yield resnet18()
    yield resnet18(is_quantized=True)
    yield transformer(1)
    for inner in ("MaxPool", "Concat", "Transpose", "Relu", "Identity"):
        net = ModelNet()
        x = quantized(net, net.input("x", (1, 8, 16, 16)), "before")
        how = {"kernel_shape": [2, 2]} if inner == "MaxPool" else {"axis": 1} if inner == "Concat" else {}
        y = net.node(inner, *([x, x] if inner == "Concat" else [x]), **how)
        y = quantized(net, y, "after")
        net.output(net.node("Conv", y, quantized(net, net.weight(8, 16 if inner == "Concat" else 8, 1, 1), "w")))
        yield net


# ----------------------------------------------------------------------------------------------------------- mutations


def mutant(data: bytes, random: Random) -> bytes:
    """A model with one to five changes; sometimes its bytes are damaged, too."""
    model = onnx.load_model_from_string(data)
    for _ in range(random.choice((1, 1, 1, 2, 3, 5))):
        with suppress(
            IndexError, ValueError, TypeError, DecodeError
        ):  # nothing there to change, or protobuf refuses the value
            random.choice(_MUTATIONS)(model, random)
    changed = bytearray(model.SerializeToString())
    if random.random() < 0.03 and changed:
        changed[random.randrange(len(changed))] = random.randrange(256)
    return bytes(changed)


def _node(model: onnx.ModelProto, random: Random) -> onnx.NodeProto:
    return random.choice(model.graph.node)


def _some_name(model: onnx.ModelProto, random: Random) -> str:
    """Of a value in the graph."""
    graph = model.graph
    names = [name for node in graph.node for name in (*node.input, *node.output)]
    names += [entry.name for group in (graph.input, graph.output, graph.initializer) for entry in group]
    return random.choice(names)


def _change_end(model: onnx.ModelProto, random: Random) -> None:
    """An input or output of a node: left out, of another name, doubled, removed."""
    node = _node(model, random)
    ends = random.choice((node.input, node.output))
    way, index = random.randrange(5), random.randrange(len(ends) or 1)
    if way == 0:
        ends[index] = ""
    elif way == 1:
        ends[index] = _some_name(model, random)
    elif way == 2:
        ends.append(_some_name(model, random))
    elif way == 3:
        del ends[index]
    else:
        ends[index] = random.choice(_NAMES)


def _empty_ends(model: onnx.ModelProto, random: Random) -> None:
    node = _node(model, random)
    del random.choice((node.input, node.output))[:]


def _drop_node(model: onnx.ModelProto, random: Random) -> None:
    del model.graph.node[random.randrange(len(model.graph.node))]


def _repeat_node(model: onnx.ModelProto, random: Random) -> None:
    model.graph.node.append(_node(model, random))


def _shuffle(model: onnx.ModelProto, random: Random) -> None:
    nodes = list(model.graph.node)
    random.shuffle(nodes)
    del model.graph.node[:]
    model.graph.node.extend(nodes)


def _cycle(model: onnx.ModelProto, random: Random) -> None:
    """A node reads what it, or a later one, writes."""
    nodes = model.graph.node
    reader = random.randrange(len(nodes))
    writer = nodes[random.randrange(reader, len(nodes))]
    nodes[reader].input[random.randrange(len(nodes[reader].input))] = random.choice(writer.output)


def _insert_node(model: onnx.ModelProto, random: Random) -> None:
    """Another operator between a value and its reader."""
    graph = model.graph
    at = random.randrange(len(graph.node))
    reader = graph.node[at]
    end = random.randrange(len(reader.input))
    others = [_some_name(model, random) for _ in range(random.randrange(3))]
    if random.random() < 0.5 and graph.initializer:
        others = [random.choice(graph.initializer).name for _ in others]
    name = f"inserted{random.randrange(1 << 30)}"
    node = helper.make_node(random.choice(_COMMON), [reader.input[end], *others], [name], name)
    reader.input[end] = name
    nodes = [*graph.node[:at], node, *graph.node[at:]]
    del graph.node[:]
    graph.node.extend(nodes)


def _quantize_between(model: onnx.ModelProto, random: Random) -> None:
    graph = model.graph
    at = random.randrange(len(graph.node))
    reader = graph.node[at]
    end = random.randrange(len(reader.input))
    number = random.randrange(1 << 30)
    scale = helper.make_tensor(f"scale{number}", TensorProto.FLOAT, random.choice(((), (1,), (2,), (0,))), [0.5, 0.5])
    del scale.float_data[max(1, *scale.dims, 1) :]
    graph.initializer.append(scale)
    made = [
        helper.make_node("QuantizeLinear", [reader.input[end], scale.name], [f"q{number}"], f"Q{number}"),
        helper.make_node("DequantizeLinear", [f"q{number}", scale.name], [f"d{number}"], f"D{number}"),
    ]
    reader.input[end] = f"d{number}"
    nodes = [*graph.node[:at], *made, *graph.node[at:]]
    del graph.node[:]
    graph.node.extend(nodes)


def _change_operator(model: onnx.ModelProto, random: Random) -> None:
    node = _node(model, random)
    if random.random() < 0.7:
        node.op_type = random.choice((*_COMMON, _node(model, random).op_type, random.choice(_NAMES)))
    else:
        node.domain = random.choice(_DOMAINS)


def _rename(model: onnx.ModelProto, random: Random) -> None:
    entry = random.choice(
        (_node(model, random), model.graph, random.choice((*model.graph.input, *model.graph.output)), *model.graph.node)
    )
    entry.name = random.choice((*_NAMES, _node(model, random).name))


def _change_attribute(model: onnx.ModelProto, random: Random) -> None:
    node = _node(model, random)
    way = random.randrange(4)
    if way == 0:
        del node.attribute[random.randrange(len(node.attribute))]
        return
    if way == 1:
        attribute = random.choice(node.attribute)
    else:
        known = _attributes_of(node.op_type)
        name = random.choice((*known, "axis", "perm", "pads", "to", "value")) if known else random.choice(_NAMES)
        attribute = next((entry for entry in node.attribute if entry.name == name), None) or node.attribute.add()
        attribute.name = name
    if way == 3 or not attribute.type:
        attribute.type = random.choice(onnx.AttributeProto.AttributeType.values())
    sizes = [random.choice(_SIZES) for _ in range(random.choice((0, 1, 2, 3, 4, 8, 40)))]
    attribute.i, attribute.f = random.choice(_SIZES), random.choice(_NUMBERS)
    attribute.s = random.choice((*_NAMES, "SAME_UPPER", "linear", "ij,jk->ik", "...,...->...", "NOTSET")).encode()
    del attribute.ints[:], attribute.floats[:], attribute.strings[:]
    attribute.ints.extend(sizes)
    attribute.floats.extend(random.choice(_NUMBERS) for _ in sizes)
    attribute.strings.extend(name.encode() for name in random.sample(_NAMES, min(3, len(sizes))))
    if attribute.type == onnx.AttributeProto.TENSOR:
        attribute.t.CopyFrom(_tensor(random))
    if attribute.type == onnx.AttributeProto.GRAPH:
        attribute.g.CopyFrom(onnx.GraphProto.FromString(model.graph.SerializeToString()))  # protobuf crashes on loops


def _attributes_of(operator: str) -> tuple[str, ...]:
    try:
        return tuple(onnx.defs.get_schema(operator).attributes)
    except onnx.defs.SchemaError:
        return ()


def _tensor(random: Random) -> TensorProto:
    tensor = TensorProto(name="made", data_type=random.choice((1, 6, 7, 9, 10, *_TYPES)))
    tensor.dims.extend(random.choice(_SIZES) for _ in range(random.choice((0, 1, 1, 2, 4, 40))))
    if random.random() < 0.7:
        tensor.raw_data = bytes(random.randrange(256) for _ in range(random.choice((0, 1, 4, 8, 64))))
    else:
        tensor.int64_data.extend(random.choice(_SIZES) for _ in range(random.randrange(5)))
    return tensor


def _change_stored(model: onnx.ModelProto, random: Random) -> None:
    """Stored data: other numbers, sizes or types, cut off, elsewhere, twice, gone."""
    graph = model.graph
    at = random.randrange(len(graph.initializer))
    tensor, way = graph.initializer[at], random.randrange(8)
    if way == 0:
        del graph.initializer[at]
    elif way == 1:
        graph.initializer.append(tensor)
    elif way == 2:
        tensor.raw_data = tensor.raw_data[: len(tensor.raw_data) // 2]
    elif way == 3:
        tensor.data_type = random.choice(_TYPES)
    elif way == 4:
        tensor.dims[random.randrange(len(tensor.dims))] = random.choice(_SIZES)
    elif way == 5:
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value=random.choice(("gone.bin", "/dev/zero", "../../etc/passwd", "")))
        tensor.external_data.add(key="length", value=str(10**12))
    elif way == 6:
        tensor.name = _some_name(model, random)
    else:
        name = tensor.name
        tensor.CopyFrom(_tensor(random))
        tensor.name = name


def _store_input(model: onnx.ModelProto, random: Random) -> None:
    """An input of a node becomes small stored numbers: sizes, axes, scales, whatever it is."""
    node = _node(model, random)
    count = random.choice((0, 1, 1, 2, 3, 4))
    dims = random.choice(((count,), (count,), (1, count), ()))
    numbers = [random.choice(_SIZES) for _ in range(count if dims else 1)]
    name = f"stored{random.randrange(1 << 30)}"
    model.graph.initializer.append(helper.make_tensor(name, TensorProto.INT64, dims, numbers))
    node.input[random.randrange(len(node.input))] = name


def _change_shape(model: onnx.ModelProto, random: Random) -> None:
    """A written shape: sizes 0, negative, huge and symbolic; no rank, or a rank of 40."""
    graph = model.graph
    kind = random.choice((*graph.input, *graph.input, *graph.output, *graph.value_info)).type.tensor_type
    way = random.randrange(6)
    dims = kind.shape.dim
    if way == 0:
        kind.ClearField("shape")
    elif way == 1:
        del dims[random.randrange(len(dims))]
    elif way == 2:
        for _ in range(random.choice((1, 2, 40))):
            dims.add().dim_value = random.choice(_SIZES)
    elif way == 3:
        random.choice(dims).dim_param = random.choice(("N", "batch", *_NAMES))
    elif way == 4:
        random.choice(dims).dim_value = random.choice(_SIZES)
    else:
        for dim in dims:
            dim.dim_value = random.choice(_SIZES)


def _change_type(model: onnx.ModelProto, random: Random) -> None:
    graph = model.graph
    info = random.choice((*graph.input, *graph.input, *graph.output, *graph.value_info))
    way = random.randrange(4)
    if way == 0:
        info.ClearField("type")
    elif way == 1:
        info.type.sequence_type.elem_type.tensor_type.elem_type = 1
    else:
        info.type.tensor_type.elem_type = random.choice(_TYPES)


def _change_ends(model: onnx.ModelProto, random: Random) -> None:
    """Inputs or outputs of the graph: gone, twice, more."""
    group = random.choice((model.graph.input, model.graph.output))
    way = random.randrange(4)
    if way == 0:
        del group[random.randrange(len(group))]
    elif way == 1:
        group.append(random.choice(group))
    elif way == 2:
        group.add().name = _some_name(model, random)
    else:
        random.choice(group).name = _some_name(model, random)


def _change_opset(model: onnx.ModelProto, random: Random) -> None:
    way = random.randrange(4)
    if way == 0:
        del model.opset_import[:]
    elif way == 1:
        model.opset_import.add(domain=random.choice(_DOMAINS), version=random.choice((1, 9, 99)))
    else:
        random.choice(model.opset_import).version = random.choice((-1, 0, 1, 6, 7, 9, 10, 11, 13, 17, 21, 99, 1 << 62))


def _nest(model: onnx.ModelProto, random: Random) -> None:
    """A node with the whole graph inside, up to 20 deep."""
    node = _node(model, random)
    graph = onnx.GraphProto()
    graph.CopyFrom(model.graph)
    if len(graph.node) > 20:
        del graph.node[20:], graph.initializer[:]
    for _ in range(random.choice((1, 1, 20))):
        outer = helper.make_graph(
            [helper.make_node("If", [_some_name(model, random)], ["o"], then_branch=graph)], "", [], []
        )
        graph = outer
    node.attribute.append(helper.make_attribute(random.choice(("then_branch", "body", "x")), graph))


def _function(model: onnx.ModelProto, random: Random) -> None:
    """A function of the model, which may call itself."""
    node = _node(model, random)
    body = [helper.make_node(random.choice((node.op_type, "Relu", "Gone")), ["a"], ["b"], domain=node.domain)]
    opsets = [helper.make_opsetid("", 17)]
    model.functions.append(helper.make_function(node.domain or "own", node.op_type, ["a"], ["b"], body, opsets))
    if random.random() < 0.5:
        node.domain = "own"


_MUTATIONS: tuple[Callable[[onnx.ModelProto, Random], None], ...] = (
    _change_end, _change_end, _change_end, _empty_ends, _drop_node, _repeat_node, _shuffle, _cycle, _insert_node,
    _insert_node, _insert_node, _quantize_between, _quantize_between, _change_operator, _change_operator, _rename,
    _change_attribute, _change_attribute, _change_attribute, _change_attribute, _change_stored, _change_stored,
    _store_input, _store_input, _change_shape, _change_shape, _change_type, _change_ends, _change_opset, _nest,
    _function,
)  # fmt: skip


# --------------------------------------------------------------------------------------------------------------- doors


def _target(random: Random, path: Path) -> Target:
    """Mostly with a size for each open dimension, so that something is left to simulate."""
    device = find_device(random.choice(("A100", "T4", "H100", "Orin")))
    is_strong = random.random() < 0.25
    allowed = () if is_strong else random.sample((DataType.FP16, DataType.BF16, DataType.INT8, DataType.FP8), 2)
    shapes: dict[str, Shape] = {}
    if random.random() < 0.9:
        open_shapes = {name: shape for name, shape in input_shapes(path).items() if shape and None in shape}
        size = random.choice((1, 2, 8))
        shapes = {name: tuple(size if at is None else at for at in shape) for name, shape in open_shapes.items()}
    release = simulated_release(random.choice(("8.4", "8.6", "10.4", "10.13", "11.1")))
    return Target(device, release, frozenset(allowed), is_strong, shapes)


def simulated(path: Path, random: Random) -> None:
    """``trex process --backend simulated`` without writing."""
    simulation = simulate(str(path), _target(random, path))
    check_notes(simulation.notes)
    inference = simulation.inference
    assert 0 <= inference.low_ms <= inference.compute_ms <= inference.high_ms < float("inf")
    assert len(simulation.engine.layer_ms) == len(simulation.engine.graph["Layers"])
    json.dumps(simulation.engine.graph, allow_nan=False)


def edited(path: Path, random: Random) -> None:
    """``trex whatif`` with some edits of the model."""
    target = _target(random, path)
    edits = [EDITS.load(name) for name in random.sample(EDITS.names, random.randrange(1, len(EDITS.names) + 1))]
    batches = random.choice(((None,), (1, 8), (1 << 40,)))
    rows = what_if_rows(what_if_results(str(path), target, [target.device], batches, edits))
    assert all(row["compute_ms"] is not None or row["reason"] for row in rows)


def captured(path: Path, random: Random) -> None:
    """``trex process --backend simulated``, its files written and read, the model next to them."""
    from trex.simulation import process

    words = random.choice(((), ("fp16",), ("int8", "fp16"), ("stronglyTyped",), ("best",)))
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(None):
        plan = process(path, Path(folder, "out"), *words, backend="simulated", device="A100")
        check_notes(plan.notes)
        assert len(plan.df) == len(plan.layers)


def read(path: Path, random: Random) -> None:
    """The model alone, at an engine's shapes."""
    model = read_model(path, {"x": (1, 3, 8, 8), "0": (2, None)}, is_asked=False)
    check_notes(model.notes)
    assert len(model.constants) >= len(model.initializers)
    for side in written_ends(path):
        assert all(isinstance(value.name, str) for value in side)


DOORS: tuple[Callable[[Path, Random], None], ...] = (simulated, simulated, simulated, edited, captured, read)


def through(data: bytes, random: Random, folder: Path, door: Callable[[Path, Random], None] | None = None) -> str:
    """The model through one door: what became of it, ``read`` or ``refused``; anything else is raised."""
    from trex.core.errors import TrexError

    path = folder / "mutant.onnx"
    path.write_bytes(data)
    with time_limit(seconds=SLOWEST_S):
        try:
            (door or random.choice(DOORS))(path, random)
        except TrexError as error:
            check_error(error)
            return "refused"
    return "read"


# --------------------------------------------------------------------------------------------- ONNX's code, next door


class Neighbor:
    """``trex.ingest.onnx_child`` with one process for all models; a new one after a crash or ten seconds."""

    def __init__(self) -> None:
        self.ended: Counter[str] = Counter()
        self._pool: ProcessPoolExecutor | None = None

    def inferred(self, data: bytes, *, is_strict: bool = False, spent_s: float = 0.0) -> OnnxChildResult:
        return self._call(_infer, data, is_strict)

    def inlined(self, data: bytes) -> OnnxChildResult:
        return self._call(_inline, data)

    def _call(self, job: Callable[..., tuple[bytes, str]], *arguments: Any) -> OnnxChildResult:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(1, get_context("spawn"), initializer=_limit_memory)
        try:
            return OnnxChildResult(*self._pool.submit(job, *arguments).result(timeout=10))
        except BrokenProcessPool:
            self.ended["crashes of onnx"] += 1
            self.close()
            return OnnxChildResult(problem="the package onnx crashed")
        except TooLong:
            self.ended["hangs of onnx"] += 1
            self.close()
            return OnnxChildResult(problem="it takes too long")

    def close(self) -> None:
        if self._pool is not None:
            for process in (self._pool._processes or {}).values():
                process.kill()
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None


def _limit_memory() -> None:
    with suppress(ImportError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _infer(data: bytes, is_strict: bool) -> tuple[bytes, str]:
    result = infer_here(data, is_strict=is_strict)
    return result.data, result.problem


def _inline(data: bytes) -> tuple[bytes, str]:
    from onnx.inliner import inline_local_functions

    try:
        return inline_local_functions(onnx.load_model_from_string(data)).SerializeToString(), ""
    except Exception as error:
        return b"", str(error)


@contextmanager
def next_door() -> Iterator[Neighbor]:
    neighbor = Neighbor()
    try:
        with (
            patch.object(onnx_shapes, "inferred", neighbor.inferred),
            patch.object(onnx_model, "inlined", neighbor.inlined),
        ):
            yield neighbor
    finally:
        neighbor.close()


# ---------------------------------------------------------------------------------------------------------- main


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=None, help="of the first mutant")
    parser.add_argument("--keep-going", type=Path, metavar="FOLDER", help="one mutant per place of failure")
    options = parser.parse_args()
    _limit_memory()
    with tempfile.TemporaryDirectory() as name, next_door() as neighbor:
        folder = Path(name)
        if options.files:
            for path in options.files:
                for door in dict.fromkeys(DOORS):
                    for seed in range(12):
                        through(path.read_bytes(), Random(seed), folder, door)
            return 0
        code = _search(folder, options.seconds, options.seed, options.keep_going)
        print(dict(neighbor.ended))
        return code


def _search(folder: Path, seconds: float, seed: int | None, keep: Path | None) -> int:
    models = seeds(every_operator=True)
    seed = int(time.time()) << 20 if seed is None else seed
    results: Counter[str] = Counter()
    found: dict[str, str] = {}
    slowest, start, shown = 0.0, time.monotonic(), 0.0
    while (spent := time.monotonic() - start) < seconds:
        random = Random(seed)
        data = mutant(random.choice(models), random)
        begin = time.monotonic()
        try:
            results[through(data, random, folder)] += 1
        except (Exception, AssertionError) as error:
            results["found"] += 1
            where = _place(error)
            if where not in found:
                found[where] = f"seed {seed}: {type(error).__name__}: {str(error)[:200]}"
                print(f"FOUND {where} {found[where]}", flush=True)
                target = keep or Path(tempfile.gettempdir())
                target.mkdir(parents=True, exist_ok=True)
                file = target / f"{hashlib.sha256(where.encode()).hexdigest()[:8]}.onnx"
                file.write_bytes(data)
                file.with_suffix(".txt").write_text("".join(traceback.format_exception(error)))
            if keep is None:
                break
        slowest = max(slowest, time.monotonic() - begin)
        seed += 1
        if spent - shown > 60:
            shown = spent
            print(f"{spent:.0f} s, {_summary(results)}, slowest {slowest:.1f} s", flush=True)
    peak = _peak_mib()
    print(f"{_summary(results)}, {len(found)} places, slowest {slowest:.1f} s, peak {peak} MiB", flush=True)
    return 1 if found else 0


def _summary(results: Counter[str]) -> str:
    return f"{results.total()} mutants: " + ", ".join(f"{count} {word}" for word, count in sorted(results.items()))


def _peak_mib() -> str:
    with suppress(ImportError):
        import resource

        return str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10)
    return "?"


def _place(error: BaseException) -> str:
    """The last line of ours that the error passed."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if f"{os.sep}trex{os.sep}" in frame.filename]
    frame = (frames or traceback.extract_tb(error.__traceback__))[-1]
    return f"{Path(frame.filename).name}:{frame.lineno} {type(error).__name__}"


if __name__ == "__main__":
    sys.exit(main())
