"""Artifacts of one folder → engines: which files go together, by names and, where those leave it open, by content."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from trex.core.counted import counted
from trex.core.note import Note
from trex.ingest.finding.engine_files import Artifact, EngineFiles, assembled, is_telling
from trex.ingest.finding.evidence import FITTING, Evidence
from trex.ingest.finding.file_kind import Kind
from trex.ingest.finding.file_names import common_length, engine_key, stem_of, stripped

# Beyond this many graphs in a folder their layers are not compared: files of so many engines are named by a rule.
MAX_COMPARED = 50

_LISTED = 4
_NAME_ALIKE = "name it like the engine's other files, or keep each engine in a folder of its own"
_TIMES = ("profile", "samples")
_TEXTS = ("profile_metadata", "build_metadata", "build_log", "profile_log")
# Files that make no engine alone, but that an engine is the poorer without.
_PARTS = (*_TIMES, "timing", "profile_metadata", "build_metadata")

Key = tuple[str, ...]


@dataclass(eq=False)
class _Home:
    """A graph and the files that go with it. key: the words of its name that tell it apart."""

    key: Key
    name: str
    graph: Artifact
    members: list[Artifact]
    notes: list[Note]


@dataclass(frozen=True)
class _Verdict:
    """homes: where a file may belong. why: what speaks for it, or against all. code: of the Note that says so."""

    homes: tuple[_Home, ...]
    why: str = ""
    code: str = "ambiguous-file"


def paired(found: list[Artifact], notes: Iterable[Note] = (), anyhow: bool = False) -> list[EngineFiles]:
    """The engines of one folder. anyhow: a graph takes files of other names along, if only it comes into question.

    Names decide first. A file whose name fits no graph goes to the one graph whose layers it times, or of whose files
    it speaks, else to the one whose name is nearest; a Note says so, or why it was left out.
    """
    notes = [*notes]
    homes: list[_Home] = []
    strays: list[tuple[Key, list[Artifact]]] = []
    unclear: list[Artifact] = []
    for key, group in _by_key(found).items():
        if any(one.slot == "graph" for one in group):
            unclear += _settle(key, group, homes, notes)
        else:
            strays.append((key, group))
    graphs = sum(one.slot == "graph" and one.is_sure for one in found)
    pairing = _Pairing(homes)
    if graphs > 1 or (graphs == 1 and anyhow):
        strays = pairing.joined(strays, unclear)
    pairing.note_numbers(one for one in found if one.kind is Kind.NUMBERS)
    engines = [assembled(home.members, home.name, home.notes) for home in homes]
    for key, group in strays:
        if is_telling(group):
            main = min(group, key=lambda one: (not one.slot, one.name))
            engines.append(assembled(group, stem_of(main.path), [*notes, *pairing.said.get(key, ())]))
    return engines


def _by_key(found: Iterable[Artifact]) -> dict[Key, list[Artifact]]:
    groups: dict[Key, list[Artifact]] = {}
    for one in found:
        groups.setdefault(one.key, []).append(one)
    # Files nobody recognizes matter only beside an engine that they may be a broken part of.
    return {
        key: [one for one in group if one.slot or one.is_empty or one.kind is Kind.UNKNOWN]
        for key, group in groups.items()
        if any(one.slot for one in group)
    }


def _settle(key: Key, group: list[Artifact], homes: list[_Home], notes: list[Note]) -> list[Artifact]:
    """One home per graph of these words. A file goes to the graph whose name shares most with its own; returned are
    those that share as much with several."""
    graphs = [one for one in group if one.slot == "graph" and one.is_sure and one.kind is Kind.GRAPH]
    stems = sorted({stripped(graph.name) for graph in graphs})
    if len(stems) < 2:
        main = (graphs or sorted(group, key=lambda one: (not one.slot, one.name)))[0]
        graph = min((one for one in group if one.slot == "graph"), key=lambda one: not one.is_sure)
        homes.append(_Home(key, stem_of(main.path), graph, group, [*notes]))
        return []
    parts: dict[str, list[Artifact]] = {stem: [] for stem in stems}
    unclear = []
    for one in group:
        name = stripped(one.name)
        shared = {stem: common_length(name, stem) for stem in stems}
        nearest = [stem for stem, length in shared.items() if length == max(shared.values())]
        if one in graphs or name in stems:
            nearest = [name]
        if len(nearest) == 1:
            parts[nearest[0]].append(one)
        elif one.slot:
            unclear.append(one)
    for stem, part in parts.items():
        graph = next(one for one in graphs if stripped(one.name) == stem)
        homes.append(_Home(key, stem_of(graph.path), graph, part, [*notes]))
    return unclear


class _Pairing:
    """Brings files whose names do not say it to their graphs. said: Notes on files that stay alone, by their words."""

    def __init__(self, homes: list[_Home]) -> None:
        self.homes = homes
        self.evidence = Evidence()
        self.said: dict[Key, list[Note]] = {}
        self.of_anyone: list[Artifact] = []

    @cached_property
    def _speakers(self) -> dict[str, tuple[_Home, str]]:
        """File name → the first home with a log or metadata that speaks of it, and the name of that."""
        found: dict[str, tuple[_Home, str]] = {}
        for home in self.homes:
            for member in home.members:
                if member.slot in _TEXTS:
                    for word in self.evidence.files_named_in(member.path):
                        found.setdefault(word, (home, member.name))
        return found

    @cached_property
    def _homes_by_name(self) -> dict[str, list[_Home]]:
        found: dict[str, list[_Home]] = {}
        for home in self.homes:
            for name in {member.name for member in home.members if member.slot != "onnx"}:
                found.setdefault(name, []).append(home)
        return found

    @cached_property
    def _homes_by_key(self) -> dict[Key, list[_Home]]:
        found: dict[Key, list[_Home]] = {}
        for home in self.homes:
            if home.key:
                found.setdefault(home.key, []).append(home)
        return found

    def joined(
        self, groups: list[tuple[Key, list[Artifact]]], unclear: list[Artifact]
    ) -> list[tuple[Key, list[Artifact]]]:
        """Takes what it can into the homes; returns the groups that are engines of their own, without what was told
        to be left out."""
        strays = [one for _, group in groups for one in group if one.slot and one.slot != "archive"]
        slots = Counter(one.slot for one in strays)
        verdicts = {one.path: self._verdict(one, self.homes, slots[one.slot] == 1) for one in strays}
        for one in unclear:
            verdicts[one.path] = self._verdict(one, self._homes_by_key.get(one.key, self.homes), False)
        claims: dict[tuple[str, int], list[str]] = {}
        for one in (*strays, *unclear):
            if len(homes := verdicts[one.path].homes) == 1:
                claims.setdefault((one.slot, id(homes[0])), []).append(one.name)
        settled = {one.path for one in (*strays, *unclear) if self._is_placed(one, verdicts, claims)}
        left = []
        for one in unclear:
            if one.path not in settled:
                self._leave_out(one, verdicts[one.path])
        for key, group in groups:
            rest = [one for one in group if one.path not in settled]
            alone = [one for one in rest if one.slot and self._stays_alone(one, verdicts.get(one.path))]
            for one in rest:
                if one.slot and not (key and alone):
                    self._leave_out(one, verdicts.get(one.path))
                elif one in alone and one.slot in _TIMES:
                    self.said.setdefault(key, []).append(_left_out(one, verdicts[one.path], "info"))
            if key and alone:
                left.append((key, rest))
        self._tell_of_anyone()
        return left

    def note_numbers(self, files: Iterable[Artifact]) -> None:
        """A Note for each file of one number per layer: nothing in it says what it counts."""
        for one in files:
            for home in self.homes:
                if (self._shared(home, one) or 0.0) >= FITTING:
                    message = (
                        f"{one.name} has one number for each of these layers and was not used: nothing in it says "
                        "whether they are times, of how many runs and in which unit"
                    )
                    hint = 'write milliseconds as [{"name": …, "averageMs": …}, …], or as name → [ms of every run]'
                    home.notes.append(Note("numbers-without-unit", message, hint, one.path))

    def _shared(self, home: _Home, one: Artifact) -> float | None:
        return self.evidence.shared(home.graph.path, one.path) if len(self.homes) <= MAX_COMPARED else None

    def _verdict(self, one: Artifact, homes: list[_Home], is_only: bool) -> _Verdict:
        if one.slot == "device" and not one.key:
            return _Verdict(tuple(homes))
        if one.slot in _TIMES:
            told = self._by_layers(one, homes)
        elif one.slot in _TEXTS:
            told = self._by_files(one, homes)
        else:
            told = self._by_mention(one, homes)
        if told is not None and len(told.homes) < 2:
            return told
        near = _nearest(one.key, told.homes if told is not None else homes)
        if near is not None and near.key != one.key:
            return _Verdict((near,), "its name begins alike", "paired-by-similar-name")
        if told is not None:
            return told
        if len(homes) == 1 and is_only:
            return _Verdict((homes[0],), "nothing else in the folder fits it", "paired-by-folder")
        return _Verdict(tuple(homes))

    def _by_layers(self, one: Artifact, homes: list[_Home]) -> _Verdict | None:
        """By the graphs that have the layers a profile times: all of them, else most of them."""
        shares = [(home, share) for home in homes if (share := self._shared(home, one)) is not None]
        if not shares:
            return None
        best = max(share for _, share in shares)
        if best < FITTING:
            graph = shares[0][0].graph.name if len(shares) == 1 else f"any of the {len(shares)} graphs here"
            return _Verdict((), f"the layers it times are not those of {graph}")
        least = 1.0 if best == 1.0 else FITTING
        fitting = tuple(home for home, share in shares if share >= least)
        return _Verdict(fitting, "it times these layers", "paired-by-content")

    def _by_files(self, one: Artifact, homes: list[_Home]) -> _Verdict | None:
        """By the most telling file of which a log or metadata speaks: an export, an engine, a model."""
        spoken = sorted(self.evidence.files_named_in(one.path))
        binaries = [word for word in spoken if word.lower().endswith((".engine", ".plan", ".trt"))]
        by_key = self._homes_by_key
        for pairs in (
            [(word, self._homes_by_name.get(word, ())) for word in spoken],
            [(word, by_key.get(engine_key(word), ())) for word in binaries],
            [(word, by_key.get(engine_key(word), ())) for word in spoken],
        ):
            speaks = {id(home): home for _, found in pairs for home in found if home in homes}
            if speaks:
                said = ", ".join(word for word, found in pairs if found)
                return _Verdict(tuple(speaks.values()), f"it speaks of {said}", "paired-by-content")
        return None

    def _by_mention(self, one: Artifact, homes: list[_Home]) -> _Verdict | None:
        """By a log or metadata of the engine that names this file."""
        home, speaker = self._speakers.get(one.name, (None, ""))
        return _Verdict((home,), f"{speaker} names it", "paired-by-content") if home in homes and home else None

    def _is_placed(
        self, one: Artifact, verdicts: dict[str, _Verdict], claims: dict[tuple[str, int], list[str]]
    ) -> bool:
        """Puts the file into the home of its verdict, if there is one and no other file claims the place."""
        verdict = verdicts[one.path]
        if one.slot == "device" and not one.key:
            for home in verdict.homes:
                home.members.append(one)
            return True
        if len(verdict.homes) != 1:
            return False
        (home,) = verdict.homes
        rivals = [other for other in claims[one.slot, id(home)] if other != one.name][:4]
        rivals = rivals or [other.name for other in home.members if other.slot == one.slot]
        if rivals:
            others = ", ".join(sorted(rivals))
            verdicts[one.path] = _Verdict(verdict.homes, f"{home.graph.name} may have it or {others}")
            return False
        home.members.append(one)
        if len(self.homes) > 1 or (one.key and home.key):
            home.notes.append(_pair_note(one, home, verdict))
        return True

    def _stays_alone(self, one: Artifact, verdict: _Verdict | None) -> bool:
        """True for what is an engine by itself: a log, a binary, and times of layers that none of the graphs has."""
        if one.slot in _TIMES:
            return verdict is not None and not verdict.homes and len(self.homes) > 1
        return is_telling([one])

    def _leave_out(self, one: Artifact, verdict: _Verdict | None) -> None:
        if verdict is None or one.slot not in (*_PARTS, *_TEXTS):
            return
        if len(verdict.homes) > _LISTED:
            self.of_anyone.append(one)
            return
        note = _left_out(one, verdict)
        for home in verdict.homes or self.homes:
            home.notes.append(note)

    def _tell_of_anyone(self) -> None:
        """The same few Notes for every engine of a folder with many, however many files fit none in particular."""
        told = self.of_anyone[:_LISTED]
        notes = [_left_out(one, _Verdict(tuple(self.homes))) for one in told]
        if more := len(self.of_anyone) - len(told):
            message = (
                f"{counted(more, 'file')} more may belong to any of {len(self.homes)} engines in the folder: left out"
            )
            notes.append(Note("ambiguous-file", message, _NAME_ALIKE, self.of_anyone[-1].path))
        for home in self.homes:
            home.notes += notes


def _pair_note(one: Artifact, home: _Home, verdict: _Verdict) -> Note:
    if verdict.code == "paired-by-similar-name":
        return Note(verdict.code, f"{one.name} was paired by the beginning of its name", "", one.path, "info")
    is_guess = verdict.code == "paired-by-folder" and one.slot not in ("device", "onnx", "engine")
    return Note(
        verdict.code,
        f"{one.name} was paired with {home.graph.name}: {verdict.why}",
        "give the paths of the files yourself if they are of different engines",
        one.path,
        "warning" if is_guess else "info",
    )


def _left_out(one: Artifact, verdict: _Verdict, severity: str = "warning") -> Note:
    names = sorted(home.graph.name for home in verdict.homes)
    if len(names) > 1:
        which = f"any of {len(names)} engines in the folder" if len(names) > _LISTED else " or to ".join(names)
        message = f"{one.name} may belong to {which}: it was left out"
    else:
        message = f"{one.name} was left out: {verdict.why}"
    given = f"give it with --profiling-json {one.name}; or " if one.slot in _TIMES else ""
    hint = f"{given}{_NAME_ALIKE}"
    return Note("ambiguous-file" if verdict.homes else "unpaired-file", message, hint, one.path, severity)


def _nearest(key: Key, homes: Sequence[_Home]) -> _Home | None:
    """The home whose name begins like this one, or the other way round: the one with most words, if it is just one."""
    fitting = [
        home for home in homes if key and home.key and (key[: len(home.key)] == home.key or home.key[: len(key)] == key)
    ]
    longest = max((len(home.key) for home in fitting), default=0)
    best = [home for home in fitting if len(home.key) == longest]
    return best[0] if len(best) == 1 else None
