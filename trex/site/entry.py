"""Entry: one engine that a site lists, and the sources that find them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trex.core.registry import Registry

if TYPE_CHECKING:
    from trex.plan.engine_plan import EnginePlan


@dataclass(frozen=True)
class Entry:
    """key: unique in the site, and stable. name: of the engine. place: its folder, or what else people know it by.

    parts: what its files contain, in words. changed: seconds since 1970 of its newest file. size: bytes of its files.
    state: changes when the engine does. load: reads it; raises TrexError.
    """

    key: str
    name: str
    place: str
    parts: tuple[str, ...]
    changed: float
    size: int
    state: tuple[object, ...]
    load: Callable[[], EnginePlan]


# Each file defines SOURCE: folder → its entries, none if the folder is of another kind.
SOURCES = Registry("trex.site.sources", "SOURCE")


def entries_of(root: str) -> dict[str, Entry]:
    """{key: entry} of all sources, in the order of places and names."""
    entries = [entry for name in SOURCES.names for entry in SOURCES.load(name).value(root)]
    entries.sort(key=lambda entry: (entry.place.split("/"), entry.name))
    return {entry.key: entry for entry in entries}
