"""Network: operations as an ONNX model has them, from which engines are built; who is who is told by number alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from random import Random

IMAGE = -1
LEADS = frozenset(("Conv", "Gemm", "MatMul"))
POOLS = frozenset(("MaxPool", "GlobalAveragePool"))
VIEWS = frozenset(("Reshape", "Transpose", "Flatten"))


@dataclass(frozen=True, slots=True)
class Operation:
    """number: its place in the network and its identity. at, leaf: where an exporter puts it and calls it there.
    inputs: numbers of those it reads, IMAGE for the network's input. work_ms: made up, in half precision.
    """

    number: int
    kind: str
    at: str
    leaf: str
    inputs: tuple[int, ...]
    dims: tuple[int, ...]
    work_ms: float
    window: int = 1
    stride: int = 1
    groups: int = 1

    @property
    def path(self) -> str:
        return f"{self.at}/{self.leaf}"


@dataclass(frozen=True)
class Network:
    """operations: in an order in which they can be executed; ``operations[n].number`` is n."""

    name: str
    image: tuple[int, ...]
    operations: tuple[Operation, ...]

    @cached_property
    def readers(self) -> tuple[tuple[int, ...], ...]:
        found: list[list[int]] = [[] for _ in self.operations]
        for operation in self.operations:
            for source in dict.fromkeys(operation.inputs):
                if source != IMAGE:
                    found[source].append(operation.number)
        return tuple(map(tuple, found))

    def dims_of(self, number: int) -> tuple[int, ...]:
        return self.image if number == IMAGE else self.operations[number].dims


@dataclass
class _Maker:
    random: Random
    operations: list[Operation] = field(default_factory=list)

    def add(
        self, kind: str, at: str, inputs: Sequence[int], dims: tuple[int, ...], work_ms: float = 0.0, **more: int
    ) -> int:
        number = len(self.operations)
        alike = sum(each.at == at and each.kind == kind for each in self.operations[-40:])
        leaf = f"{kind}_{alike}" if alike else kind
        work = (work_ms or prod(dims) * 2e-9) * (0.8 + 0.4 * self.random.random())
        self.operations.append(Operation(number, kind, at, leaf, tuple(inputs), dims, work, **more))
        return number

    def conv(self, at: str, x: int, dims: tuple[int, ...], window: int, stride: int = 1, groups: int = 1) -> int:
        work = prod(dims) * window * window * (1 if groups > 1 else dims[1]) * 2e-11
        return self.add("Conv", at, (x,), dims, work, window=window, stride=stride, groups=groups)

    def product(self, at: str, inputs: Sequence[int], dims: tuple[int, ...], depth: int, kind: str = "MatMul") -> int:
        return self.add(kind, at, inputs, dims, prod(dims) * depth * 2e-11)


def residual(blocks: int, seed: int = 0, batch: int = 8) -> Network:
    """Basic blocks of two convolutions in stages of three, every stage half as large and twice as wide."""
    m = _Maker(Random(f"residual {blocks} {seed}"))
    width, size = 32 * (1 + seed % 3), 112
    x = m.conv("/conv1", IMAGE, (batch, width, size, size), 7, 2)
    x = m.add("Relu", "/relu", (x,), m.operations[x].dims)
    size //= 2
    x = m.add("MaxPool", "/maxpool", (x,), (batch, width, size, size), window=3, stride=2)
    for block in range(blocks):
        stage, at = block // 3 % 4, f"/layer{block // 3}/layer{block // 3}.{block % 3}"
        channels = width << stage
        side = max(4, size >> stage)
        dims: tuple[int, ...] = (batch, channels, side, side)
        changes = m.operations[x].dims != dims
        y = m.conv(f"{at}/conv1", x, dims, 3, 2 if changes else 1)
        y = m.add("Relu", f"{at}/relu", (y,), dims)
        y = m.conv(f"{at}/conv2", y, dims, 3)
        if changes:
            x = m.conv(f"{at}/downsample/downsample.0", x, dims, 1, 2)
        y = m.add("Add", at, (y, x), dims)
        x = m.add("Relu", f"{at}/relu", (y,), dims)
    dims = m.operations[x].dims
    x = m.add("GlobalAveragePool", "/avgpool", (x,), (*dims[:2], 1, 1), window=dims[2])
    m.product("/fc", (x,), (batch, 1000, 1, 1), dims[1], "Gemm")
    return Network(f"residual-{blocks}", (batch, 3, 224, 224), tuple(m.operations))


def inverted(blocks: int, seed: int = 0, batch: int = 8) -> Network:
    """Inverted bottlenecks: widen, depthwise, narrow; every second one has a residual connection."""
    m = _Maker(Random(f"inverted {blocks} {seed}"))
    x = m.conv("/features/features.0/features.0.0", IMAGE, (batch, 32, 112, 112), 3, 2)
    x = m.add("Clip", "/features/features.0/features.0.2", (x,), m.operations[x].dims)
    width, size = 16, 112
    for block in range(blocks):
        at = f"/features/features.{block + 1}"
        strides = 1 if block % 2 or size <= 7 else 2
        if not block % 2:
            width, size = width + 8 * (1 + block % 4), size // strides
        before = m.operations[x].dims
        wide = (batch, 6 * before[1], *before[2:])
        y = m.conv(f"{at}/conv/conv.0/conv.0.0", x, wide, 1)
        y = m.add("Clip", f"{at}/conv/conv.0/conv.0.2", (y,), wide)
        dims: tuple[int, ...] = (batch, wide[1], size, size)
        y = m.conv(f"{at}/conv/conv.1/conv.1.0", y, dims, 3, strides, groups=wide[1])
        y = m.add("Clip", f"{at}/conv/conv.1/conv.1.2", (y,), dims)
        dims = (batch, width, size, size)
        y = m.conv(f"{at}/conv/conv.2", y, dims, 1)
        x = m.add("Add", at, (x, y), dims) if before == dims else y
    dims = m.operations[x].dims
    x = m.add("GlobalAveragePool", "/avgpool", (x,), (*dims[:2], 1, 1), window=dims[2])
    m.product("/classifier/classifier.1", (x,), (batch, 1000, 1, 1), dims[1], "Gemm")
    return Network(f"inverted-{blocks}", (batch, 3, 224, 224), tuple(m.operations))


def encoder(blocks: int, seed: int = 0, batch: int = 4) -> Network:
    """Transformer blocks: normalization and activation as the many operations that exporters make of them."""
    m = _Maker(Random(f"encoder {blocks} {seed}"))
    tokens, width, heads = 128, 64 * (4 + seed % 5), 4
    dims = (batch, tokens, width)
    x = m.add("Add", "/embeddings", (IMAGE,), dims)
    for block in range(blocks):
        at = f"/encoder/layer.{block}"
        normed = _norm(m, f"{at}/attention/norm", x)
        split = (batch, heads, tokens, width // heads)
        three = []
        for name in ("query", "key", "value"):
            y = m.product(f"{at}/attention/self/{name}", (normed,), dims, width)
            y = m.add("Add", f"{at}/attention/self/{name}", (y,), dims)
            y = m.add("Reshape", f"{at}/attention/self", (y,), (batch, tokens, heads, width // heads))
            three.append(m.add("Transpose", f"{at}/attention/self", (y,), split))
        scores = (batch, heads, tokens, tokens)
        y = m.product(f"{at}/attention/self", three[:2], scores, width // heads)
        y = m.add("Div", f"{at}/attention/self", (y,), scores)
        y = m.add("Softmax", f"{at}/attention/self", (y,), scores)
        y = m.product(f"{at}/attention/self", (y, three[2]), split, tokens)
        y = m.add("Transpose", f"{at}/attention/self", (y,), (batch, tokens, heads, width // heads))
        y = m.add("Reshape", f"{at}/attention/self", (y,), dims)
        y = m.product(f"{at}/attention/output/dense", (y,), dims, width)
        y = m.add("Add", f"{at}/attention/output/dense", (y,), dims)
        x = m.add("Add", f"{at}/attention/output", (y, x), dims)
        y = _norm(m, f"{at}/output/norm", x)
        wide = (batch, tokens, 4 * width)
        y = m.product(f"{at}/intermediate/dense", (y,), wide, width)
        y = m.add("Add", f"{at}/intermediate/dense", (y,), wide)
        y = _gelu(m, f"{at}/intermediate/act", y)
        y = m.product(f"{at}/output/dense", (y,), dims, 4 * width)
        y = m.add("Add", f"{at}/output/dense", (y,), dims)
        x = m.add("Add", f"{at}/output", (y, x), dims)
    x = _norm(m, "/norm", x)
    m.product("/head", (x,), (batch, tokens, 1000), width)
    return Network(f"encoder-{blocks}", dims, tuple(m.operations))


def _norm(m: _Maker, at: str, x: int) -> int:
    dims = m.operations[x].dims
    flat = (*dims[:-1], 1)
    mean = m.add("ReduceMean", at, (x,), flat)
    less = m.add("Sub", at, (x, mean), dims)
    y = m.add("Pow", at, (less,), dims)
    y = m.add("ReduceMean", at, (y,), flat)
    y = m.add("Add", at, (y,), flat)
    y = m.add("Sqrt", at, (y,), flat)
    y = m.add("Div", at, (less, y), dims)
    y = m.add("Mul", at, (y,), dims)
    return m.add("Add", at, (y,), dims)


def _gelu(m: _Maker, at: str, x: int) -> int:
    dims = m.operations[x].dims
    y = m.add("Div", at, (x,), dims)
    y = m.add("Erf", at, (y,), dims)
    y = m.add("Add", at, (y,), dims)
    y = m.add("Mul", at, (x, y), dims)
    return m.add("Mul", at, (y,), dims)


def denoiser(blocks: int, seed: int = 0, batch: int = 2) -> Network:
    """A U-Net of residual units with sigmoid-weighted activations; what the way down keeps is joined on the way up."""
    m = _Maker(Random(f"denoiser {blocks} {seed}"))
    width = 32 * (1 + seed % 4)
    x = m.conv("/conv_in", IMAGE, (batch, width, 64, 64), 3)
    kept = []
    for unit in range(blocks):
        x = _unit(
            m, f"/down_blocks.{unit}", x, (batch, width << unit // 3 % 4, 64 >> unit // 3 % 4, 64 >> unit // 3 % 4)
        )
        kept.append(x)
    for unit, skip in enumerate(reversed(kept)):
        dims = m.operations[skip].dims
        if m.operations[x].dims[2:] != dims[2:]:
            x = m.add("Resize", f"/up_blocks.{unit}", (x,), (*m.operations[x].dims[:2], *dims[2:]))
        both = (batch, m.operations[x].dims[1] + dims[1], *dims[2:])
        x = m.add("Concat", f"/up_blocks.{unit}", (x, skip), both)
        x = _unit(m, f"/up_blocks.{unit}", x, dims)
    m.conv("/conv_out", x, (batch, 4, 64, 64), 3)
    return Network(f"denoiser-{blocks}", (batch, 4, 64, 64), tuple(m.operations))


def _unit(m: _Maker, at: str, x: int, dims: tuple[int, ...]) -> int:
    before = m.operations[x].dims
    y = m.add("Sigmoid", f"{at}/nonlinearity", (x,), before)
    y = m.add("Mul", f"{at}/nonlinearity", (x, y), before)
    y = m.conv(f"{at}/conv1", y, dims, 3, 2 if before[2] > dims[2] else 1)
    z = m.add("Sigmoid", f"{at}/nonlinearity_1", (y,), dims)
    y = m.add("Mul", f"{at}/nonlinearity_1", (y, z), dims)
    y = m.conv(f"{at}/conv2", y, dims, 3)
    if before != dims:
        x = m.conv(f"{at}/conv_shortcut", x, dims, 1, 2 if before[2] > dims[2] else 1)
    return m.add("Add", at, (x, y), dims)


NETWORKS: dict[str, Callable[..., Network]] = {
    "residual": residual,
    "inverted": inverted,
    "encoder": encoder,
    "denoiser": denoiser,
}
