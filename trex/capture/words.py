"""Words of the user (``int8 fp16 shapes=x:1x3``) → options of one release, checked before anything is built.

trtexec stops at an option that it does not know and at a second copy of one that it takes once; both are told here,
with what takes the place of an option that is gone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from trex.capture.model_shapes import GROUPED, ProfileShapes, check_order, check_run_shapes
from trex.capture.word_values import checked_value, pools_from_text, pools_text
from trex.core.counted import counted
from trex.core.errors import TrexError
from trex.core.near_names import did_you_mean
from trex.core.note import Note
from trex.ingest.spelling.trtexec_options import OPTIONS, OptionUse, Release, TrtexecOption, options_of_release

OLDEST: Release = (8, 2)

# Chosen on every release alike: trtexec has words for it since 11, before that it is what is left out.
_UNDONE = frozenset(("noCudaGraph", "noSpinWait", "includeDataTransfers"))
_CONTRADICTIONS = (
    ("useCudaGraph", "noCudaGraph"),
    ("useSpinWait", "noSpinWait"),
    ("noDataTransfers", "includeDataTransfers"),
)
_OWN = frozenset(("onnx", "saveEngine", "loadEngine", "exportLayerInfo", "exportProfile", "exportTimes"))
_STAGES = frozenset(("skipInference", "buildOnly"))
_OTHER_MODELS = frozenset(("uff", "uffInput", "uffNHWC", "model", "deploy", "output"))
_IMPLICIT_BATCH = frozenset(("batch", "maxBatch"))
_OTHER_TASKS = frozenset(("help", "h", "getPlanVersionOnly", "timeDeserialize"))
_TUNING = frozenset(
    (
        "helpBuildRoute", "tuneBuildRoutes", "tuneBuildRouteFile", "tuningSearch", "tuningCacheFile", "tuningTimeOut",
        "tuningResultFile", "saveAllEngines", "dryRun", "continue",
    )
)  # fmt: skip
_PAIRED = frozenset(("loadInputs", "loadRefOutputs"))
_NEEDS = (
    ("weightStreamingBudget", "allowWeightStreaming"),
    ("dumpKernelText", "safe"),
    ("remoteAutoTuningConfig", "safe"),
    ("cpuOnly", "safe"),
    ("cpuOnly", "remoteAutoTuningConfig"),
    ("uint8AsymmetricQuantizationDLA", "useDLACore"),
    ("reportCapabilityDLA", "useDLACore"),
    ("loadRefOutputs", "loadInputs"),
    ("loadRefOutputs", "accuracyThreshold"),
)
_NOT_PROFILED = frozenset(("buildDLAStandalone", "cpuOnly", "safe"))
_SAME_THING = {"nvtxMode": "profilingVerbosity", "workspace": "memPoolSize"}


@dataclass(frozen=True, slots=True)
class Word:
    """One option as it is passed on: ``--name``, or ``--name=value``. use: which of the two runs it matters to."""

    name: str
    value: str = ""
    use: OptionUse = OptionUse.BOTH

    @property
    def text(self) -> str:
        return f"--{self.name}={self.value}" if self.value else f"--{self.name}"


@dataclass(frozen=True, slots=True)
class Words:
    """What the user asked for. profiles: in the order given. undone: the given ones of noCudaGraph, noSpinWait and
    includeDataTransfers, which are options of every release here."""

    words: tuple[Word, ...] = ()
    profiles: tuple[ProfileShapes, ...] = ()
    undone: frozenset[str] = frozenset()
    notes: tuple[Note, ...] = ()

    @property
    def shapes(self) -> tuple[tuple[str, str], ...]:
        """(option, its text) of everything that says how large an input is."""
        run = ((word.name, word.value) for word in self.words if word.name == "shapes")
        return (*(each for profile in self.profiles for each in profile.given), *run)

    def value(self, name: str) -> str | None:
        """The option's value ("" for a switch), None where it was not given."""
        return next((word.value for word in self.words if word.name == name), None)


@dataclass(frozen=True, slots=True)
class Taker:
    """Who takes the words, as a sentence says it. lists: what lists those it knows. names: those, None for all."""

    name: str
    lists: str
    names: frozenset[str] | None = None


TRTEXEC = Taker("trtexec", "trtexec --help lists its options")


def read_words(words: Iterable[str], release: Release, listed: Collection[str] = (), taker: Taker = TRTEXEC) -> Words:
    """listed: options in the help text of the trtexec at hand, which are believed where the table does not know them.

    Raises TrexError naming the word, the release and what to write instead.
    """
    if release[:2] < OLDEST:
        raise TrexError(
            f"TensorRT {_said(release)} is too old: it tells nothing about an engine's layers",
            "TensorRT 8.2 and later do",
        )
    reader = _Reader(release, frozenset(listed), taker)
    for word in words:
        reader.add(word)
    return reader.finish()


class _Reader:
    def __init__(self, release: Release, listed: frozenset[str], taker: Taker) -> None:
        self.release = release
        self.listed = listed
        self.taker = taker
        self.kept: list[Word] = []  # in the order given: some options belong to the one before them
        self.groups: list[dict[str, str]] = []
        self.given: set[str] = set()
        self.notes: list[Note] = []

    def add(self, word: str) -> None:
        name, equals, value = word.removeprefix("-").removeprefix("-").partition("=")
        if not name or "\0" in word:
            raise TrexError("this is no option", "write fp16, or shapes=x:1x3", where=word)
        option = self._option(name, word)
        if option is None:
            self._keep(Word(name, value), may_repeat=True)
            return
        self._refuse(option, word)
        if equals and not value and OPTIONS.get(name):
            raise TrexError(f"--{name}= has nothing behind the =", f"write {name}=…, or leave the = out", where=word)
        value = checked_value(option, value, self.release)
        self.given.add(name)
        if name in _UNDONE:
            return
        if option.has_no_effect(self.release):
            message = f"--{name} has no effect in TensorRT {_said(self.release)}"
            self._note("option-without-effect", message, option.instead, severity="info")
            return
        if name in _STAGES:
            message = f"--{name} was left out: the build never runs the engine"
            self._note("stage-option", message, "--build-engine builds and does no more", severity="info")
            return
        if option.is_deprecated(self.release):
            message = f"--{name} is deprecated in TensorRT {_said(self.release)}"
            self._note("deprecated-trtexec-option", message, option.instead, severity="info")
        if name == "profile" or name in GROUPED:
            self._group(name, value, word)
            return
        if name in _NOT_PROFILED or (name == "runtimePlatform" and value != "SameAsBuild"):
            message = f"--{name} makes an engine that trtexec does not profile here"
            self._note("engine-not-for-profiling", message, "--build-engine builds and does no more")
        self._keep(Word(name, value, option.use), option.may_repeat(self.release))

    def _option(self, name: str, word: str) -> TrtexecOption | None:
        """The option, None for one that only this trtexec's help text knows."""
        option = OPTIONS.get(name)
        if name in _UNDONE and option is not None:
            return option
        if option is not None and (option.is_parsed_by(self.release) or name in self.listed):
            return option
        if name in self.listed:
            message = f"--{name} is passed on as it is: only the help text of this trtexec tells of it"
            self._note("unknown-trtexec-option", message, severity="info")
            return None
        lacks = f"{self.taker.name} of TensorRT {_said(self.release)} has no option --{name}"
        if option is None:
            known = {*options_of_release(self.release), *self.listed}
            known &= self.taker.names or known
            raise TrexError(lacks, did_you_mean(name, known, self.taker.lists), where=word)
        if self.release[:2] < option.first:
            before = _before(option, self.release)
            raise TrexError(f"{lacks} yet", f"it came with TensorRT {_said(option.first)}{before}", where=word)
        last = _said(option.last or self.release)
        write = "; write " if option.instead.startswith("--") else "; "
        hint = f"TensorRT {last} was the last to take it" + (f"{write}{option.instead}" if option.instead else "")
        raise TrexError(f"{lacks} any more", hint, where=word)

    def _refuse(self, option: TrtexecOption, word: str) -> None:
        name = option.name
        if name in _OWN:
            raise TrexError(
                f"--{name} is not for you to give: trex writes it",
                "the files go to OUTDIR under the model's name",
                word,
            )
        if name in _OTHER_MODELS:
            raise TrexError(f"--{name} belongs to a model that is not ONNX", option.instead, word)
        if name in _IMPLICIT_BATCH:
            raise TrexError(f"{self.taker.name} takes no --{name} for ONNX models", option.instead, word)
        if name in _OTHER_TASKS:
            raise TrexError(
                f"--{name} makes {self.taker.name} do something else than build or measure", "leave it out", word
            )
        if name in _TUNING:
            raise TrexError(
                f"--{name} belongs to trtexec's search over build routes, which trex does not drive",
                "search with trtexec itself and give the best route here: setBuildRoute='…'",
                word,
            )

    def _keep(self, word: Word, may_repeat: bool) -> None:
        """The same word again adds nothing; another value of an option that is given once is a mistake."""
        thing = thing_of(word.name)
        known = next((place for place, other in enumerate(self.kept) if thing_of(other.name) == thing), None)
        if word.name in _PAIRED and "refPair" in self.given:  # belongs to the --refPair before it
            self.kept.append(word)
        elif may_repeat and word.name not in _PAIRED:
            if word not in self.kept:
                self.kept.append(word)
        elif known is None:
            self.kept.append(word)
        elif word.name == self.kept[known].name == "memPoolSize":
            pools = {**_pools(self.kept[known], self.release), **_pools(word, self.release)}
            self.kept[known] = Word(word.name, pools_text(pools), word.use)
        elif self.kept[known].value != word.value:
            one, other = self.kept[known].text, word.text
            raise TrexError(f"{one} and {other} are two values for one thing", "keep one of them")

    def _group(self, name: str, value: str, word: str) -> None:
        if name == "profile":
            if not value.isdigit():
                raise TrexError("--profile needs the number of a profile, from 0 up", "", word)
            self.groups.append({"profile": value})
            return
        if not self.groups:
            self.groups.append({})
        group = self.groups[-1]
        if group.get(name, value) != value:
            several = "several profiles need --profile=0, --profile=1 … before their shapes"
            hint = several if self.release >= (9, 0) else "one profile is all that trtexec before 9.0 can be given"
            raise TrexError(f"--{name} is given twice for one optimization profile", hint, word)
        group[name] = value

    def _note(self, code: str, message: str, hint: str = "", severity: str = "warning") -> None:
        self.notes.append(Note(code, message, hint, severity=severity))

    def finish(self) -> Words:
        for one, other in _CONTRADICTIONS:
            if one in self.given and other in self.given:
                raise TrexError(f"--{one} and --{other} contradict one another", "leave one of them out")
        self._check_together()
        profiles = self._profiles()
        self._check_run_shapes(profiles)
        return Words(
            tuple(self.kept),
            profiles,
            frozenset(self.given & _UNDONE),
            tuple(self.notes),
        )

    def _profiles(self) -> tuple[ProfileShapes, ...]:
        numbers = [int(group["profile"]) for group in self.groups if "profile" in group]
        if numbers and len(numbers) < len(self.groups):
            raise TrexError(
                "some shapes stand before the first --profile", "write profile=0 first, then the shapes of profile 0"
            )
        if sorted(numbers) != list(range(len(numbers))):
            raise TrexError(
                f"the profiles are numbered {', '.join(map(str, numbers))}", "number them 0, 1, 2 … without a gap"
            )
        for group in self.groups:
            _check_three(GROUPED, group)
        profiles = tuple(
            ProfileShapes(int(group["profile"]) if "profile" in group else None, *(group.get(k, "") for k in GROUPED))
            for group in self.groups
        )
        for profile in profiles:
            check_order(profile)
        return profiles

    def _check_run_shapes(self, profiles: tuple[ProfileShapes, ...]) -> None:
        """What a run would refuse after a long build: a profile that is not there, shapes outside of it."""
        values = {word.name: word.value for word in self.kept}
        used = int(values.get("useProfile", 0))
        if profiles and used >= len(profiles):
            count = counted(len(profiles), "profile")
            raise TrexError(
                f"--useProfile={used} asks for a profile that is not built", f"{count} are given, from 0 up"
            )
        check_run_shapes(profiles, used, values.get("shapes", ""))

    def _check_together(self) -> None:
        given = self.given
        _check_three(tuple(f"{name}Calib" for name in GROUPED), given)
        for name, needed in _NEEDS:
            if name in given and needed not in given:
                raise TrexError(f"--{name} needs --{needed}", f"give both, or leave {name} out")
        if {"pluginInstanceNorm", "pi"} & given and {"versionCompatible", "vc"} & given:
            raise TrexError("--pluginInstanceNorm and --versionCompatible exclude one another", "give one of them")
        if "best" in given and "stronglyTyped" in given:
            raise TrexError(
                "--best and --stronglyTyped exclude one another", "a strongly typed model has its own types"
            )
        if {"fp8", "int8"} <= given and self.release >= (10, 0):
            raise TrexError("--fp8 and --int8 exclude one another since TensorRT 10", "give one of them")


def _check_three(names: tuple[str, ...], given: Collection[str]) -> None:
    """Of minimum, optimum and maximum trtexec takes all, or the optimum alone."""
    kinds = [name for name in names if name in given]
    if kinds and kinds not in ([names[1]], list(names)):
        raise TrexError(
            f"of {names[0]}, {names[1]} and {names[2]} only {' and '.join(kinds)} is given",
            f"give all three, or {names[1]} alone",
        )


def _pools(word: Word, release: Release) -> dict[str, float]:
    return pools_from_text(word.value, release)


def thing_of(name: str) -> str:
    """What an option is about: two spellings, and two options for one thing, are the same."""
    name = _SAME_THING.get(name, name)
    return OPTIONS[name].same_as or name if name in OPTIONS else name


def _before(option: TrtexecOption, release: Release) -> str:
    """What did the same before the option came."""
    for older in OPTIONS.values():
        if older.instead.split("=")[0] == f"--{option.name}" and older.is_parsed_by(release):
            return f"; before that write {older.name}"
    return ""


def _said(release: Release) -> str:
    return ".".join(map(str, release[:2]))
