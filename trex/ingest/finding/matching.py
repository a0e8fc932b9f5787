"""Candidates of one folder → engines: every file goes to the graph it matches best, or is left out with a Note."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from trex.core.counted import counted
from trex.core.note import Note
from trex.core.printable import shell_word
from trex.ingest.finding.candidate import Candidate, unread_notes
from trex.ingest.finding.engine_files import EngineFiles
from trex.ingest.finding.file_kind import Kind
from trex.ingest.finding.file_names import Words, stem_of, suggested_slots

# Beyond this many graphs in a folder their layers are not compared: files of so many engines are named by a rule.
MAX_COMPARED = 50
FITTING = 0.5
"""Share of a profile's first layers that must be the graph's."""

_LISTED = 4
_HINT = "give the files of one engine similar names, or keep each engine in a folder of its own"
_TIMES = ("profile", "samples")
_LOGS = ("build_log", "profile_log")
_TEXTS = ("profile_metadata", "build_metadata", "build_log", "profile_log")
# What an engine can use, though it may make no engine alone.
_PARTS = (*_TIMES, *_TEXTS, "timing", "monitor", "device")
# Slots that describe layers, or hold the engine itself: they make an engine of a group of files.
_ENGINE_SLOTS = ("graph", *_TIMES, "build_log", "profile_log", "engine", "archive")

# Evidence that a file is of a graph's engine, from a contradiction up; what is sure beats any amount of a guess.
MISMATCH, NOTHING, ONLY_CHOICE, SIMILAR_NAME, CONTENT, SAME_NAME = range(-1, 5)


_UNNAMED = (*_TIMES, "timing", "profile_metadata", "build_metadata", "monitor")
# Slots whose figures may be another engine's after a match of this level. Layers of a log are compared later.
_GUESSED = {ONLY_CHOICE: (*_UNNAMED, *_LOGS), SIMILAR_NAME: _UNNAMED}


class FolderMatch(NamedTuple):
    """How well a file matches a graph: the larger the better.

    amount: of evidence of that level. next_amount: of the next level, between equals.
    """

    level: int
    amount: float = 0.0
    next_amount: float = 0.0


class Folder:
    """The candidates of a folder: its graphs, one per engine, and the others.

    compared: the graphs that files of other names are compared with. left: files that no engine got → the graphs that
    they match equally well, and the reason.
    """

    def __init__(self, files: Sequence[Candidate]) -> None:
        self.by_words = _by_words(files)
        self.graphs = [graph for group in self.by_words.values() for graph in _graphs(group)]
        self.compared = [graph for graph in self.graphs if graph.is_sure]
        self.namesakes = _by_words(self.graphs)
        self.members = {graph: [graph] for graph in self.graphs}
        self.others = [file for file in files if file not in self.members]
        self.counts = Counter(file.slot for file in self.others)
        self.notes: dict[Candidate, list[Note]] = {graph: [] for graph in self.graphs}
        self.left: dict[Candidate, tuple[list[Candidate], str]] = {}

    def match(self, file: Candidate, graph: Candidate) -> tuple[FolderMatch, str]:
        """The match and its reason. Names decide first, then content."""
        content, reason = self._content(file, graph)
        if file.words == graph.words:
            return FolderMatch(SAME_NAME, _shared(file.stem, graph.stem), content), ""
        if content < 0:
            return FolderMatch(MISMATCH), reason
        words = _shared(file.words, graph.words)
        words = words if words == min(len(file.words), len(graph.words)) else 0
        if content:
            return FolderMatch(CONTENT, content, words), reason
        if words:
            return FolderMatch(SIMILAR_NAME, words), "its name starts with the same words"
        if len(self.compared) == 1 and self.counts[file.slot] == 1:
            return FolderMatch(ONLY_CHOICE), "nothing else in the folder fits it"
        return FolderMatch(NOTHING), "nothing says which engine it belongs to"

    def _content(self, file: Candidate, graph: Candidate) -> tuple[float, str]:
        """(amount of evidence, reason): layers that a profile times, files that a log or metadata mentions."""
        if file.slot in _TIMES:
            share = file.timed_share(graph) if len(self.compared) <= MAX_COMPARED else None
            if share is not None and share < FITTING:
                return -1.0, f"its layers are not those of {_listed(self.compared)}"
            return (1.0 if share == 1.0 else FITTING, "it times these layers") if share else (0.0, "")
        namesakes = self.by_words[graph.words]
        if file.slot in _TEXTS:
            exports = [one.name for one in namesakes if one.slot != "onnx" and one.name in file.mentions]
            similar = [name for name, words in file.mentions.items() if words and words == graph.words]
            binaries = [name for name in similar if name.lower().endswith((".engine", ".plan", ".trt"))]
            pairs = ((3.0, exports), (2.0, binaries), (1.0, similar))
            return next(((amount, f"it mentions {', '.join(names)}") for amount, names in pairs if names), (0.0, ""))
        speakers = (one.name for one in namesakes if one.slot in _TEXTS and file.name in one.mentions)
        return next(((1.0, f"{speaker} mentions it") for speaker in speakers), (0.0, ""))

    def join_files(self) -> None:
        """Adds every file to the engine it matches best, if that is one, and no other file matches it as well."""
        claims: dict[tuple[Candidate, str], list[tuple[FolderMatch, Candidate, str]]] = {}
        for file in self.others:
            others = self.compared if len(self.compared) <= MAX_COMPARED else ()
            none = "" if others or not self.compared else f"none of the {len(self.compared)} graphs here has its name"
            matches = [(*self.match(file, graph), graph) for graph in self.namesakes.get(file.words, others)]
            best, reason, _ = max(matches, key=lambda entry: entry[0], default=(FolderMatch(MISMATCH), none, None))
            fitting = [graph for match, _, graph in matches if match == best and match.level > MISMATCH]
            if file.slot == "device" and not file.words and best.level < SAME_NAME and self.graphs:
                for graph in self.graphs:
                    self.members[graph].append(file)
            elif len(fitting) == 1 and best.level == SAME_NAME:
                self.members[fitting[0]].append(file)
            elif len(fitting) == 1 and file.slot not in ("", "archive"):
                claims.setdefault((fitting[0], file.slot), []).append((best, file, reason))
            else:
                self.left[file] = (fitting, reason if len(fitting) < 2 else f"it may belong to {_listed(fitting)}")
        for (graph, slot), claimants in claims.items():
            claimants.sort(key=lambda claim: claim[0], reverse=True)
            self._settle(graph, slot, claimants)

    def _settle(self, graph: Candidate, slot: str, claimants: list[tuple[FolderMatch, Candidate, str]]) -> None:
        """Adds the best of the files of other names that claim a slot, if it is free, and leaves the rest out."""
        rivals = {file.name for file in self.members[graph] if file.slot == slot} | {
            file.name for _, file, _ in claimants
        }
        best, winner, reason = claimants[0]
        is_free = not any(member.slot == slot for member in self.members[graph])
        if is_free and best.level > NOTHING and (len(claimants) == 1 or claimants[1][0] < best):
            self.members[graph].append(winner)
            if len(self.graphs) > 1 or (winner.words and graph.words):
                is_guess = slot in _GUESSED.get(best.level, ())
                message = f"{winner.name} was matched with {graph.name}: {reason}"
                hint = "give the paths of the files if they are of different engines"
                severity = "warning" if is_guess else "info"
                self.notes[graph].append(Note("matched-file", message, hint, winner.path, severity))
            del claimants[0]
        for _, file, _ in claimants:
            others = ", ".join(sorted(rivals - {file.name})[:_LISTED])
            self.left[file] = ([graph], f"{graph.name} may have it or {others}")

    def free_logs(self) -> list[str]:
        """Paths of the logs that no engine got, but for those that name another engine's files."""
        return [file.path for file, (fitting, _) in self.left.items() if file.slot in _LOGS and fitting]

    def separate_groups(self) -> Iterator[list[Candidate]]:
        """Groups of files left that are engines by themselves; files of a group are no longer left."""
        for words, group in _by_words(self.left).items():
            if (words or not self.compared) and any(map(self._stands_alone, group)):
                yield group
                for file in group:
                    del self.left[file]

    def _stands_alone(self, file: Candidate) -> bool:
        """True for a log, a binary, and times of layers that none of several graphs has."""
        if file.slot in _TIMES:
            return not self.left[file][0] and len(self.compared) != 1
        return file.slot in _ENGINE_SLOTS

    def left_notes(self, files: Iterable[Candidate], severity: str = "warning") -> list[Note]:
        """Notes on files left out that an engine could use: on the first few, and how many more there are."""
        files = [file for file in files if file.slot in _PARTS and self.left[file][1]]
        notes = []
        for file in files[:_LISTED]:
            given = f"give it with --profiling-json {shell_word(file.name)}; or " if file.slot in _TIMES else ""
            message = f"{file.name} was left out: {self.left[file][1]}"
            notes.append(Note("unmatched-file", message, given + _HINT, file.path, severity))
        if more := files[_LISTED:]:
            notes.append(Note("unmatched-file", f"{counted(len(more), 'more file')} left out", _HINT, more[-1].path))
        return notes


def matched(files: Sequence[Candidate], notes: Sequence[Note] = ()) -> list[EngineFiles]:
    """The engines of one folder: one for each graph, and one for each group of other files that is an engine alone.

    notes: about the folder; every engine gets them.
    """
    folder = Folder([file for file in files if file.slot or file.is_empty or file.kind is Kind.UNKNOWN])
    folder.join_files()
    engines = []
    for group in folder.separate_groups():
        main = min(group, key=lambda file: (not file.is_named, not file.slot, file.name))
        engines.append(assembled(group, stem_of(main.path), [*notes, *folder.left_notes(group, "info")]))
    of_any = [file for file, (fitting, _) in folder.left.items() if not fitting]
    left_of: dict[Candidate, list[Candidate]] = {graph: [] for graph in folder.graphs}
    for file, (fitting, _) in folder.left.items():
        for graph in fitting:
            left_of[graph].append(file)
    for graph, members in folder.members.items():
        left = (*left_of[graph], *of_any)
        all_notes = [*notes, *folder.notes[graph], *folder.left_notes(left)]
        engine = assembled(members, stem_of(graph.path), all_notes)
        free = folder.free_logs() if len(folder.graphs) == 1 else ()
        engines.append(replace(engine, more_logs=(*engine.more_logs, *free)))
    return engines


def only_timed(files: Sequence[Candidate], notes: Sequence[Note] = ()) -> list[EngineFiles]:
    """One engine without layers for each group of files with per-query times, for a folder that has nothing better."""
    groups = (group for group in _by_words(files).values() if any(file.slot == "timing" for file in group))
    return [assembled(group, stem_of(min(file.path for file in group)), notes) for group in groups]


def _graphs(namesakes: Iterable[Candidate]) -> list[Candidate]:
    """The graphs of files with the same words; a copy or an inspector's text is no graph of its own."""
    graphs = sorted(
        (file for file in namesakes if file.slot == "graph"),
        key=lambda file: (not file.is_named, not file.is_sure, file.kind is not Kind.GRAPH, file.stem, file.name),
    )
    stems = {file.stem: file for file in reversed(graphs) if file.is_sure and file.kind is Kind.GRAPH}
    return list(stems.values())[::-1] if len(stems) > 1 else graphs[:1]


def is_engine(files: Iterable[Candidate]) -> bool:
    """True if the files describe an engine's layers, or are a serialized engine."""
    return any(file.slot in _ENGINE_SLOTS for file in files)


def assembled(files: Sequence[Candidate], name: str, notes: Iterable[Note] = ()) -> EngineFiles:
    """One engine of a group of files. If several have the same slot, a Note says which was taken."""
    all_notes = [*notes, *unread_notes(files)]
    graphs = [file.name for file in files if file.slot == "graph"]
    slots: dict[str, str] = {}
    others = [file.path for file in files if not file.slot]
    more_logs: list[str] = []
    for slot in dict.fromkeys(file.slot for file in files if file.slot):
        first, *rest = sorted(
            (file for file in files if file.slot == slot),
            key=lambda file: _preference(file, graphs[0] if len(graphs) == 1 else ""),
        )
        slots[slot] = first.path
        others += [file.path for file in rest]
        more_logs += [file.path for file in rest if slot in _LOGS]
        if rest:
            names = ", ".join(file.name for file in rest[:6])
            message = f"{first.name} was taken as {first.kind.label}; also there: {names}"
            all_notes.append(Note("several-candidates", message, _HINT, first.path))
    if "samples" in slots:
        taken = slots.setdefault("profile", slots["samples"])
        if taken != slots["samples"]:
            own, other = (file.name for path in (taken, slots["samples"]) for file in files if file.path == path)
            message = f"{own} was taken for the layers' times; also there: {other}"
            all_notes.append(Note("several-candidates", message, _HINT, taken))
    return EngineFiles(name, **slots, others=tuple(others), more_logs=tuple(more_logs), notes=tuple(all_notes))


def _preference(file: Candidate, graph: str) -> tuple[bool, bool, bool, int, bool, bool, str]:
    """Of several files for one slot, the lowest is taken. graph: name of the engine's graph."""
    is_copy = file.name.lower().endswith((".gz", ".zst"))
    is_suggested = file.slot.replace("profile_log", "profile") in suggested_slots(file.name)
    is_poorer = file.kind in (Kind.INSPECTOR_TEXT, Kind.POLYGRAPHY_TEXT, Kind.RUN_RESULTS)
    return (
        not file.is_named,
        not file.is_sure,
        is_poorer,
        -_shared(file.stem, graph),
        not is_suggested,
        is_copy,
        file.name,
    )


def _by_words(files: Iterable[Candidate]) -> dict[Words, list[Candidate]]:
    groups: dict[Words, list[Candidate]] = {}
    for file in files:
        groups.setdefault(file.words, []).append(file)
    return groups


def _shared(first: Sequence[str], second: Sequence[str]) -> int:
    """How many leading items two sequences share."""
    pairs = enumerate(zip(first, second))
    return next((index for index, (a, b) in pairs if a != b), min(len(first), len(second)))


def _listed(graphs: Sequence[Candidate]) -> str:
    few = " or ".join(sorted(graph.name for graph in graphs))
    return few if len(graphs) <= _LISTED else f"any of the {len(graphs)} graphs here"
