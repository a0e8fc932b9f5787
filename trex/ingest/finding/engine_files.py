"""EngineFiles: the paths of one engine's files, by what each of them is; and the artifacts it is put together from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from trex.core.errors import EXCERPT_CHARS
from trex.core.note import Note
from trex.ingest.finding.file_kind import Kind, recognize
from trex.ingest.finding.file_names import Hint, common_length, engine_key, hints_of, stripped


@dataclass(frozen=True, slots=True)
class EngineFiles:
    """Paths of one engine's files, None for what is not there; ``archive.tea!member`` for a member of an archive.

    graph: layer information, as JSON or as the inspector's text. profile: layer times, as trtexec's profile or, without
    one, as samples per iteration (then also in ``samples``). others: files of this engine that no slot takes.
    notes: how files were paired where names and content left a choice.
    """

    name: str
    graph: str | None = None
    profile: str | None = None
    timing: str | None = None
    profile_metadata: str | None = None
    build_metadata: str | None = None
    device: str | None = None
    monitor: str | None = None
    build_log: str | None = None
    profile_log: str | None = None
    samples: str | None = None
    engine: str | None = None
    onnx: str | None = None
    archive: str | None = None
    others: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """Every file of the engine once, the graph first."""
        return tuple(dict.fromkeys(path for slot in SLOTS if (path := getattr(self, slot)))) + self.others


SLOTS = (
    "graph",
    "profile",
    "timing",
    "profile_metadata",
    "build_metadata",
    "device",
    "monitor",
    "build_log",
    "profile_log",
    "samples",
    "engine",
    "onnx",
    "archive",
)
# Slots that tell layers, or that are the engine itself: what makes a group of files an engine.
_TELLING = ("graph", "profile", "samples", "build_log", "profile_log", "engine", "archive")
_SLOT_OF = {
    Kind.GRAPH: "graph",
    Kind.INSPECTOR_TEXT: "graph",
    Kind.PROFILE: "profile",
    Kind.SAMPLES: "samples",
    Kind.TIMING: "timing",
    Kind.DEVICE: "device",
    Kind.MONITOR: "monitor",
    Kind.ENGINE_PLAN: "engine",
    Kind.ONNX: "onnx",
    Kind.ARCHIVE: "archive",
}
_HINT_OF = {
    "graph": Hint.GRAPH,
    "profile": Hint.PROFILE,
    "timing": Hint.TIMING,
    "build_log": Hint.BUILD,
    "profile_log": Hint.PROFILE,
}
_PROMISING = frozenset({Hint.GRAPH, Hint.PROFILE, Hint.TIMING})
# Names that promise layer information so plainly that a file without any is an error worth showing.
_GRAPH_NAME = re.compile(r"(?:\.graph|layer_?info)\.json(?:\.gz|\.zstd?)?\Z", re.IGNORECASE)
# Names under which nothing but an engine's facts, samples or logs are kept.
_BESIDE_NAME = re.compile(
    r"(?:(?<![a-z])(?:metadata|monitor)\.json|(?<![a-z])(?:build|profile|trtexec)\.log)(?:\.gz|\.zstd?)?\Z",
    re.IGNORECASE,
)
_JSON_NAME = re.compile(r"\.jsonl?(?:\.gz|\.zstd?)?\Z", re.IGNORECASE)
_RUN_FACTS = re.compile(rb'"(?:performance_summary|inference_options)"')
_BUILD_FACTS = re.compile(rb'"(?:build_options|model_options)"')
_LOADED = re.compile(rb"--loadEngine|\bFormat: \*|\] Engine loaded in|\] Loaded engine with size")
_BUILT = re.compile(
    rb"--(?:onnx|saveEngine|buildOnly|deploy|uff)\b|\bFormat: (?:ONNX|Caffe|UFF)\b|dead-layer|Init builder"
)


@dataclass(frozen=True, slots=True)
class Artifact:
    """One recognized file. slot: where it belongs in EngineFiles, "" for none. is_sure: content, not name, said so.

    opening: its first 200 characters, where they say nothing.
    """

    path: str
    name: str
    slot: str
    kind: Kind
    is_sure: bool = True
    is_empty: bool = False
    opening: str = ""

    @property
    def key(self) -> tuple[str, ...]:
        """The words of its name that tell engines apart."""
        return engine_key(self.name)


def artifact(path: str, name: str, head: bytes) -> Artifact:
    """The artifact whose first bytes are ``head``; a file that says nothing takes the slot that its name suggests."""
    kind = recognize(head, name)
    if kind is Kind.METADATA:
        slot = _metadata_slot(head, name)
    elif kind is Kind.LOG:
        slot = _log_slot(head, name)
    else:
        slot = _SLOT_OF.get(kind, "")
    if kind is Kind.UNKNOWN and _GRAPH_NAME.search(name):
        return Artifact(path, name, "graph", kind, is_sure=False, is_empty=not head)
    opening = head[: 4 * EXCERPT_CHARS].decode("utf-8", "replace")[:EXCERPT_CHARS] if kind is Kind.UNKNOWN else ""
    return Artifact(path, name, slot, kind, is_empty=not head, opening=opening)


def _metadata_slot(head: bytes, name: str) -> str:
    of_run, of_build = _RUN_FACTS.search(head) is not None, _BUILD_FACTS.search(head) is not None
    if of_run is not of_build:
        return "profile_metadata" if of_run else "build_metadata"
    return "build_metadata" if Hint.BUILD in hints_of(name) else "profile_metadata"


def _log_slot(head: bytes, name: str) -> str:
    loaded, built = _LOADED.search(head), _BUILT.search(head)
    if loaded and built:
        return "profile_log" if loaded.start() < built.start() else "build_log"
    if loaded or built:
        return "profile_log" if loaded else "build_log"
    return "profile_log" if Hint.PROFILE in hints_of(name) else "build_log"


def is_telling(group: Iterable[Artifact]) -> bool:
    """True when the files tell an engine's layers, or are a serialized engine."""
    return any(found.slot in _TELLING for found in group)


def assembled(group: Sequence[Artifact], name: str, notes: Iterable[Note] = ()) -> EngineFiles:
    """One engine of a group of files. Where two files compete for a slot, a Note says which was taken."""
    candidates: dict[str, list[Artifact]] = {}
    for found in sorted(group, key=lambda found: found.name):
        candidates.setdefault(found.slot, []).append(found)
    others = [found.path for found in candidates.pop("", [])]
    all_notes = [*notes, *_unread(group)]
    anchor = _anchor(candidates)
    slots: dict[str, str] = {}
    for slot, rivals in candidates.items():
        taken = _nearest(rivals, anchor)
        slots[slot] = taken.path
        rest = [found for found in rivals if found is not taken]
        others += [found.path for found in rest]
        if rest:
            all_notes.append(
                Note(
                    "several-candidates",
                    f"{taken.name} was taken as {taken.kind.value}; also there: "
                    + ", ".join(found.name for found in rest[:6]),
                    "name the files of one engine alike, or keep each engine in a folder of its own",
                    taken.path,
                )
            )
    if "samples" in slots:
        slots.setdefault("profile", slots["samples"])
    return EngineFiles(name, **slots, others=tuple(others), notes=tuple(all_notes))  # type: ignore[arg-type]


def _anchor(candidates: dict[str, list[Artifact]]) -> str:
    """The file name the others are compared with: the graph's, if there is just one."""
    graphs = candidates.get("graph", ())
    return graphs[0].name if len(graphs) == 1 else ""


def _nearest(rivals: list[Artifact], anchor: str) -> Artifact:
    def rank(found: Artifact) -> tuple[bool, bool, int, bool, bool, str]:
        is_copy = found.name.lower().endswith((".gz", ".zst"))
        is_text = found.kind is Kind.INSPECTOR_TEXT
        shared = common_length(stripped(found.name), anchor)
        is_named = _HINT_OF.get(found.slot) in hints_of(found.name)
        return (not found.is_sure, is_text, -shared, not is_named, is_copy, found.name)

    return min(rivals, key=rank)


def _unread(group: Iterable[Artifact]) -> Iterator[Note]:
    for found in group:
        if found.is_empty:
            yield Note(
                "empty-file",
                f"{found.name} is empty or unreadable",
                "a run that failed leaves empty files: look at its log",
                found.path,
                "problem" if found.slot else "warning",
            )
        elif found.kind is Kind.UNKNOWN and _promises(found.name):
            yield Note(
                "unrecognized-file",
                f"{found.name} does not hold what its name says (it begins with {found.opening!r})",
                "look into it, or export it again",
                f"{found.path}:1:1",
            )


def _promises(name: str) -> bool:
    """Whether a file of this name should be one of an engine's."""
    is_json = _JSON_NAME.search(name) is not None
    return (is_json and bool(hints_of(name) & _PROMISING)) or _BESIDE_NAME.search(name) is not None
