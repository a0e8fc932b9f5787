"""Engines that TensorRT for RTX builds here from small models, as cases beside the synthetic ones.

Each is built once per test run, by whichever process needs it first: about one second. Its times are predicted for a
device, but for dynamic shapes, whose times are not. Tests skip them where the wheels are not installed.
"""

from __future__ import annotations

import atexit
import importlib.util
import os
import random
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from tests.synthetic.case import Case, Expect
from trex.capture.options import CaptureOptions
from trex.capture.tensorrt_api.rtx import RTX_LIBRARIES, RTX_MODULE

if TYPE_CHECKING:
    from tests.onnx_models import Net

SINGLE, BYTE, BOOLEAN, HALF, FP8 = 1, 3, 9, 10, 17
"""ONNX's numbers of FLOAT, INT8, BOOL, FLOAT16 and FLOAT8E4M3FN."""
NEEDS = (RTX_MODULE, RTX_LIBRARIES, "onnx")
_KEPT = (".json", ".log")
_FOLDER, _KEPT_S = "trex-real-builds-", 86_400
_RUN = os.environ.get("PYTEST_XDIST_TESTRUNUID") or str(os.getpid())


class Savable(Protocol):
    """A model that can be written to a file."""

    def save(self, path: Path) -> object: ...


class BuiltFiles(Mapping[str, bytes]):
    """The files of a build, {name: bytes}, made when first asked for; empty where the wheels are not installed."""

    def __init__(self, name: str, model: Callable[[], Savable], *words: str) -> None:
        self._name, self._model, self._words = name, model, words
        self._files: dict[str, bytes] | None = None

    def __getitem__(self, name: str) -> bytes:
        return self._read()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    def _read(self) -> dict[str, bytes]:
        if self._files is None:
            self._files = {} if any(map(_is_missing, NEEDS)) else self._built()
        return self._files

    def _built(self) -> dict[str, bytes]:
        import fcntl  # not everywhere, as these builds

        temporary = Path(tempfile.gettempdir())
        folder = temporary / f"{_FOLDER}{_RUN}"
        for old in temporary.glob(f"{_FOLDER}*"):
            if time.time() - old.stat().st_mtime > _KEPT_S:
                shutil.rmtree(old, ignore_errors=True)
        folder.mkdir(exist_ok=True)
        if str(os.getpid()) == _RUN:  # no other worker needs it
            atexit.register(shutil.rmtree, folder, ignore_errors=True)
        out = folder / self._name
        with (folder / f"{self._name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not out.exists():
                self._build(folder / f"{self._name}.onnx", out)
        return {file.name: file.read_bytes() for file in sorted(out.iterdir()) if file.name.endswith(_KEPT)}

    def _build(self, model: Path, out: Path) -> None:
        from trex.capture.process import process

        self._model().save(model)
        device = "" if self._words else "RTX 4090"
        outcome = process(CaptureOptions(str(model), str(out), self._words, backend="tensorrt-rtx", device=device))
        assert outcome.failure is None, outcome.failure


def _is_missing(package: str) -> bool:
    return importlib.util.find_spec(package) is None


def empty_net(opset: int = 20) -> Net:
    from tests.onnx_models import Net

    return Net(opset)


def _weights(net: Net, *shape: int, type: int = SINGLE) -> str:
    numbers = random.Random(len(net.initializers))  # TensorRT stores equal weights once
    return net.constant([numbers.uniform(-0.1, 0.1) for _ in range(prod(shape))], shape, type)


def quantized(net: Net, x: str, scale: float = 0.05) -> str:
    step, zero = net.constant([scale], (), SINGLE), net.constant([0], (), BYTE)
    return str(net.node("DequantizeLinear", net.node("QuantizeLinear", x, step, zero), step, zero))


def cnn_with_qdq() -> Net:
    """Two residual blocks in INT8, the shortcut of the first not quantized, pooling and a classifier."""
    net = empty_net()

    def conv(x: str, channels: int, maps: int, kernel: int, stride: int = 1) -> str:
        weights = quantized(net, _weights(net, maps, channels, kernel, kernel), 0.001)
        how = {"strides": [stride] * 2, "pads": [kernel // 2] * 4}
        return str(net.node("Conv", quantized(net, x), weights, _weights(net, maps), **how))

    x = net.input("image", (2, 3, 32, 32))
    x = net.node("Relu", conv(x, 3, 32, 3))
    x = net.node("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    inner = net.node("Relu", conv(x, 32, 32, 3))
    x = net.node("Relu", net.node("Add", conv(inner, 32, 32, 3), x))
    inner = net.node("Relu", conv(x, 32, 64, 3, stride=2))
    x = net.node("Relu", net.node("Add", conv(inner, 64, 64, 3), quantized(net, conv(x, 32, 64, 1, stride=2))))
    x = net.node("Flatten", net.node("GlobalAveragePool", x))
    net.output(net.node("Gemm", quantized(net, x), quantized(net, _weights(net, 64, 10)), _weights(net, 10)))
    return net


def transformer() -> Net:
    """One encoder layer in FP16: attention of two heads, GELU, two normalizations."""
    return _encoder(2, 32)


def dynamic() -> Net:
    """The same with a dynamic batch and length."""
    return _encoder("batch", "length")


def _encoder(batch: int | str, length: int | str, width: int = 128, heads: int = 2) -> Net:
    net = empty_net()

    def linear(x: str, rows: int, columns: int, name: str) -> str:
        product = net.node("MatMul", x, _weights(net, rows, columns, type=HALF), name=f"{name}/MatMul")
        return str(net.node("Add", product, _weights(net, columns, type=HALF), name=f"{name}/Add"))

    def normalized(x: str) -> str:
        scale, bias = _weights(net, width, type=HALF), _weights(net, width, type=HALF)
        return str(net.node("LayerNormalization", x, scale, bias, axis=-1))

    def by_heads(x: str, name: str, order: list[int]) -> str:
        split = net.node("Reshape", linear(x, width, width, name), net.constant([0, 0, heads, width // heads]))
        return str(net.node("Transpose", split, perm=order))

    x = net.input("hidden", (batch, length, width), HALF)
    query, value = (by_heads(x, f"/attention/{name}", [0, 2, 1, 3]) for name in ("query", "value"))
    scores = net.node("MatMul", query, by_heads(x, "/attention/key", [0, 2, 3, 1]))
    scores = net.node("Softmax", net.node("Mul", scores, net.constant([0.125], (), HALF)), axis=-1)
    context = net.node("Transpose", net.node("MatMul", scores, value), perm=[0, 2, 1, 3])
    context = net.node("Reshape", context, net.constant([0, 0, width]))
    x = normalized(net.node("Add", x, linear(context, width, width, "/attention/output")))
    hidden = net.node("Gelu", linear(x, width, 2 * width, "/mlp/up"))
    net.output(normalized(net.node("Add", x, linear(hidden, 2 * width, width, "/mlp/down"))), type=HALF)
    return net


def unet() -> Net:
    """Two levels in FP16 with SiLU, group normalization and a skip connection."""
    net = empty_net(21)

    def conv(x: str, channels: int, maps: int, stride: int = 1) -> str:
        weights = _weights(net, maps, channels, 3, 3, type=HALF)
        return str(net.node("Conv", x, weights, _weights(net, maps, type=HALF), strides=[stride] * 2, pads=[1] * 4))

    def silu(x: str) -> str:
        return str(net.node("Mul", x, net.node("Sigmoid", x)))

    def normalized(x: str, channels: int) -> str:
        scale, bias = _weights(net, channels, type=HALF), _weights(net, channels, type=HALF)
        return str(net.node("GroupNormalization", x, scale, bias, num_groups=8))

    skip = silu(normalized(conv(net.input("sample", (2, 4, 32, 32), HALF), 4, 32), 32))
    x = silu(normalized(conv(skip, 32, 64, stride=2), 64))
    x = net.node("Resize", x, "", net.constant([1.0, 1.0, 2.0, 2.0], None, SINGLE), mode="nearest")
    net.output(conv(net.node("Concat", x, skip, axis=1), 96, 4), type=HALF)
    return net


def condition() -> Net:
    """A product, then one of two branches by a Boolean input."""
    from onnx import helper

    net = empty_net()
    x = net.node("MatMul", net.input("x", (8, 64)), _weights(net, 64, 64))

    def branch(activation: str) -> object:
        inner = empty_net()
        y = inner.node("MatMul", inner.node(activation, x), _weights(net, 64, 64), name=f"/{activation}/MatMul")
        return helper.make_graph(inner.nodes, activation, [], [helper.make_tensor_value_info(y, SINGLE, (8, 64))])

    chosen = net.input("chosen", (), BOOLEAN)
    net.output(net.node("Softmax", net.node("If", chosen, then_branch=branch("Relu"), else_branch=branch("Tanh"))))
    return net


def single_attention() -> Net:
    """Softmax(Q·Kᵀ)·V of four heads in FP32, which no fused kernel computes."""
    net = empty_net()
    query, key, value = (net.input(name, (2, 4, 128, 64)) for name in ("query", "key", "value"))
    scores = net.node("MatMul", query, net.node("Transpose", key, perm=[0, 1, 3, 2]))
    net.output(net.node("MatMul", net.node("Softmax", scores, axis=-1), value))
    return net


def fake_quantized_weights() -> Net:
    """FP16 convolutions whose weights are rounded by operators of the model, each with a PRelu of its own."""
    net = empty_net()
    x = net.input("x", (8, 64, 28, 28), HALF)
    scale, low, high = (net.constant([number], (), HALF) for number in (0.01, -127.0, 127.0))
    for _ in range(3):
        rounded = net.node("Round", net.node("Div", _weights(net, 64, 64, 3, 3, type=HALF), scale))
        weights = net.node("Mul", net.node("Clip", rounded, low, high), scale)
        x = net.node("PRelu", net.node("Conv", x, weights, pads=[1] * 4), _weights(net, 64, 1, 1, type=HALF))
    net.output(x, type=HALF)
    return net


def written_out_normalization() -> Net:
    """Each map of an image normalized by operators of the model, between FP16 convolutions."""
    net = empty_net()
    x = net.input("x", (2, 64, 64, 64), HALF)
    for _ in range(2):
        centered = net.node("Sub", x, net.node("ReduceMean", x, net.constant([2, 3]), keepdims=1))
        variance = net.node("ReduceMean", net.node("Mul", centered, centered), net.constant([2, 3]), keepdims=1)
        deviation = net.node("Sqrt", net.node("Add", variance, net.constant([1e-3], (), HALF)))
        scaled = net.node("Mul", net.node("Div", centered, deviation), _weights(net, 64, 1, 1, type=HALF))
        x = net.node("Conv", scaled, _weights(net, 64, 64, 3, 3, type=HALF), pads=[1] * 4)
    net.output(x, type=HALF)
    return net


def fp8_convolutions() -> Net:
    """Convolutions in FP8, which an Ada GPU has no fast kernels for."""
    net = empty_net()

    def quantized(x: str, scale: float) -> str:
        step, zero = net.constant([scale], (), HALF), net.constant([0.0], (), FP8)
        return str(net.node("DequantizeLinear", net.node("QuantizeLinear", x, step, zero), step, zero))

    x = net.input("x", (8, 64, 28, 28), HALF)
    for _ in range(2):
        weights = quantized(_weights(net, 64, 64, 3, 3, type=HALF), 0.001)
        x = net.node("Relu", net.node("Conv", quantized(x, 0.05), weights, pads=[1] * 4))
    net.output(x, type=HALF)
    return net


def large_batches() -> Net:
    """Convolutions of a dynamic batch, built for 1 but allowed up to 64."""
    net = empty_net()
    x = net.input("x", ("batch", 32, 112, 112), HALF)
    for _ in range(2):
        x = net.node("Relu", net.node("Conv", x, _weights(net, 32, 32, 3, 3, type=HALF), pads=[1] * 4))
    net.output(x, type=HALF)
    return net


def one_channel_too_many() -> Net:
    """FP16 convolutions with 65 channels, one more than the 64 that tiles hold."""
    net = empty_net()
    x = net.input("x", (8, 65, 56, 56), HALF)
    for _ in range(3):
        x = net.node("Relu", net.node("Conv", x, _weights(net, 65, 65, 3, 3, type=HALF), pads=[1] * 4))
    net.output(x, type=HALF)
    return net


def _case(model: Callable[[], Net], sources: tuple[str, ...], *words: str) -> Case:
    name = f"rtx-{model.__name__.replace('_', '-')}"
    expect = Expect(layer_count=None, inputs=sources)
    return Case(name, BuiltFiles(name, model, *words), f"{name}.onnx.engine.graph.json", expect, NEEDS)


REAL_BUILDS = (
    _case(cnn_with_qdq, ("image",)),
    _case(transformer, ("hidden",)),
    _case(unet, ("sample",)),
    _case(condition, ("x", "chosen")),
    _case(dynamic, ("hidden",), "minShapes=hidden:1x8x128", "optShapes=hidden:2x32x128", "maxShapes=hidden:4x64x128"),
)

RULE_BUILDS = {
    case.name: case
    for case in (
        REAL_BUILDS[0],
        _case(single_attention, ("query", "key", "value")),
        _case(fake_quantized_weights, ("x",)),
        _case(written_out_normalization, ("x",)),
        _case(fp8_convolutions, ("x",)),
        _case(one_channel_too_many, ("x",)),
        _case(
            large_batches,
            ("x",),
            *(f"{end}Shapes=x:{n}x32x112x112" for end, n in zip(("min", "opt", "max"), (1, 1, 64))),
        ),
    )
}
"""{name: case} of what rules find that no engine of others has: see ``tests/rules/test_real_cases.py``."""
