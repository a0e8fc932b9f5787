"""How many reformats there are, and their share of the time.

What it finds: engines whose reformats inside, between layers, take more than a few percent of the time; all are counted
by what they do: quantize, dequantize, change the float type, change the layout alone, or serve an input or output.
Why it matters: reformats compute nothing. Their share is the first figure to look at in an engine that disappoints.
What to try: the findings of the other rules name the cause of each: QDQ001, QDQ002, QDQ008 where quantization stops,
REF001 where a layer forces its layout, REF003 at the borders.
Does not apply: to those at inputs and outputs (REF003), which are expected; when the share of the others is below the
limit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from trex.core.counted import counted
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.precision_map import known_ms
from trex.rules.rule import Limit, Rule
from trex.rules.wording import priced

_WORDS = {
    "binding": ("serves an input or output", "serve inputs and outputs"),
    "quantize": ("quantizes", "quantize"),
    "dequantize": ("dequantizes", "dequantize"),
    "convert": ("changes the float type", "change the float type"),
    "layout": ("changes the layout", "change the layout"),
}


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding | CannotTell]:
    flow = seen.flow
    places = flow.copies
    kinds = [_kind(seen, place) for place in places]
    if all(kind == "binding" for kind in kinds):
        return
    if not seen.is_timed:
        yield CannotTell(
            f"the engine has {counted(len(places), 'reformat')}, whose times are unknown",
            "profile the engine: trtexec --loadEngine=… --dumpProfile --separateProfileRun --exportProfile=…",
        )
        return
    cost = known_ms(seen, places)
    inside = known_ms(seen, [place for place, kind in zip(places, kinds) if kind != "binding"])
    if not inside * 100 >= limits["share"] * seen.total_ms:
        return
    counts = Counter(kinds)
    parts = [f"{counts[kind]} {words[counts[kind] > 1]}" for kind, words in _WORDS.items() if counts[kind]]
    by_kind = [
        Evidence(words[1], known_ms(seen, [place for place, each in zip(places, kinds) if each == kind]), "ms")
        for kind, words in _WORDS.items()
        if counts[kind]
    ]
    yield Finding(
        f"{counted(len(places), 'reformat takes', 'reformats take')} {priced(cost, seen.total_ms)}: {', '.join(parts)}",
        layers=tuple(seen.layers[place].index for place in places),
        formula="told, not counted: the findings about each of them count its time",
        evidence=(Evidence("reformats", len(places)), Evidence("their time", cost, "ms"), *by_kind),
        advice=("see the findings QDQ001, QDQ002, QDQ008, REF001 and REF004 about each of them, the dearest first",),
        documentation=("NVIDIA Technical Blog: Exploring NVIDIA TensorRT Engines with TREx",),
        proof="the number of Reformat layers and the sum of their times in the next engine",
    )


def _kind(seen: Inspected, place: int) -> str:
    flow = seen.flow
    if flow.reads_binding(place) or flow.writes_binding(place):
        return "binding"
    if flow.quantizes(place):
        return "quantize"
    if flow.dequantizes(place):
        return "dequantize"
    return "convert" if flow.is_conversion(place) else "layout"


RULE = Rule(
    "REF005",
    "share of reformats in the time",
    Severity.WARNING,
    check,
    {"share": Limit(2.0, "%", "share of the engine's time from which reformats between layers are told")},
)
