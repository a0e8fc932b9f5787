"""Description → graph files: every spelling in which a version of TensorRT tells the same engine."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from tests.synthetic.description import Description, Region, Step
from tests.synthetic.layers import TYPE_WORDS

VERSIONS = ("8.2", "8.4", "8.6", "10.4", "10.16", "11.1")

# The words of long format strings differ from the short type names, and with the layout.
LINEAR_WORDS = {
    "FP32": "Row major linear FP32", "FP16": "Row major linear FP16 format", "BF16": "Row major linear BFloat16 format",
    "FP8": "Row major linear FP8 format", "FP4": "Row major linear FP4 format (kLINEAR)",
    "INT64": "Row major linear Int64 format", "INT32": "Row major linear Int32", "INT8": "Row major Int8 format",
    "UINT8": "Row major linear UInt8 format", "BOOL": "Row major linear BOOL",
}  # fmt: skip
VECTOR_WORDS = {"chw2": "Two", "chw4": "Four", "chw16": "Sixteen", "chw32": "Thirty-two", "cdhw32": "Thirty-two"}
CHANNEL_MAJOR_TYPES = {"BF16": "BFloat16"}
VECTOR_TYPES = {"BF16": "BFloat16", "INT8": "Int8"}
ENUM_NAMES = {
    "linear": "kLINEAR", "hwc": "kHWC", "hwc4": "kHWC4", "hwc8": "kHWC8", "hwc16": "kHWC16", "chw2": "kCHW2",
    "chw4": "kCHW4", "chw16": "kCHW16", "chw32": "kCHW32", "dhwc8": "kDHWC8", "cdhw32": "kCDHW32",
}  # fmt: skip


def long_format(region: Region) -> str:
    """The sentence that names type and layout when the inspector has an execution context."""
    layout, label = region.layout, region.type
    if layout == "linear":
        return LINEAR_WORDS.get(label, f"Row major linear {TYPE_WORDS[label]} format")
    if layout in VECTOR_WORDS:
        words = f"{VECTOR_WORDS[layout]} wide channel vectorized row major {VECTOR_TYPES.get(label, label)} format"
        return words + (" with 3 spatial dimensions" if layout == "cdhw32" else "")
    words = f"Channel major {CHANNEL_MAJOR_TYPES.get(label, label)} format"
    vector = layout.lstrip("dhwc")
    words += f" where channel % {vector} == 0" if vector else ""
    return words + (" with 3 spatial dimensions" if layout.startswith("d") else "")


def short_format(region: Region) -> str:
    """The bare type: all that is told without a context, and always inside Myelin."""
    return TYPE_WORDS[region.type]


def number(version: str) -> tuple[int, int]:
    major, _, minor = version.partition(".")
    return int(major), int(minor or 0)


def spell_tensor(region: Region, step: Step, version: str) -> dict[str, Any]:
    major, minor = number(version)
    record: dict[str, Any] = {"Name": region.name}
    if not step.myelin and (major, minor) >= (8, 4):
        record["Location"] = region.location
    record["Dimensions"] = list(region.dims)
    if major >= 11:
        record["Datatype"] = short_format(region)
        if not step.myelin:
            record["Format"] = _with_enum(region)
    elif step.myelin or (major, minor) >= (10, 16):
        record["Format/Datatype"] = short_format(region)
    else:
        record["Format/Datatype"] = long_format(region)
    return record


def _with_enum(region: Region) -> str:
    words = long_format(region)
    return words if words.endswith(")") else f"{words} ({ENUM_NAMES[region.layout]})"


def spell_layer(step: Step, version: str) -> dict[str, Any]:
    """One layer's record, keys in the inspector's order."""
    major, minor = number(version)
    record: dict[str, Any] = {
        "Name": step.name,
        "LayerType": step.layer_type,
        "Inputs": [spell_tensor(region, step, version) for region in step.inputs],
        "Outputs": [spell_tensor(region, step, version) for region in step.outputs],
    }
    record.update(step.parameters)
    if major >= 10 and step.parameters.get("ParameterType") == "Convolution":
        has_residual = int(len(step.inputs) > 1)
        record.update(
            HasDynamicFilter=0,
            HasDynamicBias=0,
            HasResidual=has_residual,
            ConvXAsActInputIdx=-1,
            BiasAsActInputIdx=-1,
            ResAsActInputIdx=1 if has_residual else -1,
        )
    if step.tactic is not None:
        record["TacticName"] = step.tactic
    if not step.myelin:
        record["TacticValue"] = step.tactic_value
    if (major, minor) >= (8, 6):
        record["StreamId"] = step.stream
        record["Metadata"] = step.metadata
    return record


def spell_graph(description: Description, version: str = "10.4") -> dict[str, Any]:
    """The inspector's document: ``Layers`` with ``Bindings``, or from 11.x with ``I/O Tensors``.

    8.2 here has no ``Bindings``: some of its writers left them out.
    """
    if version not in VERSIONS:
        raise ValueError(f"version {version!r} is none of {', '.join(VERSIONS)}")
    document: dict[str, Any] = {"Layers": [spell_layer(step, version) for step in description.steps]}
    if number(version) >= (11, 0):
        document["I/O Tensors"] = [
            {
                "Name": region.name,
                "IOMode": "Input" if region in description.inputs else "Output",
                "DataType": short_format(region),
                "Dimensions": list(region.dims),
                "Location": region.location,
                "IsShapeInferenceIO": False,
                "ProfileInfo": [
                    {
                        "MinShape": [max(1, d) for d in region.dims],
                        "OptShape": [8 if d < 0 else d for d in region.dims],
                        "MaxShape": [32 if d < 0 else d for d in region.dims],
                        "Format": _with_enum(region),
                    }
                ],
            }
            for region in description.bindings
        ]
        document["ProfilingVerbosity"] = "DETAILED"
    elif version != "8.2":
        document["Bindings"] = [region.name for region in description.bindings]
    return document


def to_bytes(document: Any) -> bytes:
    """JSON with one layer a line: small, and readable as a difference."""
    if isinstance(document, dict) and "Layers" in document:
        rows = ",\n".join(_compact(layer) for layer in document["Layers"])
        rest = "".join(f",\n{_compact(k)}: {_compact(v)}" for k, v in document.items() if k != "Layers")
        return f'{{"Layers": [\n{rows}\n]{rest}}}\n'.encode()
    return (_compact(document) + "\n").encode()


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(", ", ": "))


# ----------------------------------------------------------------------------------------------- text


def inspector_text(description: Description, version: str = "10.16") -> str:
    """The one-line form: a layer a line, separators of Metadata raw, then the bindings."""
    lines = ["Layers:"]
    lines += [_layer_line(spell_layer(step, version)) for step in description.steps]
    lines += ["", "Bindings:", *(region.name for region in description.bindings)]
    return "\n".join(lines) + "\n"


def _layer_line(record: dict[str, Any]) -> str:
    return ", ".join(f"{key}: {_value_text(key, value)}" for key, value in record.items())


def _value_text(key: str, value: Any) -> str:
    if key in ("Inputs", "Outputs"):
        return "[ " + ", ".join(f"{{ {_layer_line(tensor)} }}" for tensor in value) + "]" if value else "[]"
    if isinstance(value, list):
        return "[" + ",".join(str(item) for item in value) + "]"
    if isinstance(value, dict):
        return json.dumps(value)
    return str(value)


STAMP = "[01/02/2030-03:04:05]"


def layer_rows(description: Description, version: str = "10.4") -> str:
    """A verbose build log's ``Engine Layer Information:`` section."""
    spaced = number(version) >= (8, 6)

    def tensor(region: Region) -> str:
        dims = [str(d) for d in region.dims]
        vector = region.layout.lstrip("dhwc")
        if spaced and vector.isdigit() and len(dims) > 1:
            dims[1] += f":{vector}"
        text = f"{short_format(region)}{'[' if spaced else '('}{','.join(dims)}{']' if spaced else ')'}"
        return f"{region.name} ({text})" if spaced else f"{region.name}[{text}]"

    lines = [f"{STAMP} [V] [TRT] Engine Layer Information:"]
    for step in description.steps:
        flow = f"{', '.join(map(tensor, step.inputs))} -> {', '.join(map(tensor, step.outputs))}"
        lines.append(f"Layer({step.layer_type}): {step.name}, Tactic: {step.tactic_value}, {flow}")
    return "\n".join(lines) + "\n"


def banner(version: str, command: str) -> str:
    major, minor = number(version)
    digits = f"{major}{minor:02d}00" if major >= 10 else f"{major}{minor}00"
    build = " [b1]" if (major, minor) >= (10, 4) else ""
    return f"TensorRT.trtexec [TensorRT v{digits}]{build} # {command}"


def log(version: str, parts: Iterable[str]) -> bytes:
    """A trtexec log around ``parts``: its first and last banner, the version, and the parts as they are."""
    title = banner(version, "trtexec --onnx=model.onnx --profilingVerbosity=detailed --verbose")
    head = f"&&&& RUNNING {title}\n{STAMP} [I] TensorRT version: {version}.0\n"
    return (head + "".join(parts) + f"{STAMP} [I] Skipped inference phase.\n&&&& PASSED {title}\n").encode()


def layer_information_log(description: Description, version: str = "10.16") -> bytes:
    """A trtexec log with ``--dumpLayerInfo``."""
    text = inspector_text(description, version)
    return log(version, (f"{STAMP} [I] Layer Information:\n{STAMP} [I] ", text))


def build_log(description: Description, version: str = "10.4") -> bytes:
    """A verbose build log whose layer rows are all that is known of the engine."""
    return log(
        version, (layer_rows(description, version), f"{STAMP} [V] [TRT] Engine generation completed in 1.5 seconds.\n")
    )
