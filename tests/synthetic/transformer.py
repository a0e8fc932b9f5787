"""Transformer engines in Myelin's style: a vision transformer from its public architecture, and one of any length."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tests.synthetic import layers as make
from tests.synthetic.description import Description, Region, Step


@dataclass
class _Myelin:
    """A region that Myelin compiled: numbers its kernels, scratch tensors and constants as they come."""

    batch: int
    tokens: int
    width: int
    heads: int
    type: str = "FP16"
    region: int = 0
    steps: list[Step] = field(default_factory=list)
    index: int = 0
    constants: int = 100
    scratch: int = 2

    def kernel_name(self, base: str) -> str:
        name = f"{base}_myl{self.region}_{self.index}"
        self.index += 1
        return name

    def add(self, step: Step) -> Region:
        self.steps.append(step)
        return step.outputs[0] if step.outputs else Region("", ())

    def tensor(self, base: str, *dims: int, type_: str = "") -> Region:
        self.scratch += 1
        return Region(f"{base}'.1_{self.scratch}_myl{self.region}", dims, type_ or self.type)

    def scratch_tensor(self, slot: int, *dims: int) -> Region:
        """A tensor whose name comes back for other data: what Myelin does with its scratch memory."""
        return Region(f"__myln_k_arg__bb1_{slot}_myl{self.region}", dims, self.type)

    def constant(self, *dims: int, type_: str = "") -> Region:
        self.constants += 1
        return Region(f"__mye{self.constants}_dconst", dims, type_ or self.type)

    def broadcast(self, owner: str, *dims: int) -> Region:
        return Region(f"{owner} _ ONNXTRT_Broadcast_constant{make.TYPE_WORDS[self.type]}", dims, self.type)


LAYER_NORM = "MeanSubMulMeanAddSqrtDivMulMulAdd"


def _block(m: _Myelin, at: str, weight: str, x: Region, limit: int = 1 << 60) -> Region:
    """One pre-norm encoder block: ten kernels. ``x``: the residual stream."""
    b, n, d, h = m.batch, m.tokens, m.width, m.heads
    rows = b * n

    def full() -> bool:
        return len(m.steps) >= limit

    def norm(
        name: str, source: Region, extra: tuple[Region, ...] = (), added: tuple[str, ...] = ()
    ) -> tuple[Region, Region]:
        out = m.tensor(f"{at}/{name}/Add_1_output_0", b, n, d)
        outs: tuple[Region, ...] = (out,)
        tokens = LAYER_NORM
        if extra:
            kept = m.tensor(f"{added[0]}_output_0", b, n, d)
            outs, tokens = (kept, out), "Add" + LAYER_NORM
        origins = added + tuple(
            f"{at}/{name}/{op}" for op in ("ReduceMean", "Sub", "Pow", "ReduceMean_1", "Sqrt", "Div", "Mul", "Add_1")
        )
        gain = m.broadcast(f"{weight}.{name}.weight", 1, 1, d)
        shift = m.broadcast(f"{weight}.{name}.bias", 1, 1, d)
        m.add(
            make.generated(
                m.kernel_name(f"__myl_{tokens}"),
                f"__myl_{tokens}",
                (source, *extra, gain, shift),
                outs,
                origins=origins,
            )
        )
        return (outs[0] if extra else source), out

    _, normed = norm("norm1", x)
    if full():
        return normed
    part = f"{at}/attn/qkv/MatMul"
    flat = Region(normed.name, (rows, d), m.type)
    qkv = m.add(
        make.matrix_multiply(
            m.kernel_name(part),
            flat,
            m.constant(d, 3 * d),
            m.scratch_tensor(3, rows, 3 * d),
            origins=(part, f"{at}/attn/qkv/Add"),
        )
    )
    if full():
        return qkv
    tokens = "__myl_AddReshTranSlicSlicSlicMul"
    split = [m.tensor(f"{at}/attn/Split_output_{i}", b, h, n, d // h) for i in range(3)]
    m.add(
        make.generated(
            m.kernel_name(tokens),
            tokens,
            (qkv, m.broadcast(f"{weight}.attn.qkv.bias", 1, 1, 3 * d)),
            split,
            origins=(
                f"{at}/attn/qkv/Add",
                f"{at}/attn/Reshape",
                f"{at}/attn/Transpose",
                f"{at}/attn/Split",
                f"{at}/attn/Mul",
            ),
        )
    )
    if full():
        return split[0]
    mixed = m.add(
        make.generated(
            m.kernel_name("_gemm_mha_v2"),
            "_gemm_mha_v2",
            split,
            (m.scratch_tensor(7, b, h, n, d // h),),
            origins=(f"{at}/attn/MatMul", f"{at}/attn/Softmax", f"{at}/attn/MatMul_1"),
            operations=4.0 * b * n * n * d,
        )
    )
    if full():
        return mixed
    tokens = "__myl_TranResh"
    moved = m.add(
        make.generated(
            m.kernel_name(tokens),
            tokens,
            (mixed,),
            (m.scratch_tensor(3, rows, d),),
            origins=(f"{at}/attn/Transpose_1", f"{at}/attn/Reshape_1"),
        )
    )
    if full():
        return moved
    part = f"{at}/attn/proj/MatMul"
    projected = m.add(
        make.matrix_multiply(
            m.kernel_name(part), moved, m.constant(d, d), m.tensor(f"{part}_output_0", b, n, d), origins=(part,)
        )
    )
    if full():
        return projected
    kept, normed = norm("norm2", x, (projected,), (f"{at}/Add",))
    if full():
        return kept
    part = f"{at}/mlp/fc1/MatMul"
    hidden = m.add(
        make.matrix_multiply(
            m.kernel_name(part), normed, m.constant(d, 4 * d), m.scratch_tensor(3, b, n, 4 * d), origins=(part,)
        )
    )
    if full():
        return hidden
    tokens = "__myl_AddDivErfAddMulMul"
    active = m.add(
        make.generated(
            m.kernel_name(tokens),
            tokens,
            (hidden, m.broadcast(f"{weight}.mlp.fc1.bias", 1, 1, 4 * d)),
            (m.scratch_tensor(9, b, n, 4 * d),),
            origins=tuple(
                f"{at}/mlp/{op}" for op in ("fc1/Add", "act/Div", "act/Erf", "act/Add", "act/Mul", "act/Mul_1")
            ),
        )
    )
    if full():
        return active
    part = f"{at}/mlp/fc2/MatMul"
    return m.add(
        make.matrix_multiply(
            m.kernel_name(part),
            active,
            m.constant(4 * d, d),
            m.tensor(f"{at}/Add_1_output_0", b, n, d),
            bias=kept,
            origins=(part, f"{at}/mlp/fc2/Add", f"{at}/Add_1"),
        )
    )


def vision_transformer(batch: int = 8, blocks: int = 12, width: int = 384, heads: int = 6) -> Description:
    """A distilled vision transformer (Touvron et al., 2020): 14×14 patches, two extra tokens, two heads.

    The patch embedding is a native TensorRT convolution (long format strings); the rest is one Myelin region (short
    type names), whose second head runs on an auxiliary stream between a signal and a wait.
    """
    side, size = 14, 224
    image = Region("input", (batch, 3, size, size), "FP32")
    name = "/patch_embed/proj/Conv"
    moved = Region(f"Reformatted Input Tensor 0 to {name}", image.dims, "FP16", "hwc4")
    patches = Region(f"{name}_output_0", (batch, width, side, side), "FP16", "hwc8")
    steps = [
        make.reformat(f"Reformatting CopyNode for Input Tensor 0 to {name}", image, moved),
        make.convolution(name, moved, patches, (16, 16), stride=16, origins=(name,), padding=(0, 0)),
    ]
    foreign = "{ForeignNode[cls_token + dist_token.../Div]}"
    linear = Region(f"Reformatted Input Tensor 0 to {foreign}", patches.dims, "FP16")
    steps.append(make.reformat(f"Reformatting CopyNode for Input Tensor 0 to {foreign}", patches, linear))
    m = _Myelin(batch, side * side + 2, width, heads, steps=steps)
    m.add(make.shape_call(m.kernel_name("__mye97_0"), 0.0017))
    tokens = "__myl_ReshTranConcAdd"
    x = m.add(
        make.generated(
            m.kernel_name(tokens),
            tokens,
            (linear, m.constant(1, 2, width), m.broadcast("pos_embed", 1, m.tokens, width)),
            (m.tensor("/Add_output_0", batch, m.tokens, width),),
            origins=("/patch_embed/Flatten", "/patch_embed/Transpose", "/Concat", "/Add"),
        )
    )
    for block in range(blocks):
        x = _block(m, f"/blocks/blocks.{block}", f"blocks.{block}", x)
    gain, shift = m.broadcast("norm.weight", 1, 1, width), m.broadcast("norm.bias", 1, 1, width)
    heads_in = [m.tensor(f"/{pick}_output_0", batch, width) for pick in ("Gather", "Gather_1")]
    tokens = f"__myl_{LAYER_NORM}SlicSlic"
    origins = tuple(f"/norm/{op}" for op in ("ReduceMean", "Sub", "Pow", "Sqrt", "Div", "Mul", "Add_1"))
    m.add(
        make.generated(
            m.kernel_name(tokens), tokens, (x, gain, shift), heads_in, origins=(*origins, "/Gather", "/Gather_1")
        )
    )
    m.add(make.signal(m.kernel_name("__myl_signal"), 0))
    m.add(make.signal(m.kernel_name("__myl_wait"), 1, "wait"))
    answers = []
    for stream, (part, source) in enumerate(zip(("/head/Gemm", "/head_dist/Gemm"), heads_in, strict=True)):
        out = m.tensor(f"{part}_output_0", batch, 1000)
        answers.append(out)
        m.add(
            make.matrix_multiply(
                m.kernel_name(part), source, m.constant(width, 1000), out, origins=(part,), stream=stream
            )
        )
    m.add(make.signal(m.kernel_name("__myl_signal"), 1))
    m.add(make.signal(m.kernel_name("__myl_wait"), 0, "wait"))
    tokens = "__myl_AddAddAddMulCast"
    output = Region("output", (batch, 1000), "FP32")
    m.add(
        make.generated(
            m.kernel_name(tokens),
            tokens,
            (*answers, m.broadcast("head.bias", 1, 1000), m.broadcast("head_dist.bias", 1, 1000)),
            (output,),
            origins=("/head/Gemm", "/head_dist/Gemm", "/Add_1", "/Div"),
            compute="",
        )
    )
    return Description(
        "transformer-fp16",
        tuple(m.steps),
        (image,),
        (output,),
        f"distilled vision transformer, {blocks} blocks of width {width}, batch {batch}, FP16",
        "vision-transformer.onnx",
    )


def transformer(layers: int, type_: str = "FP16", seed: int = 0) -> Description:
    """A Myelin-style encoder of exactly ``layers`` layers (at least 2): a shape_call, then blocks of ten kernels."""
    if layers < 2:
        raise ValueError("an encoder needs a shape_call and a kernel")
    width = 64 * (4 + seed % 4)
    x = Region("input", (4, 128, width), type_)
    m = _Myelin(4, 128, width, 4, type_)
    m.add(make.shape_call(m.kernel_name("__mye97_0"), 0.0015))
    block, first = 0, x
    while len(m.steps) < layers:
        x = _block(m, f"/encoder/layer.{block}", f"encoder.layer.{block}", x, layers)
        block += 1
    last = m.steps[-1]
    output = last.outputs[0].renamed("output")
    m.steps[-1] = replace(last, outputs=(output, *last.outputs[1:]))
    return Description(
        f"transformer-{layers}", tuple(m.steps), (first,), (output,), f"a Myelin-style encoder of {layers} layers"
    )
