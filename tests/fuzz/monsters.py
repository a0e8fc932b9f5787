"""Monsters: texts made to be slow, big or deep to read, each of a size that can be chosen."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

Maker = Callable[[int], bytes]


def document(layers: list[Any], bindings: list[Any] | None = None, **more: Any) -> bytes:
    """A graph file of these layer records."""
    whole = {"Layers": layers, **({} if bindings is None else {"Bindings": bindings}), **more}
    return json.dumps(whole).encode("utf-8", "surrogatepass")


def layer(name: Any = "a", **fields: Any) -> dict[str, Any]:
    """A layer record that reads x and writes y by default."""
    record = {"Name": name, "LayerType": "Convolution", "Inputs": [tensor("x")], "Outputs": [tensor("y")]}
    return {**record, **fields}


def tensor(name: Any, dims: Any = (1, 8), kind: Any = "Half") -> dict[str, Any]:
    return {"Name": name, "Dimensions": list(dims), "Format/Datatype": kind}


def repeated(text: str) -> Maker:
    """The text again and again, ``size`` characters in all."""
    return lambda size: (text * (size // len(text) + 1))[:size].encode("utf-8", "surrogatepass")


def within(before: str, text: str, after: str) -> Maker:
    """The text again and again between two others."""
    make = repeated(text)
    return lambda size: before.encode() + make(size) + after.encode()


def in_a_name(text: str, key: str = "Name") -> Maker:
    """A layer one of whose texts is this, again and again."""
    return lambda size: document([layer(**{key: (text * (size // len(text) + 1))[:size]})])


def in_a_format(text: str) -> Maker:
    """A layer of one tensor, whose format is this, again and again."""
    return lambda size: document([layer(Inputs=[tensor("x", (1, 8), text * (size // len(text)))])])


def per_item(make: Callable[[int], bytes], bytes_each: int) -> Maker:
    """A maker that counts items → one that counts bytes."""
    return lambda size: make(max(1, size // bytes_each))


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()


# --------------------------------------------------------------------------------------------------- any JSON reader

JSON_TEXTS: dict[str, Maker] = {
    "lists": repeated("["),
    "lists-closed": lambda size: b"[" * (size // 2) + b"]" * (size // 2),
    "objects": repeated('{"a":'),
    "objects-closed": lambda size: b'{"a":' * (size // 6) + b"1" + b"}" * (size // 6),
    "lists-torn-at-each-end": repeated("[[],"),
    "braces": repeated("{"),
    "closers": repeated("]}"),
    "quotes": repeated('"'),
    "quotes-in-a-list": within("[", '"', "]"),
    "quotes-in-a-value": within('{"Layers": [{"Name": "', 'a" b, ', '"}]}'),
    "keys-without-values": within("{", '"a" ', "}"),
    "half-members": within("{", '"a" : "b" "c" ,', "}"),
    "torn-members": repeated('{"a": "b", "c'),
    "torn-items": within("[", '"a" "b', ""),
    "new-lines-in-text": within('{"a": "', "x\n", '"}'),
    "records-begun": within('[{"a": "', 'x"\n{"a": "', ""),
    "backslashes": within('{"a": "', "\\", '"}'),
    "escaped-quotes": within('{"a": "', '\\"', '"}'),
    "bad-escapes": within('{"a": "', "\\x", '"}'),
    "half-surrogates": within('{"a": "', "\\ud800", '"}'),
    "controls": within('{"a": "', "\x1e\x01", '" oops}'),
    "commas": within("[", ",", "]"),
    "commas-alone": repeated(","),
    "colons": within("{", ":", "}"),
    "nan": within("[", "nan, ", "1]"),
    "infinity": within("[", "-inf, Infinity, ", "1]"),
    "words": within("[", "undefined ", "]"),
    "digits": within("[", "7", "]"),
    "digits-torn": within("[", "7", ", x"),
    "signs": within("[", "-+", "]"),
    "exponents": within("[", "1e9", "]"),
    "long-numbers": within("[", "9" * 40 + ", ", "1]"),
    "documents": repeated('{"Name": "a", "LayerType": "b"}\n'),
    "empty-documents": repeated("{}"),
    "text-between": repeated('{"a": 1} and '),
    "log-like-brackets": repeated("[07/01/2024-10:00:00] [I] {x} [1\n"),
    "blanks": repeated(" "),
    "new-lines": repeated("\n"),
    "marks": repeated("\ufeff"),
    "zeros": repeated("\x00"),
    "zeros-in-text": within('{"a": "', "\x00", '"}'),
    "not-utf8": lambda size: b'{"a": "' + b"\xff\xc3" * (size // 2) + b'"}',
    "utf16": lambda size: b"\xff\xfe" + ("[" * (size // 2)).encode("utf-16-le"),
    "distinct-keys": per_item(lambda n: json.dumps({f"k{i}": i for i in range(n)}).encode(), 14),
    "same-keys": within("{", '"a": 1, ', '"b": 2}'),
    "comments": within("[1, ", "// x\n", "2]"),
    "unquoted": within("{", "a: b, ", "}"),
}

# --------------------------------------------------------------------------------------------------- graphs

NAMES = (
    "PWN(",
    "PWN(a, ",
    "()",
    "(){}[]",
    "{ForeignNode[",
    "{ForeignNode[a...",
    "]}",
    "...",
    " + ",
    "a + ",
    " || ",
    "[profile 1]",
    " [profile ",
    "_myl1_2",
    "__myl_Add",
    "__mye1_",
    "reshape_before_",
    "copied_squeeze_after_",
    "Reformatting CopyNode for Input Tensor 0 to ",
    "Optimizer Reformat(",
    "[A]-[b]-",
    "]-[",
    "a.weight",
    "/a",
    "/a.b",
    "a.1/",
    ".",
    "\x1e",
    "\x1f",
    "Quantize",
    "(Unnamed Layer* 1) [Shuffle]",
    "\u0130",
    " ",
)
METADATA = (
    "[ONNX Layer: ",
    "[ONNX Layer: /a/b] ",
    "[ONNX Layer: a]\x1e",
    "]\x1f",
    "] [",
    "]-[",
    "[A]-[b]-[c], ",
    "/a" * 9 + "\x1e",
)
TACTICS = (
    "_16x16",
    "sm80_",
    "_xmma_",
    "f16f16_",
    "tensorop_",
    "pooling_",
    "cutlass3x_sm90_",
    "h1688cudnn_",
    "_tilesize64x64x64",
    "nvjet_",
    "__my",
)
FORMATS = (
    "Channel major FP16 format where channel % 8 == 0 ",
    "vectorized ",
    "(kLINEAR)",
    "% 4 ",
    "N/A due to dynamic shapes ",
    "Half.",
    "tensor(",
)


def chain(count: int, kind: str = "NoOp") -> bytes:
    """A chain of layers; only its ends do something."""
    middle = [
        layer(f"n{i}", LayerType=kind, Inputs=[tensor(f"t{i}")], Outputs=[tensor(f"t{i + 1}")]) for i in range(count)
    ]
    first = layer("first", Outputs=[tensor("t0")])
    last = layer("last", Inputs=[tensor(f"t{count}")], Outputs=[tensor("z")])
    return document([first, *middle, last], ["x", "z"])


def many_to_many(count: int) -> bytes:
    """Writers of one tensor, then readers of it."""
    writers = [layer(f"w{i}", Outputs=[tensor("m")]) for i in range(count)]
    readers = [layer(f"r{i}", Inputs=[tensor("m")]) for i in range(count)]
    return document([*writers, *readers], ["x", "y"])


GRAPHS: dict[str, Maker] = {
    **{f"name-{text}": in_a_name(text) for text in NAMES},
    **{f"metadata-{text}": in_a_name(text, "Metadata") for text in METADATA},
    **{f"tactic-{text}": in_a_name(text, "TacticName") for text in TACTICS},
    **{f"format-{text}": in_a_format(text) for text in FORMATS},
    "type": in_a_name("Convolution", "LayerType"),
    "origin": in_a_name("REFORMAT", "Origin"),
    "tactic-value": in_a_name("f", "TacticValue"),
    "layers-of-one-name": per_item(lambda n: document([layer()] * n), 200),
    "layers-numbered-as-if-repeated": per_item(
        lambda n: document([layer() if i % 2 else layer(f"a_{i}") for i in range(n)]), 200
    ),
    "names-only": per_item(lambda n: document([f"conv{i} + relu{i}" for i in range(n)]), 20),
    "layers-that-are-numbers": per_item(lambda n: document(list(range(n))), 7),
    "layers-empty": per_item(lambda n: document([{}] * n), 4),
    "bindings": per_item(lambda n: document([layer()], [f"b{i}" for i in range(n)]), 10),
    "equal-bindings": per_item(lambda n: document([layer()], ["x"] * n), 5),
    "io-tensors": per_item(
        lambda n: document([layer()], **{"I/O Tensors": [{"Name": f"b{i}", "IOMode": "Input"} for i in range(n)]}), 40
    ),
    "dims": per_item(lambda n: document([layer(Inputs=[tensor("x", [1] * n)])]), 3),
    "dims-unequal": per_item(lambda n: document([layer(Inputs=[tensor("x", range(n))])]), 7),
    "inputs-of-one-layer": per_item(lambda n: document([layer(Inputs=[tensor(f"x{i}") for i in range(n)])]), 70),
    "equal-inputs": per_item(lambda n: document([layer(Inputs=[tensor("x")] * n)]), 66),
    "one-name-many-tensors": per_item(
        lambda n: document([layer(Inputs=[tensor("x", (i, 8)), tensor("x", (8, i))]) for i in range(n)]), 260
    ),
    "keys-of-one-layer": per_item(lambda n: document([layer(**{f"k{i}": i for i in range(n)})]), 14),
    "key-per-layer": per_item(lambda n: document([layer(**{f"k{i}": i}) for i in range(n)]), 215),
    "attributes-of-no-table": per_item(
        lambda n: document([layer(LayerType="Foo", **{f"key{i}": i}) for i in range(n)]), 215
    ),
    "weights-keys": per_item(
        lambda n: document([layer(**{f"w{i}": {"Type": "Half", "Count": i} for i in range(n)})]), 40
    ),
    "weights-key-per-layer": per_item(
        lambda n: document([layer(**{f"w{i}": {"Type": "Half", "Count": i}}) for i in range(n)]), 240
    ),
    "no-ops": per_item(chain, 190),
    "constants": per_item(lambda n: chain(n, "Constant"), 190),
    "signals": per_item(lambda n: chain(n, "signal"), 190),
    "convolutions": per_item(lambda n: chain(n, "Convolution"), 190),
    "many-to-many": per_item(many_to_many, 400),
    "profiles": per_item(lambda n: document([layer(f"a [profile {i}]") for i in range(n)]), 210),
    "types-per-layer": per_item(lambda n: document([layer(LayerType=f"T{i}") for i in range(n)]), 200),
    "wide-values": per_item(lambda n: document([layer(Operations=[[i] for i in range(n)])]), 8),
    "no-op-fan": per_item(
        lambda n: document(
            [
                layer("v", LayerType="NoOp", Outputs=[tensor("v")]),
                *(layer(f"r{i}", Inputs=[tensor("v")]) for i in range(n)),
            ]
        ),
        200,
    ),
    "no-op-many-inputs": per_item(
        lambda n: document([layer("v", LayerType="NoOp", Inputs=[tensor(f"x{i}") for i in range(n)])] * 3), 210
    ),
}

# --------------------------------------------------------------------------------------------------- times

PROFILES: dict[str, Maker] = {
    "equal-names": per_item(lambda n: json.dumps([{"name": "a", "averageMs": 1.0, "timeMs": 1.0}] * n).encode(), 50),
    "rows-begun": repeated('{ "name" : "'),
    "rows-of-time": within('[{ "name" : "', '"timeMs"', '" : 1}]'),
    "rows-with-quotes": repeated('{ "name" : "a"b", "timeMs" : nan },\n'),
    "fields": within('[{ "name" : "a"b", "timeMs" : 1, ', '"k" : 1, ', '"z" : 1}]'),
    "counts": repeated('{ "count" : 1 }, { "name" : "a"'),
    "blanks": within('[{ "name"', " ", ': "a"b", "timeMs" : 1}]'),
    "blanks-before-name": repeated("{" + " " * 50),
    "samples": per_item(lambda n: json.dumps({"a": [1.0] * n}).encode(), 5),
    "layers-of-samples": per_item(lambda n: json.dumps({f"a{i}": [1.0] for i in range(n)}).encode(), 15),
    "pairs": per_item(lambda n: json.dumps([[f"a{i}", 1.0] for i in range(n)]).encode(), 15),
    "strange-values": per_item(
        lambda n: json.dumps([{"name": f"a{i}", "timeMs": f"x{i}"} for i in range(n)]).encode(), 40
    ),
}
TIMINGS: dict[str, Maker] = {
    "key-per-row": per_item(lambda n: json.dumps([{f"k{i}": i, "latencyMs": 1} for i in range(n)]).encode(), 30),
    "keys-of-one-row": per_item(lambda n: json.dumps([{f"k{i}": i for i in range(n)}]).encode(), 14),
    "rows-torn": repeated('{"latencyMs": 1}, {"latencyMs"'),
    "rows-nested": repeated('{"latencyMs": {"a": 1}}, '),
    "rows-of-nan": within("[", '{"latencyMs": nan}, ', '{"latencyMs": 1}]'),
    "numbers": within("[", "1.5, ", "1]"),
    "braces-closed": within("[", "}", "]"),
}
METADATAS: dict[str, Maker] = {
    "devices": per_item(lambda n: json.dumps([{"Name": "x", "ComputeCapability": "8.0"}] * n).encode(), 45),
    "keys": per_item(lambda n: json.dumps({"device_information": {f"k{i}": "1" for i in range(n)}}).encode(), 15),
    "latencies": per_item(
        lambda n: json.dumps({"performance_summary": {f"k{i}": [1, 2, 3, 4, 5] for i in range(n)}}).encode(), 28
    ),
    "percentiles": per_item(
        lambda n: json.dumps({"performance_summary": {"L": {f"p{i}": i for i in range(n)}}}).encode(), 14
    ),
    "long-list": per_item(lambda n: json.dumps({"performance_summary": {"L": [1] * n}}).encode(), 3),
    "one-line": lambda size: json.dumps({"performance_summary": {"L": "min = 1 ms, " * (size // 12)}}).encode(),
    "labels": lambda size: json.dumps(
        {"reporting_options": {"Percentiles": "9," * (size // 2)}, "performance_summary": {"L": [1] * 7}}
    ).encode(),
    "clock": lambda size: json.dumps({"device_information": {"Compute Clock Rate": "1" * size + "GHz"}}).encode(),
    "duration": lambda size: json.dumps({"inference_options": {"Duration": "(+ " * (size // 3)}}).encode(),
    "one-key-again": per_item(
        lambda n: json.dumps({"device_information": {"s" + " " * i + "ms": i for i in range(n)}}).encode(), 1000
    ),
}

# --------------------------------------------------------------------------------------------------- logs

ROW = "[I] Name: a, LayerType: b, Inputs: ["
LINES = (
    "[I] ",
    "[TRT] [I] ",
    "&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # x\n",
    "&&&& RUNNING ",
    "&&&& PASSED TensorRT.trtexec\n",
    "=== Profile (1 iterations ) ===\n",
    "[I] === Performance summary ===\n[I] Latency: min = 1 ms, max = 2 ms\n",
    "[I] === Model Options ===\n[I] Model: x\n",
    "[I] === Profile ( 1 iterations ) ===\n[I] Layer Time (ms)\n[I] a 1.0\n[I] Total 1.0\n[I]\n",
    "Layer(x): a, Tactic: 1, b[Half(1,2)] -> c[Half(3)]\n",
    "[I] Layer Information:\n[I] Layers:\nName: a, LayerType: b, Inputs: []\n[I] Bindings:\n[I] x\n",
    "[W] [TRT] something\n",
    "[E] error {}\n",
    "\x1b[31m",
    "\x1b]",
    "\r",
    "2024-01-01T00:00:00Z ",
    "[I] Input binding for ",
    "[I] Created input binding for x with dimensions 1x2x\n",
    "--option\n",
)
LOGS: dict[str, Maker] = {
    **{f"lines-{text.strip()[:40]}": repeated(text) for text in LINES},
    **{
        f"inspector-{text}": within("[I] Layers:\n" + ROW, text, "\n[I] Bindings:\n[I] x\n")
        for text in (
            "{ Name: a, ",
            "{ Name: a, Dimensions: [1], Format/Datatype: Half }, ",
            "{ Name: a }]",
            " }",
            ", Location: ",
            "], Outputs: [",
            ", Inputs: [",
            ", LayerType: ",
            ", Key: [",
            ", Key: {",
            ", Key: 1",
            ", ",
            "1,",
        )
    },
    **{
        f"attribute-{text}": within("[I] Layers:\nName: a, LayerType: b, Inputs: [], Outputs: []", text, "\n")
        for text in (", K: [", ", K: {", ", K: [1]", ', K: ["', ", K: [[", ", K: 1e", ", Metadata: x", ', K: ["\\')
    },
    "inspector-lines": repeated("Name: a\n, LayerType: "),
    "binding-lines": within("[I] Layers:\nName: a, LayerType: b, Inputs: []\n[I] Bindings:\n", "x\n", ""),
    **{
        f"row-{text}": within("[V] [TRT] Engine Layer Information:\nLayer(x): a", text, "\n")
        for text in (
            ", Tactic: ",
            ", Tactic: 1, ",
            ", Tactic: 1, b[Half(1,2)], ",
            ", Tactic: 1, [Half(",
            ", Tactic: 1, (Half[",
            ", Tactic: 1, a[Half((((",
            " -> ",
            "): ",
        )
    },
    "row-dims": within(
        "[V] [TRT] Engine Layer Information:\nLayer(x): a, Tactic: 1, b[Half(", "1,", ")] -> c[Half(1)]\n"
    ),
    "row-parentheses": within("[V] [TRT] Engine Layer Information:\nLayer(x): a, Tactic: 1, b[Half(", "(", ")]\n"),
    "table-heading": within("[I] === Profile ( 1 iterations ) ===\n[I]", " Layer", "\n[I] a 1.0\n"),
    "table-row": within("[I] === Profile ( 1 iterations ) ===\n[I] Layer Time (ms)\n[I] ", "1 ", "\n[I] Total 1\n"),
    "table-number-first": within(
        "[I] === Profile ( 1 iterations ) ===\n[I] Time (ms) Avg. (ms) Layer\n[I] ", "1.0 ", "\n[I] 1 1 Total\n"
    ),
    "options": within("[I] === Build Options ===\n", "[I] a<-b: c\n", ""),
    "option-line": within("[I] === Build Options ===\n[I] ", ": ", "\n"),
    "performance-line": within("[I] === Performance summary ===\n[I] Latency: ", "min = 1", " ms\n"),
    "performance-percentiles": within(
        "[I] === Performance summary ===\n[I] Latency: ", "percentile(9%) = 1 ms, ", "\n"
    ),
    "workspace": within("[I] === Build Options ===\n[I] Memory Pools: ", "workspace: 1e", " MiB\n"),
}

# --------------------------------------------------------------------------------------------------- containers

ARCHIVES: dict[str, Maker] = {
    "members": per_item(lambda n: zipped({f"{i}.json": b"{}" for i in range(n)}), 110),
    "tail": lambda size: zipped({"a.json": b"{}"}) + b"PK\x05\x06" * (size // 4),
    "head": lambda size: b"PK\x03\x04" * (size // 4),
}
COMPRESSED: dict[str, Maker] = {
    "tiny-members": per_item(lambda n: gzip.compress(b"") * n, 20),
    "heads": lambda size: b"\x1f\x8b" * (size // 2),
    "zeros-behind": lambda size: gzip.compress(b"{}") + b"\x00" * size,
    "heads-behind": lambda size: gzip.compress(b"{}") + b"\x1f\x8b\x08" * (size // 3),
}
