"""Lines in the sections of a trtexec log → options, inputs and outputs, milestones, performance."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from trex.core.metadata import LatencySummary
from trex.core.shape import Shape
from trex.ingest.logs.chatter import BINDING_STARTS, SPARSITY_STARTS
from trex.ingest.spelling.written_number import written_number

NUMBER = r"[-+]?(?:[0-9]{1,40}(?:\.[0-9]{0,40})?(?:[eE][-+]?[0-9]{1,4})?|\.[0-9]{1,40}|nan|inf)"

# Before three digits and a decimal point a comma separates thousands; without the point it may be a decimal comma.
_GROUPED = re.compile(r"(?<![0-9.,])[0-9]{1,3}(?:,[0-9]{3}){1,9}(?=\.[0-9])", re.ASCII)
_WITH_COMMA = re.compile(r"[0-9],[0-9]{1,40} ?(?:ms|s|sec|qps|MiB|queries)\b", re.ASCII)
_STATISTIC = re.compile(rf"(?<![a-z])([a-z]+)(?:\(([0-9]{{1,3}}(?:\.[0-9]{{1,9}})?)%\))? = ({NUMBER}) ms", re.ASCII)
_QUANTITY = re.compile(rf"({NUMBER}) ?([A-Za-z/%]*)$", re.ASCII)
_SECTION = re.compile(r"=== (.+) ===$")
_BINDING = re.compile(
    r"(?:Created (?P<old>input|output) binding|(?P<new>Input|Output) binding) for (?P<name>.*) with dimensions"
    r" ?(?P<dims>[0-9x-]*)(?: and type (?P<type>[A-Za-z0-9_]+))?(?: is created\.?)?$"
)
_DYNAMIC_BINDING = re.compile(r"(Input|Output) binding for (.*) is dynamic and will be created during execution")
_NETWORK_INPUT = re.compile(r"Adding network input: (.+) with dtype: ")
_NETWORK_OUTPUT = re.compile(r"Marking .+ as output: (.+)")
_DIMENSIONS = re.compile(r"-?[0-9]{1,18}(?:x-?[0-9]{1,18}){0,9999}", re.ASCII)

_MILESTONES = tuple(
    (name, re.compile(pattern + rf" ({NUMBER})(?![0-9]|[.,][0-9])", re.ASCII))  # no part of a number
    for name, pattern in (
        ("engine_built_s", r"Engine built in"),
        ("engine_loaded_s", r"Engine loaded in"),
        ("engine_deserialized_s", r"Engine deserialized in"),
        ("engine_size_mib", r"(?:Created|Loaded) engine with size:"),
        ("context_memory_mib", r"Created execution context with device memory size:"),
        ("model_parsed_s", r"Finished parsing network model\. Parse time:"),
        ("queries", r"Timing trace has"),
        ("warm_up_queries", r"Warmup completed"),
        ("loaded_engine_mib", r"Loaded engine size:"),
        (
            "peak_gpu_mib",
            r"\[MemUsageStats\] Peak memory usage of TRT CPU/GPU memory allocators: CPU [0-9]{1,12} MiB, GPU",
        ),
        ("peak_cpu_mib", r"\[MemUsageStats\] Peak memory usage of TRT CPU/GPU memory allocators: CPU"),
        ("engine_generation_s", r"Engine generation completed in"),
    )
)
_MILESTONE_STARTS = ("Engine ", "Created e", "Loaded e", "Finished p", "Timing t", "Warmup c", "[MemUsageStats] Peak")
_SPARSITY = dict(zip(SPARSITY_STARTS, ("sparsity_eligible_layers", "sparsity_picked_layers"), strict=True))
# A build that tries several strategies generates one engine with each: the times add up.
SUMMED = "engine_generation_s"


@dataclass(frozen=True, slots=True)
class LogBinding:
    """An input or output that trtexec created. shape: None if unknown before execution. type_text: "" if unknown."""

    name: str
    is_input: bool
    shape: Shape | None
    type_text: str = ""


def section_name(message: str) -> str | None:
    """``Model Options`` for the line ``=== Model Options ===``, None for other lines."""
    if not message.startswith("=== "):
        return None
    match = _SECTION.match(message.rstrip(" \t"))
    return match[1] if match else None


def add_option(options: dict[str, list[str]], message: str) -> None:
    """Adds one ``Key: value`` line, both verbatim; a key may repeat (one line per input).

    The lines after ``Inputs:`` (``name<-file``) are its values.
    """
    text = message.strip(" \t")
    key, colon, value = text.partition(":")
    if "<-" in text and next(reversed(options), None) == "Inputs":
        key, value = "Inputs", text
    elif not colon:
        return
    values = options.setdefault(key.rstrip(" \t"), [])
    value = value.strip(" \t")
    if value and value not in values[-1:]:
        values.append(value)


def joined(options: dict[str, list[str]]) -> dict[str, str]:
    """Each option's values as one text, separated by comma and blank; "" without values."""
    return {key: ", ".join(values) for key, values in options.items()}


def parse_binding(message: str) -> LogBinding | None:
    """``Input binding for x with dimensions 1x28 and type fp32 is created.`` and older spellings; None for others."""
    if " binding for " not in message[:32]:
        return None
    binding = _BINDING.match(message)
    if binding:
        is_input = (binding["old"] or binding["new"]).lower() == "input"
        return LogBinding(binding["name"], is_input, _shape(binding["dims"]), binding["type"] or "")
    dynamic = _DYNAMIC_BINDING.match(message)
    return LogBinding(dynamic[2], dynamic[1] == "Input", None) if dynamic else None


def parse_network_binding(message: str) -> str | None:
    """The name of the network's input or output in a message of the ONNX importer; None for other messages.

    ``Adding network input: x with dtype: float32, …``, ``Marking y_6 as output: y``.
    """
    if not message.startswith(BINDING_STARTS):
        return None
    match = _NETWORK_INPUT.match(message) or _NETWORK_OUTPUT.match(message)
    return match[1].rstrip() if match else None


def _shape(text: str) -> Shape | None:
    if not text:
        return ()
    if not _DIMENSIONS.fullmatch(text):
        return None
    sizes = (int(part) for part in re.findall(r"-?[0-9]+", text))
    return tuple(size if size >= 0 else None for size in sizes)


def add_milestone(milestones: dict[str, float], message: str) -> bool:
    """Adds times of build, load and parse, sizes of engine and memory, the number of queries, and the numbers of layers
    that could use sparse weights and that do. Returns whether the message has a number with a comma, which is not read.
    """
    if not message.startswith(_MILESTONE_STARTS):
        if message.startswith(SPARSITY_STARTS):
            _add_sparsity(milestones, message)
        return False
    message = _ungrouped(message)
    for name, pattern in _MILESTONES:
        match = pattern.match(message)
        if match:
            milestones[name] = float(match[1]) + (milestones.get(name, 0.0) if name == SUMMED else 0.0)
    return _WITH_COMMA.search(message) is not None


def _ungrouped(text: str) -> str:
    """``1,155.6 qps`` → ``1155.6 qps``; ``1,155 ms`` stays."""
    return _GROUPED.sub(lambda match: match[0].replace(",", ""), text) if "," in text else text


AVERAGE_TIME = "Average inference time: "
_POLYGRAPHY_RUN = re.compile(
    r"(\S{1,200}) +\| Completed (\d{1,12}) iteration\(s\) in [0-9.eE+-]{1,30} ms \| "
    r"Average inference time: ([0-9.eE+-]{1,30}) ms\.?$"
)


def add_polygraphy_run(milestones: dict[str, float], message: str) -> str:
    """Adds the average time of the first runner of ``polygraphy run --trt``: wall time on the host, copies included.

    Returns the name of a runner whose time was left out, as that of a second one; "" for none.
    Source of the line: Comparator.run of Polygraphy 0.53. Its ONNX Runtime runners are left out without a word.
    """
    match = _POLYGRAPHY_RUN.match(message)
    average = written_number(match[3]) if match and match[1].startswith("trt") else None
    if match is None or average is None:
        return ""
    if "polygraphy_average_ms" in milestones:
        return match[1]
    milestones["polygraphy_average_ms"] = average
    milestones["polygraphy_iterations"] = float(match[2])
    return ""


def _add_sparsity(milestones: dict[str, float], message: str) -> None:
    """``(Sparsity) Layers eligible for sparse math: a, b`` counts as 2, no names as 0."""
    key = next(name for start, name in _SPARSITY.items() if message.startswith(start))
    _, colon, names = message.partition(":")
    if colon:
        milestones[key] = float(sum(1 for name in names.split(", ") if name.strip()))


def add_performance(performance: dict[str, Any], latency: dict[str, LatencySummary], message: str) -> bool:
    """Adds one line of the performance summary. Returns whether it has a number with a comma, which is not read.

    ``Latency: min = …`` becomes a LatencySummary in milliseconds, and in ``performance`` the list [min, max, mean,
    median, percentiles …] of TREx's metadata files. ``Throughput: 6207.5 qps`` and ``Total Host Walltime: 3 s`` become
    numbers in trtexec's unit; other ``Key: value`` lines stay text.
    """
    text = message.strip(" \t")
    key, separator, value = text.partition(": ")
    if not separator or text.startswith("*"):
        return False
    value = _ungrouped(value)
    has_comma = _WITH_COMMA.search(value) is not None
    statistics = _STATISTIC.findall(value)
    if statistics:
        latency[key] = summary = _latency_summary(statistics)
        ordered = (summary.minimum_ms, summary.maximum_ms, summary.mean_ms, summary.median_ms)
        performance[key] = [number for number in ordered if number is not None] + list(summary.percentiles.values())
        return has_comma
    quantity = _QUANTITY.match(value)
    performance[key] = float(quantity[1]) if quantity else value
    return has_comma


def _latency_summary(statistics: list[tuple[str, str, str]]) -> LatencySummary:
    plain = {name: float(number) for name, label, number in statistics if not label}
    percentiles = {float(label): float(number) for name, label, number in statistics if name == "percentile" and label}
    return LatencySummary(plain.get("min"), plain.get("max"), plain.get("mean"), plain.get("median"), percentiles)
