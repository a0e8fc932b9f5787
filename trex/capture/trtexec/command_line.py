"""CaptureOptions and a release → the arguments of trtexec's two runs: the build, and the profile of the built engine.

Tuples for a process, never text for a shell. Nothing that the release does not parse, nothing twice that it takes once:
what the user gives goes before what is written here. Source: trtexec's parsers of 8.2 to 11.1.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from trex.capture.backend import PROFILE
from trex.capture.model_shapes import check_with_model
from trex.capture.options import CaptureOptions
from trex.capture.outputs import Outputs
from trex.capture.word_values import pools_from_text, pools_text
from trex.capture.words import TRTEXEC, Taker, Words, read_words, thing_of
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.ingest.onnx_inputs import onnx_inputs
from trex.ingest.spelling.trtexec_options import OPTIONS, OptionUse, Release

# Until 8.2 the builder has 16 MiB unless told otherwise; later releases take what the device has.
OLD_WORKSPACE_MIB = 8192

# Of what is printed and written, this concerns the build, too; the rest is the profile's.
_PRINTED_BY_A_BUILD = frozenset(("verbose", "profilingVerbosity", "nvtxMode", "dumpLayerInfo", "dumpRefit"))
_ONLY_PRINTED_BY_A_BUILD = frozenset(("dumpRefit",))

Ours = tuple[str, str | None]  # (name, value), value None for a switch


@dataclass(frozen=True, slots=True)
class CommandLine:
    """Both runs of one release. notes: what the user should know of his words."""

    options: CaptureOptions
    release: Release
    words: Words

    @property
    def notes(self) -> tuple[Note, ...]:
        return (*self.words.notes, *self._overruled())

    def stage(self, stage: str, outputs: Outputs) -> tuple[str, ...]:
        """The run of a stage, with the files of an engine."""
        engine, graph = str(outputs.engine), str(outputs.graph)
        if stage == PROFILE:
            return self.profile(engine=engine, graph=graph, profile=str(outputs.profile), times=str(outputs.times))
        cache = self.options.timing_cache or str(outputs.timing_cache)
        return self.build(model=str(outputs.model), engine=engine, graph=graph, timing_cache=cache)

    def build(self, *, model: str, engine: str, graph: str, timing_cache: str) -> tuple[str, ...]:
        """The run that builds ``engine`` and tells its layers as far as they are known before it runs."""
        can_skip = OPTIONS["skipInference"].is_parsed_by(self.release)
        ours: list[Ours] = [
            ("onnx", model),
            ("saveEngine", engine),
            ("profilingVerbosity", "detailed"),
            ("skipInference" if can_skip else "buildOnly", None),
            ("verbose", None),
            *self._workspace(),
            ("timingCacheFile", timing_cache),
            ("exportLayerInfo", graph),
            *self._device(),
        ]
        theirs = list(self._words(OptionUse.BUILD, OptionUse.BOTH, printed=_PRINTED_BY_A_BUILD))
        if any(profile.optimum for profile in self.words.profiles):  # shapes alone would be a profile of their own
            theirs = [(name, value) for name, value in theirs if name != "shapes"]
        groups = [word for profile in self.words.profiles for word in profile.words]
        return (*self._merged(ours, theirs), *groups)

    def profile(self, *, engine: str, graph: str, profile: str, times: str) -> tuple[str, ...]:
        """The run that measures ``engine`` and tells layers, layer times and query times."""
        ours: list[Ours] = [
            ("loadEngine", engine),
            ("profilingVerbosity", "detailed"),
            *self._shapes(),
            *self._measuring(),
            ("exportTimes", times),
            ("exportProfile", profile),
            ("exportLayerInfo", graph),
            ("dumpProfile", None),
            *self._device(),
        ]
        printed = names_printed_by_a_run()
        return self._merged(ours, self._words(OptionUse.RUN, OptionUse.BOTH, printed=printed))

    def _merged(self, ours: Iterable[Ours], theirs: Iterable[tuple[str, str]]) -> tuple[str, ...]:
        theirs = list(theirs)
        given = {thing_of(name) for name, _ in theirs}
        kept = [(name, value) for name, value in ours if thing_of(name) not in given]
        return tuple(f"--{name}={value}" if value else f"--{name}" for name, value in (*kept, *theirs))

    def _words(self, *uses: OptionUse, printed: Collection[str]) -> Iterator[tuple[str, str]]:
        """The user's words for a run; memory pools completed by the workspace that an option asks for."""
        for word in self.words.words:
            if word.use in uses or word.name in printed:
                value = word.value
                if word.name == "memPoolSize" and self.options.workspace:
                    pools = {"workspace": float(self.options.workspace), **pools_from_text(value, self.release)}
                    value = pools_text(pools)
                yield word.name, value

    def _workspace(self) -> list[Ours]:
        size = self.options.workspace
        if OPTIONS["memPoolSize"].is_parsed_by(self.release):
            return [("memPoolSize", f"workspace:{size}")] if size else []
        return [("workspace", str(size or OLD_WORKSPACE_MIB))]

    def _overruled(self) -> Iterator[Note]:
        """Where a word says another thing than an option: the word holds, and that is told."""
        options = self.options
        for name, flag, value in (
            ("iterations", "--iterations", options.iterations),
            ("warmUp", "--warm-up", options.warm_up),
            ("duration", "--duration", options.duration),
            ("device", "--dev", options.dev),
            ("workspace", "--workspace", options.workspace),
            ("timingCacheFile", "--timing-cache", options.timing_cache),
        ):
            word = self.words.value(name)
            if value and word is not None and word != str(value):
                yield _overruling(f"{name}={word}", f"{flag} {value}")
        text = self.words.value("memPoolSize")
        pools = pools_from_text(text, self.release) if text else {}
        if options.workspace and pools.get("workspace", options.workspace) != options.workspace:
            yield _overruling(f"memPoolSize=workspace:{pools['workspace']:g}", f"--workspace {options.workspace}")

    def _device(self) -> list[Ours]:
        return [("device", str(self.options.gpu))] if self.options.gpu else []

    def _shapes(self) -> list[Ours]:
        """The optimum of the profile that is used, unless the user says which shapes to run."""
        used = int(self.words.value("useProfile") or 0)
        texts = [p.optimum for place, p in enumerate(self.words.profiles) if (p.index or 0) == used and p.optimum]
        return [("shapes", text) for text in texts[:1]]

    def _measuring(self) -> Iterator[Ours]:
        options, undone = self.options, self.words.undone
        without_graph = options.no_cuda_graph or "noCudaGraph" in undone
        without_loop = options.no_spin_wait or "noSpinWait" in undone
        with_transfers = options.include_data_transfers or "includeDataTransfers" in undone
        names: tuple[tuple[str, bool], ...]
        if OPTIONS["noCudaGraph"].is_parsed_by(self.release):
            names = (
                ("noCudaGraph", without_graph),
                ("noSpinWait", without_loop),
                ("includeDataTransfers", with_transfers),
            )
        else:
            names = (
                ("useCudaGraph", not without_graph),
                ("useSpinWait", not without_loop),
                ("noDataTransfers", not with_transfers),
                ("separateProfileRun", True),
            )
        yield from ((name, None) for name, is_wanted in names if is_wanted)
        for name, number in (
            ("iterations", options.iterations),
            ("warmUp", options.warm_up),
            ("duration", options.duration),
        ):
            if number:
                yield name, str(number)


def command_line(
    options: CaptureOptions, release: Release, listed: Collection[str] = (), taker: Taker = TRTEXEC
) -> CommandLine:
    """Reads and checks the user's words. listed: options in the help text of the trtexec at hand.

    Raises TrexError for a word that this release does not take, and for shapes that the model does not, before
    anything is built.
    """
    words = read_words(options.words, release, listed, taker)
    for name, is_on, flag in (
        ("useCudaGraph", options.no_cuda_graph, "--no-cuda-graph"),
        ("useSpinWait", options.no_spin_wait, "--no-spin-wait"),
        ("noDataTransfers", options.include_data_transfers, "--include-data-transfers"),
    ):
        if is_on and any(word.lstrip("-") == name for word in options.words):
            raise TrexError(f"{flag} and the word {name} contradict one another", "leave one of them out")
    inputs = onnx_inputs(options.model) if words.shapes else None
    if inputs is not None:
        check_with_model(words.shapes, inputs, takes_fixed=taker is not TRTEXEC)
    return CommandLine(options, release, words)


def _overruling(word: str, option: str) -> Note:
    return Note("word-before-option", f"the word {word} holds, and not {option}", "leave one of them out")


def names_printed_by_a_run() -> frozenset[str]:
    """Options about what is printed and written that a run is given."""
    files = (name for name, option in OPTIONS.items() if option.use is OptionUse.FILES)
    return frozenset(files) - _ONLY_PRINTED_BY_A_BUILD
