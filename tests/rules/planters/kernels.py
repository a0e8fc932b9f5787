"""Planters of the rules on single kernels, fusions, launches and regions."""

from __future__ import annotations

from dataclasses import replace

from tests.factories import gemm, layer, t
from tests.perf.round_device import round_device
from tests.rules.inspections import conv, work
from tests.rules.planted import KERNEL, Ground, Plant, Planter
from tests.rules.planters.parts import Parts, pair, shaped, tokened
from trex.core.tensor import Tensor

SIMT = "sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x64x32_stage5_g1_simt_sgemm"
SOFTMAX = ("Maxr", "Sub", "Exp", "Sum", "Div", "Mul")
PAIR_KERNEL = "sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x32_stage4_warpsize2x2x1_tensor16x8x16"


def cores(x: Tensor, bad: bool) -> Parts:
    return [(conv("Conv_901", [x], shaped(x, "b901"), kernel=(3, 3), tactic=SIMT if bad else KERNEL), 0.4)]


def channels(x: Tensor, bad: bool) -> Parts:
    shape = x.shape or ()
    inner = t("b901", (shape[0], 60 if bad else 64, *shape[2:]), "FP16", "NHWC" if bad else "NHWC8")
    return [
        (conv("Conv_901", [x], inner, kernel=(3, 3), tactic=KERNEL), 0.1),
        (conv("Conv_902", [inner], shaped(x, "c902"), kernel=(3, 3), tactic=KERNEL), 0.1),
    ]


def waves(bad: bool) -> Plant:
    """11 tiles of 128×128 on 10 SMs fill two waves to 55 %; 10 fill one. A fast memory leaves arithmetic the bound."""
    rows = (11 if bad else 10) * 128

    def make(x: Tensor) -> Parts:
        product = gemm("fc901", t("a901", [rows, 4096]), t("w901", [4096, 128]), t("m901", [rows, 128]))
        return [
            (work("Flatten_900", "Shuffle", [x], t("a901", [rows, 4096])), 0.01),
            (replace(product, tactic=PAIR_KERNEL), 0.2),
        ]

    def plant(ground: Ground) -> None:
        ground.device = round_device(compute_capability=(8, 0), bandwidth_gb_per_s=50_000.0, l2_gb_per_s=50_000.0)
        ground.insert(make, bad)

    return plant


def attention(x: Tensor, bad: bool) -> Parts:
    scores, out = [4, 8, 256, 256], [4, 8, 256, 64]
    entry = layer("split900", "kgen", [x], [t("q900", out), t("k900", out), t("v900", out)])
    if not bad:
        fused = layer("_gemm_mha_v2_901", "kgen", [t(n, out) for n in ("q900", "k900", "v900")], [t("m903", out)])
        return [(entry, 0.02), (replace(fused, tactic="fmha_v2_flash_attention_fp16_64_32_S_64_sm80"), 0.1)]
    return [
        (entry, 0.02),
        (layer("bmm901", "gemm", [t("q900", out), t("k900", out)], [t("s901", scores)]), 0.1),
        (tokened(layer("softmax902", "kgen", [t("s901", scores)], [t("p902", scores)]), *SOFTMAX), 0.1),
        (layer("bmm903", "gemm", [t("p902", scores), t("v900", out)], [t("m903", out)]), 0.1),
    ]


def norm(x: Tensor, bad: bool) -> Parts:
    all_origins = ("ReduceMean", "Sub", "Pow", "ReduceMean_1", "Add", "Sqrt", "Div")
    origins = [f"/norm901/{name}" for name in all_origins]
    if not bad:
        return [(layer("norm901", "kgen", [x], [shaped(x, "n901")], origins=origins), 0.05)]
    return [
        (layer("mean901", "kgen", [x], [shaped(x, "d901")], origins=origins[:2]), 0.05),
        (layer("rest902", "kgen", [shaped(x, "d901")], [shaped(x, "n902")], origins=origins[2:]), 0.05),
    ]


def pointwise(x: Tensor, bad: bool) -> Parts:
    second = layer("Mul_902", "PointWise" if bad else "SoftMax", [shaped(x, "b901")], [shaped(x, "c902")])
    return [(layer("Add_901", "PointWise", [x], [shaped(x, "b901")]), 0.06), (second, 0.06)]


def branches(bad: bool) -> Plant:
    """Two branches of short kernels; the ground's own are made short or long with them."""

    def make(x: Tensor) -> Parts:
        a, b, c = (shaped(x, name) for name in ("a901", "b902", "c903"))
        return [
            (layer("first900", "Softmax", [x], [shaped(x, "f900")], stream=0), 0.01),
            (layer("left901", "Softmax", [shaped(x, "f900")], [a], stream=0), 0.01),
            (layer("left902", "Softmax", [a], [b], stream=0), 0.01),
            (layer("right903", "Softmax", [shaped(x, "f900")], [c], stream=0 if bad else 1), 0.01),
            (layer("join904", "ElementWise", [b, c], [shaped(x, "j904")], stream=0), 0.01),
        ]

    def plant(ground: Ground) -> None:
        ground.insert(make, bad)
        for name in ("first900", "left901", "left902", "right903", "join904"):
            ground.ms[name] = 0.01 * ground.noise()
        shrink = 0.25 / ground.total_ms  # so that the branches are a part of the time worth telling
        ground.ms = {name: ms if name[-3:].isdigit() else ms * shrink for name, ms in ground.ms.items()}

    return plant


def swarm(bad: bool) -> Plant:
    def make(x: Tensor) -> Parts:
        wires = [x, *(shaped(x, f"w{900 + n}") for n in range(14))]
        return [(layer(f"tiny{900 + n}", "Softmax", [wires[n]], [wires[n + 1]]), 0.01) for n in range(14)]

    def plant(ground: Ground) -> None:
        ground.insert(make, bad)
        for name in [name for name in ground.ms if name.startswith("tiny")]:
            ground.ms[name] = (0.003 if bad else 0.05) * ground.noise()
        shrink = 0.1 / ground.total_ms if bad else 1.0  # so that they are a part of the time worth telling
        ground.ms = {name: ms if name.startswith("tiny") else ms * shrink for name, ms in ground.ms.items()}

    return plant


def by_data(x: Tensor, bad: bool) -> Parts:
    name = "/NonZero_901" if bad else "/Gather_901"
    return [(layer(name, "kgen" if bad else "Gather", [x], [t("n901", [None, 4], "INT64")], origins=(name,)), 0.05)]


def on_host(x: Tensor, bad: bool) -> Parts:
    there = replace(t("s902", [4], "INT32"), location="Host" if bad else "Device")
    return [
        (layer("Shape_901", "Shuffle", [x], [t("s901", [4], "INT32")]), 0.01),
        (layer("copy_902", "Shuffle", [t("s901", [4], "INT32")], [there]), 0.05),
    ]


def region(x: Tensor, bad: bool) -> Parts:
    made = layer("{ForeignNode[/a901.../b901]}", "Myelin", [x], [shaped(x, "m901")])
    return [(made, 2.0 if bad else 0.02)]


def odd(x: Tensor, bad: bool) -> Parts:
    large = t("k901", [16, 1024, 1024])
    made = layer("TopK_902", "TopK", [large], [t("k902", [16, 1024, 10])], origins=("TopK_902",))
    return [(layer("Reshape_901", "Shuffle", [x], [large]), 0.001), (made, 20.0 if bad else 0.02)]


def sparse(x: Tensor, bad: bool) -> Parts:
    wide = t("b901", (8, 512, 14, 14), "FP16", "NHWC8")
    after = conv(
        "Conv_902", [wide], replace(wide, name="c902"), kernel=(3, 3), tactic=KERNEL, HasSparseWeights=int(bad)
    )
    return [(work("Reshape_901", "Shuffle", [x], wide), 0.01), (after, 0.1)]


PLANTERS: dict[str, Planter] = {
    "idle-tensor-cores": pair(cores),
    "unaligned-channels": pair(channels),
    "tile-and-wave-quantization": Planter(waves(True), waves(False)),
    "unfused-attention": pair(attention),
    "unfused-layer-norm": pair(norm),
    "unfused-pointwise": pair(pointwise),
    "serial-branches": Planter(branches(True), branches(False)),
    "tiny-kernels": Planter(swarm(True), swarm(False)),
    "data-dependent-shapes": pair(by_data),
    "shape-tensors-on-host": pair(on_host),
    "opaque-region": pair(region),
    "slow-operation": pair(odd),
    "unused-sparsity": pair(sparse),
}
