"""Quirk: one way in which a TensorRT release, tool or file differs from the common spelling, and its correction."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum

from trex.core.registry import Plug, Registry
from trex.ingest.raw_engine import RawEngine


class QuirkStage(IntEnum):
    """When a quirk runs. Stages run in this order; quirks of one stage commute (a test shuffles them).

    DOCUMENT finds the layers in the file, SCHEMA corrects the keys of records, TEXT cleans characters, ROLE sets the
    role of layers, NAME removes prefixes and suffixes from names, MEANING corrects types, PROFILE assigns optimization
    profiles, WIRING corrects inputs, outputs and bindings.
    """

    DOCUMENT = 0
    SCHEMA = 1
    TEXT = 2
    ROLE = 3
    NAME = 4
    MEANING = 5
    PROFILE = 6
    WIRING = 7


@dataclass(frozen=True, slots=True)
class Quirk:
    """``applies`` must be cheap and must not change anything; ``apply`` edits the raw engine and leaves Notes."""

    stage: QuirkStage
    applies: Callable[[RawEngine], bool]
    apply: Callable[[RawEngine], None]


QUIRKS = Registry("trex.ingest.quirks", "QUIRK", kind=Quirk)


def in_order(plugs: Iterable[Plug]) -> list[Plug]:
    """Quirks by stage, then by name."""
    return sorted(plugs, key=lambda plug: (plug.value.stage, plug.name))


def run_quirks(raw: RawEngine, quirks: Iterable[Quirk] | None = None) -> RawEngine:
    """The raw engine after every quirk that applies, stage by stage; the layers are taken out after DOCUMENT.

    A registered quirk that cannot be imported becomes a Note.
    """
    if quirks is None:
        quirks = [plug.value for plug in in_order(QUIRKS.values())]
        for broken in QUIRKS.broken:
            raw.note("broken-quirk", f"the quirk {broken.name!r} could not be imported: {broken.reason}")
    pending = list(quirks)
    for stage in QuirkStage:
        for quirk in pending:
            if quirk.stage is stage and quirk.applies(raw):
                quirk.apply(raw)
        if stage is QuirkStage.DOCUMENT:
            raw.open()
    return raw
