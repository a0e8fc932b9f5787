"""Catalog: small engines in every spelling, each with its files and what must come out of them.

What is expected is worked out from the engine's own description, never by reading the files. ``CASES`` maps a name to
a Case; ``case.write(folder)`` puts the files down and returns the one to load.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from tests.synthetic import layers as make
from tests.synthetic.artifacts import GRAPH, PROFILE, artifacts
from tests.synthetic.case import Case, Expect, expected
from tests.synthetic.cnn import cnn, resnet18_int8
from tests.synthetic.description import Description, Region, Step
from tests.synthetic.measurements import Row, per_iteration_bytes, profile_bytes, profile_rows
from tests.synthetic.spellings import VERSIONS, build_log, layer_information_log, spell_graph, to_bytes
from tests.synthetic.transformer import transformer

CASES: dict[str, Case] = {}


def _add(name: str, files: Mapping[str, bytes], expect: Expect, main: str = "", needs: tuple[str, ...] = ()) -> None:
    if name in CASES:
        raise ValueError(f"two cases are called {name!r}")
    CASES[name] = Case(name, dict(files), main or next(iter(files)), expect, needs)


def _plain(name: str, description: Description, version: str, **changes: Any) -> None:
    """A graph and its profile, both as that version writes them."""
    rows = profile_rows(description)
    graph = to_bytes(spell_graph(description, version))
    _add(
        name, {f"{name}{GRAPH}": graph, f"{name}{PROFILE}": profile_bytes(rows)}, expected(description, rows, **changes)
    )


def _changed(
    name: str, description: Description, version: str, change: Callable[[dict[str, Any]], Any], **changes: Any
) -> None:
    """The graph alone, after ``change`` was applied to its document."""
    document = change(spell_graph(description, version))
    data = document if isinstance(document, bytes) else to_bytes(document)
    _add(name, {f"{name}{GRAPH}": data}, expected(description, **changes))


def engine(
    name: str, steps: Iterable[Step], inputs: Iterable[Region], outputs: Iterable[Region], subject: str = ""
) -> Description:
    return Description(name, tuple(steps), tuple(inputs), tuple(outputs), subject or name)


# -------------------------------------------------------------------------------------- versions and containers

SMALL = cnn(12)
ENCODER = transformer(14)


def _versions() -> None:
    for version in VERSIONS:
        no_bindings: dict[str, Any] = {"inputs": None, "outputs": None} if version == "8.2" else {}
        files = artifacts(SMALL, version, stem=f"cnn-{version}", queries=16)
        sizes = SMALL.sizes if version != "10.16" else unpadded(SMALL)
        _add(f"cnn-{version}", files, expected(SMALL, profile_rows(SMALL), sizes=sizes, **no_bindings))
    for version in ("10.4", "10.16", "11.1"):
        files = artifacts(ENCODER, version, stem=f"transformer-{version}", queries=16)
        _add(f"transformer-{version}", files, expected(ENCODER, profile_rows(ENCODER)))
    int8 = cnn(12, "INT8")
    _add("cnn-int8-8.6", artifacts(int8, "8.6", stem="cnn-int8-8.6", queries=16), expected(int8, profile_rows(int8)))
    qat = resnet18_int8(4)
    _add("resnet18-qat-8.4", artifacts(qat, "8.4", stem="resnet18-qat", queries=16), expected(qat, profile_rows(qat)))
    x, y = Region("input", (1, 64, 32, 32)), Region("output", (1, 64, 32, 32))
    node = Step("{ForeignNode[/norm/ReduceMean.../mlp/Add]}", "Myelin", (x,), (y,), compute="FP16")
    _plain("foreign-node-8.6", engine("foreign", (node,), (x,), (y,)), "8.6", weights_bytes=None)


def unpadded(description: Description) -> dict[str, int | None]:
    """The sizes that bare types are enough for: a layout that nobody tells may hold padding."""
    padded = {r.name for r in description.regions() if replace(r, layout="linear").stored_bytes != r.stored_bytes}
    return {name: size for name, size in description.sizes.items() if name not in padded}


def zstd_stored(data: bytes) -> bytes:
    """A Zstandard frame (RFC 8878) of raw blocks: valid, and written without any library."""
    frame = b"\x28\xb5\x2f\xfd\xa0" + len(data).to_bytes(4, "little")
    blocks = [data[i : i + 0x1FFFF] for i in range(0, len(data), 0x1FFFF)] or [b""]
    for index, block in enumerate(blocks):
        frame += (len(block) << 3 | (index == len(blocks) - 1)).to_bytes(3, "little") + block
    return frame


def _containers() -> None:
    document = spell_graph(SMALL, "10.4")
    plain = to_bytes(document)
    expect = expected(SMALL)
    unbound = replace(expect, inputs=None, outputs=None)
    _add("bare-list", {f"bare-list{GRAPH}": json.dumps(document["Layers"]).encode()}, unbound)
    _add("one-line", {f"one-line{GRAPH}": json.dumps(document).encode()}, expect)
    objects = "\n".join(json.dumps(layer) for layer in document["Layers"]).encode()
    _add("concatenated-objects", {f"concatenated{GRAPH}": objects}, unbound)
    text = plain.decode()
    _add("utf-8-bom", {f"bom{GRAPH}": b"\xef\xbb\xbf" + plain}, expect)
    _add("utf-16", {f"utf16{GRAPH}": text.encode("utf-16")}, expect)
    _add("utf-16-be", {f"utf16be{GRAPH}": b"\xfe\xff" + text.encode("utf-16-be")}, expect)
    _add("gzip", {f"gz{GRAPH}.gz": gzip.compress(plain, mtime=0)}, expect)
    _add("zstd", {f"zst{GRAPH}.zst": zstd_stored(plain)}, expect, needs=("zstandard",))
    latin = plain.replace(b"/stage0/stage0.0/MaxPool", b"/stage0/stage0.0/M\xe9xPool")
    _add("not-utf-8", {f"latin{GRAPH}": latin}, replace(expect, precision={}, sizes={}, notes=("invalid-text",)))
    raw = to_bytes(spell_graph(SMALL, "8.6")).replace(b"\\u001e", b"\x1e")
    _add("raw-control-characters", {f"raw{GRAPH}": raw}, replace(expect, notes=("control-characters",)))
    cut = plain[: len(plain) * 6 // 10]
    whole = cut.count(b"},\n")
    partial = Expect(layer_count=whole, partial=True, notes=("truncated",))
    _add("truncated", {f"cut{GRAPH}": cut}, partial)
    _add("layer-information-log", {"layers.log": layer_information_log(SMALL)}, replace(expect, sizes=unpadded(SMALL)))
    _add("layer-information-log-myelin", {"layers.log": layer_information_log(ENCODER)}, expected(ENCODER))
    for version in ("8.4", "10.4"):
        rows = replace(expected(SMALL, precision={}, sizes={}), inputs=None, outputs=None, weights_bytes=None)
        _add(f"engine-layer-rows-{version}", {"build.log": build_log(SMALL, version)}, rows)


# ------------------------------------------------------------------------------------------------- profiles


def _profiles() -> None:
    graph = to_bytes(spell_graph(SMALL, "10.4"))
    rows = profile_rows(SMALL)

    def pair(name: str, profile: bytes, file: str = "", **changes: Any) -> None:
        files = {f"{name}{GRAPH}": graph, file or f"{name}{PROFILE}": profile}
        _add(name, files, expected(SMALL, rows, **changes))

    pair("profile-without-median", profile_bytes(rows, medians=False), notes=("profile-no-median",))
    pair("profile-without-count", profile_bytes(rows, count=None))
    pair("profile-four-fields", profile_bytes(rows, count=None, medians=False))
    pair("profile-per-iteration", per_iteration_bytes(rows), "profile-per-iteration.layer_latency.json")
    pair("profile-other-order", profile_bytes(rows[::-1]))
    pair("profile-extra-key", profile_bytes(rows).replace(b', "percentage"', b', "p99Ms" : 0.5, "percentage"'))
    half = rows[: len(rows) // 2]
    absent = tuple(name for name, average, _ in rows[len(rows) // 2 :] if average > 0)
    pair(
        "profile-partial",
        profile_bytes(half),
        latency_ms=sum(r[1] for r in half),
        unprofiled=absent,
        notes=("layers-not-profiled",),
    )
    text = profile_bytes(rows).decode().splitlines()
    mark = text[2].index('"timeMs"')
    text[2] = text[2][:mark] + '"timeMs" : nan, "averageMs" : nan, "medianMs" : -nan, "percentage" : nan }'
    known = sum(average for name, average, _ in rows if name != rows[0][0])
    pair(
        "profile-nan",
        "\n".join(text).encode(),
        latency_ms=known,
        unprofiled=(rows[0][0],),
        notes=("profile-unusable-number",),
    )
    whole = profile_bytes(rows)
    cut = whole[: whole.rindex(b'"name"') + 12]
    pair(
        "profile-truncated",
        cut,
        latency_ms=sum(r[1] for r in rows[:-1]),
        unprofiled=(rows[-1][0],),
        notes=("truncated",),
    )
    other = [(f"/other{i}/Conv", average, middle) for i, (_, average, middle) in enumerate(rows)]
    pair("profile-of-another-engine", profile_bytes(other), error=True)

    names = ["/a/Conv", "/b/Conv", "/c/Relu"]
    document = {"Layers": names, "Bindings": ["input", "output"]}
    names_rows: list[Row] = [(name, 0.25 * (i + 1), 0.25 * (i + 1)) for i, name in enumerate(names)]
    expect = Expect(3, row_count=3, inputs=None, outputs=None, notes=("names-only-engine",))
    _add("names-only", {f"names{GRAPH}": json.dumps(document).encode()}, expect)
    _add(
        "names-only-profiled",
        {f"names{GRAPH}": json.dumps(document).encode(), f"names{PROFILE}": profile_bytes(names_rows)},
        replace(expect, latency_ms=1.5),
    )

    x, t, u, y = (Region(name, (1, 8, 8, 8)) for name in ("input", "t", "u", "output"))
    twice = [
        make.convolution("/shared/Conv", x, t, (3, 3)),
        make.convolution("/shared/Conv", t, u, (3, 3)),
        make.convolution("/last/Conv", u, y, (3, 3)),
    ]
    _plain("duplicate-names", engine("duplicates", twice, (x,), (y,)), "10.4")
    quoted = [
        replace(twice[0], name='/first "quoted" \\ slash/Conv', origins=()),
        replace(twice[1], name="/second\x1e/joined/Conv", origins=()),
        replace(twice[2], name="/plain/Conv", origins=()),
    ]
    description = engine("quoted", quoted, (x,), (y,))
    quoted_rows = profile_rows(description)
    _add(
        "profile-unescaped-names",
        {
            f"quoted{GRAPH}": to_bytes(spell_graph(description, "8.6")),
            f"quoted{PROFILE}": profile_bytes(quoted_rows, escape=False),
        },
        expected(description, quoted_rows, precision={}, notes=("profile-names-unescaped",)),
    )


# ----------------------------------------------------------------------------------------- kinds of layers


def _several_profiles() -> None:
    def steps(profile: int, mid_name: bool) -> list[Step]:
        mark = f" [profile {profile}]" if profile else ""
        x = Region(f"input{mark}", (-1, 8, 16, 16), "FP16")
        t = Region(f"/conv/Conv_output_0{mark}", (-1, 16, 16, 16), "FP16")
        made = [
            make.convolution(
                f"/conv/Conv + /conv/Relu{mark}", x, t, (3, 3), relu=True, origins=("/conv/Conv", "/conv/Relu")
            )
        ]
        if mid_name:
            region = 3 + profile
            u = Region(f"/fc/MatMul_output_0{mark}.1_4_myl{region}", (-1, 10), "FP16")
            w = Region(f"__mye{101 + profile}_dconst", (4096, 10), "FP16")
            made.append(make.matrix_multiply(f"/fc/MatMul{mark}_myl{region}_0", t, w, u, origins=("/fc/MatMul",)))
            y = Region(f"output{mark}", (-1, 10), "FP32")
            made.append(make.generated(f"__myl_Cast_myl{region}_1", "__myl_Cast", (u,), (y,), compute=""))
        else:
            y = Region(f"output{mark}", (-1, 16, 8, 8), "FP16")
            made.append(make.pooling(f"/pool/MaxPool{mark}", t, y, (2, 2), padding=0))
        return [replace(step, profile=profile) for step in made]

    for name, count, version in (("thirteen-profiles", 13, "10.16"), ("two-profiles-8.6", 2, "8.6")):
        mid_name = version == "10.16"
        every = [step for profile in range(count) for step in steps(profile, mid_name)]
        first = [step for step in every if step.profile == 0]
        description = engine(name, every, first[0].inputs, first[-1].outputs)
        rows = [(step.name, 0.25, 0.25) for step in first]
        graph = to_bytes(spell_graph(description, version))
        expect = expected(
            description, rows, precision=engine(name, first, (), ()).precisions, sizes={}, notes=("several-profiles",)
        )
        _add(name, {f"{name}{GRAPH}": graph, f"{name}{PROFILE}": profile_bytes(rows)}, expect)


def _wiring() -> None:
    x, y = Region("input", (1, 16, 8, 8)), Region("output", (1, 16, 8, 8))
    t, u = Region("/t", x.dims), Region("/u", x.dims)
    branches = [
        make.convolution("/then/Conv", x, Region("/If_output_0", x.dims), (3, 3)),
        make.convolution("/else/Conv", x, Region("/If_output_0", x.dims), (1, 1), padding=(0, 0)),
        make.convolution("/after/Conv", Region("/If_output_0", x.dims), y, (3, 3)),
    ]
    _plain("branches", engine("branches", branches, (x,), (y,)), "10.4")
    scratch = Region("__myln_k_arg__bb1_3_myl0", x.dims)
    reused = [
        make.generated("__myl_Add_myl0_0", "__myl_Add", (x,), (scratch,)),
        make.generated("__myl_Mul_myl0_1", "__myl_Mul", (scratch,), (t,)),
        make.generated("__myl_Sub_myl0_2", "__myl_Sub", (t,), (scratch,)),
        make.generated("__myl_Exp_myl0_3", "__myl_Exp", (scratch,), (y,)),
    ]
    _plain("reused-scratch-names", engine("reused", reused, (x,), (y,)), "10.4")
    streams = [
        make.generated("__myl_Add_myl0_0", "__myl_Add", (x,), (t,)),
        make.signal("__myl_signal_myl0_1", 0),
        make.signal("__myl_wait_myl0_2", 1, "wait"),
        make.signal("__myl_both_myl0_3", 1, "signal_and_wait"),
        make.generated("__myl_Mul_myl0_4", "__myl_Mul", (t,), (y,), stream=1),
    ]
    _plain("signal-and-wait", engine("streams", streams, (x,), (y,)), "10.4")
    stations = [
        make.train_station("[trainStation1]"),
        make.convolution("/a/Conv", x, y, (3, 3)),
        make.train_station("[trainStation2]", (y,), 0.004),
        make.train_station("[trainStation3]"),
    ]
    _plain("train-stations", engine("stations", stations, (x,), (y,)), "8.6")
    shapes = [
        make.shape_call("__mye59_0_myl0_0", 0.0017),
        make.shape_call("__mye60_0_myl0_1"),
        reused[0],
        replace(reused[3], inputs=(scratch,)),
    ]
    _plain("shape-calls", engine("shapes", shapes, (x,), (y,)), "10.16")
    chain = [
        make.no_op("/first/Reshape", x, t),
        make.convolution("/a/Conv", t, u, (3, 3)),
        make.no_op("/b/Reshape", u, Region("/v", x.dims)),
        make.no_op("/c/Reshape", Region("/v", x.dims), Region("/w", x.dims)),
        make.convolution("/d/Conv", Region("/w", x.dims), Region("/z", x.dims), (3, 3)),
        make.no_op("/e/Reshape", Region("/z", x.dims), y),
    ]
    _plain("no-op-chains", engine("no-ops", chain, (x,), (y,)), "10.4")
    weights = Region("/weights_output_0", (1, 16, 8, 8))
    constants = [
        make.constant("/weights", weights),
        make.constant("/unused", Region("/unused_output_0", (3,), "FP32")),
        make.pointwise("PWN(/Add)", (x, weights), y, ("iPlus",), ("/Add",)),
    ]
    _plain("constants", engine("constants", constants, (x,), (y,)), "8.6")
    extra = Region("/extra", (1, 100), "FP32")
    _plain(
        "plugin",
        engine("plugin", [make.plugin("/nms", (x,), (y, extra), "EfficientNMS_TRT")], (x,), (y, extra)),
        "10.4",
    )


def _dimensions() -> None:
    a, b = Region("input", (8, 16, 100)), Region("output", (8, 32, 100))
    _plain("conv1d", engine("conv1d", [make.convolution("/a/Conv", a, b, (3,))], (a,), (b,)), "10.4")
    a, b = Region("input", (1, 12, 8, 16, 16), layout="dhwc8"), Region("output", (1, 12, 8, 16, 16), layout="dhwc8")
    t = Region("/t", a.dims, layout="cdhw32")
    steps = [
        make.convolution("/a/Conv", a, t, (3, 3, 3)),
        make.convolution("/b/Conv", t, b, (1, 1, 1), padding=(0, 0, 0)),
    ]
    _plain("conv3d", engine("conv3d", steps, (a,), (b,)), "10.4")
    a, t, b = Region("input", (1, 16, 8, 8)), Region("/t", (1, 8, 16, 16)), Region("output", (1, 8, 32, 32))
    ups = [
        make.convolution("/a/ConvTranspose", a, t, (2, 2), stride=2, transposed=True, layer_type="CaskDeconvolution"),
        make.convolution("/b/ConvTranspose", t, b, (2, 2), stride=2, transposed=True, layer_type="CaskDeconvolutionV2"),
    ]
    _plain("deconvolution", engine("deconvolution", ups, (a,), (b,)), "8.6")
    dynamic = [Region(name, (-1, 16, -1, -1)) for name in ("input", "/t", "output")]
    steps = [make.convolution(f"/{k}/Conv", dynamic[i], dynamic[i + 1], (3, 3)) for i, k in enumerate("ab")]
    description = engine("dynamic", steps, dynamic[:1], dynamic[2:])
    _plain("dynamic-dimensions", description, "10.16", notes=("dynamic-dimensions",))
    _plain("dynamic-dimensions-11.1", description, "11.1")

    def untold(document: dict[str, Any]) -> dict[str, Any]:
        for layer in document["Layers"]:
            for tensor in (*layer["Inputs"], *layer["Outputs"]):
                tensor["Format/Datatype"] = "N/A due to dynamic shapes"
        return document

    _changed("formats-not-available", description, "8.6", untold, notes=("unknown-data-type",))
    padded = Region("input", (1, 3, 224, 224), "INT8", "chw4")
    wide = Region("output", (1, 40, 112, 112), "INT8", "chw32")
    steps = [make.convolution("/a/Conv", padded, wide, (7, 7), stride=2)]
    _plain("padded-channels", engine("padded", steps, (padded,), (wide,)), "8.4")


def _types() -> None:
    for label, version in (
        ("BF16", "10.4"), ("FP8", "10.4"), ("FP4", "11.1"), ("INT4", "10.16"), ("E8M0", "11.1"), ("INT64", "10.4"),
        ("INT32", "10.4"), ("BOOL", "10.4"), ("UINT8", "10.4"),
    ):  # fmt: skip
        x, y = Region("input", (3, 5), label), Region("output", (3, 5), label)
        computes = label if label in ("BF16", "FP8") else ""
        step = make.generated("__myl_Move_myl0_0", "__myl_Move", (x,), (y,), compute=computes)
        _plain(f"type-{label.lower()}", engine(label, (step,), (x,), (y,)), version)
    for label in ("BF16", "FP8", "INT64", "BOOL", "UINT8", "FP4"):
        x, y = Region("input", (1, 6, 5, 5), label), Region("output", (1, 6, 5, 5), label)
        copy = make.reformat("/copy", x, y)
        _plain(f"type-{label.lower()}-long", engine(label, (copy,), (x,), (y,)), "10.4")
    x, y = Region("input", (2, 64, 9, 9), "BF16", "hwc8"), Region("output", (2, 64, 9, 9), "BF16", "hwc8")
    _plain("bf16-convolution", engine("bf16", [make.convolution("/a/Conv", x, y, (3, 3))], (x,), (y,)), "10.4")


def _oddities() -> None:
    x, y = Region("input", (1, 16, 8, 8)), Region("output", (1, 16, 8, 8))
    one = engine("one", [make.convolution("/a/Conv", x, y, (3, 3))], (x,), (y,))

    def first(**fields: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
        return lambda document: {**document, "Layers": [{**document["Layers"][0], **fields}, *document["Layers"][1:]]}

    _changed(
        "unknown-key-and-type", one, "10.4", first(LayerType="FutureConvolution", FutureKey={"deep": [1, {"x": 2}]})
    )
    _changed("decimal-tactic", one, "8.4", first(TacticValue="-8425858344538208768"))
    _changed("no-inputs-or-outputs", one, "10.4", first(Inputs=[], Outputs=[]), sizes={}, inputs=None, outputs=None)
    few = ("Name", "LayerType", "Inputs", "Outputs", "Weights")

    def halved(document: dict[str, Any]) -> dict[str, Any]:
        return {**document, "Layers": [{k: layer[k] for k in few} for layer in document["Layers"]]}

    _changed("half-of-the-keys", one, "8.6", halved, weights_bytes=None)
    torch_parts = ("[CONVOLUTION]-[aten_ops.convolution.default]-[/conv1]", "[RELU]-[aten_ops.relu.default]-[/relu]")
    torch_name = " + ".join(torch_parts)
    torch = engine("torch", [make.convolution(torch_name, x, y, (3, 3), relu=True)], (x,), (y,))
    _plain("torch-tensorrt-names", torch, "10.4")
    device = [
        {
            "Name": "Synthetic A100-like device",
            "ComputeCapability": [8, 0],
            "TotalMemory": 42505076736,
            "CLOCK_RATE": 1410000,
        }
    ]
    files = artifacts(SMALL, "8.4", stem="listed", queries=16) | {"listed.metadata.json": json.dumps(device).encode()}
    _add("list-shaped-device-file", files, expected(SMALL, profile_rows(SMALL)))
    long_name = "/" + "x" * 40_000 + "</script>%s{0}"
    long = engine("long", [make.convolution(long_name, x, y, (3, 3))], (x,), (y,))
    _plain("forty-kilobyte-name", long, "10.4")


for _part in (_versions, _containers, _profiles, _several_profiles, _wiring, _dimensions, _types, _oddities):
    _part()
