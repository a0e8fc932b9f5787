"""CaptureOptions and a release → the command lines of trtexec's two runs: build, and profile of the built engine.

Arguments for a process, never text for a shell. They contain only options that the release knows, and no option twice
that may be given once: an option from the user replaces ours. Source: trtexec's option parsers of 8.2 to 11.1.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from trex.capture.backend import PROFILE
from trex.capture.options import CaptureOptions
from trex.capture.outputs import Outputs
from trex.capture.trtexec.user_options import (
    OPT_OUTS,
    TRTEXEC,
    Argument,
    Arguments,
    Receiver,
    parse_arguments,
    same_option,
)
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.ingest.spelling.trtexec_options import OPTIONS, OptionUse, ReleaseNumbers, names_for

# Until 8.2 the builder's default is 16 MiB; later releases use all memory of the device.
OLD_WORKSPACE_MIB = 8192

_BUILD_OUTPUT = frozenset(("verbose", "profilingVerbosity", "nvtxMode", "dumpLayerInfo", "dumpRefit"))
_SHAPES = frozenset(("shapes", "minShapes", "optShapes", "maxShapes", "profile", "useProfile"))
_PROFILE_OUTPUT = names_for(OptionUse.FILES) - {"dumpRefit"}


@dataclass(frozen=True, slots=True)
class CommandLine:
    """Both runs of one release. opt_outs: those of OPT_OUTS, given as options of trex or of trtexec."""

    options: CaptureOptions
    release: ReleaseNumbers
    arguments: Arguments
    opt_outs: frozenset[str]

    @property
    def notes(self) -> tuple[Note, ...]:
        return (*self.arguments.notes, *self._overridden())

    def of_stage(self, stage: str, outputs: Outputs) -> tuple[str, ...]:
        return self.profile(outputs) if stage == PROFILE else self.build(outputs)

    def build(self, outputs: Outputs) -> tuple[str, ...]:
        """Builds the engine and exports its layers, as far as they are known without a run."""
        skip = "skipInference" if OPTIONS["skipInference"].is_parsed_by(self.release) else "buildOnly"
        ours = [
            Argument("onnx", str(outputs.model)),
            Argument("saveEngine", str(outputs.engine)),
            Argument("profilingVerbosity", "detailed"),
            Argument(skip),
            Argument("verbose"),
            *self._workspace(),
            Argument("timingCacheFile", self.options.timing_cache or str(outputs.timing_cache)),
            Argument("exportLayerInfo", str(outputs.graph)),
            *self._device(),
        ]
        given = self._given(OptionUse.BUILD, _BUILD_OUTPUT)
        if any(profile.optimum for profile in self.arguments.profiles):  # --shapes would be one more profile
            given = [argument for argument in given if argument.name != "shapes"]
        return (*_merged(ours, given), *(option.text for option in self.arguments.profile_options))

    def profile(self, outputs: Outputs) -> tuple[str, ...]:
        """Measures the engine and exports its layers, layer times and per-query times."""
        ours = [
            Argument("loadEngine", str(outputs.engine)),
            Argument("profilingVerbosity", "detailed"),
            *self._run_shapes(),
            *self._measurement(),
            Argument("exportTimes", str(outputs.times)),
            Argument("exportProfile", str(outputs.profile)),
            Argument("exportLayerInfo", str(outputs.graph)),
            Argument("dumpProfile"),
            *self._device(),
        ]
        return _merged(ours, self._given(OptionUse.RUN, _PROFILE_OUTPUT))

    def for_one_shape(self) -> CommandLine | None:
        """The same options, to build for the shapes of the run alone; None if no shapes are given."""
        shapes = self.arguments.value("shapes") or next((argument.value for argument in self._run_shapes()), "")
        if not shapes:
            return None
        words = [word for word in self.options.trtexec_args if word.lstrip("-").partition("=")[0] not in _SHAPES]
        options = replace(self.options, trtexec_args=(*words, f"shapes={shapes}"))
        return replace(self, options=options, arguments=parse_arguments(options.trtexec_args, self.release))

    def _given(self, use: OptionUse, output_options: Collection[str]) -> list[Argument]:
        """The user's arguments for one run; memory pools completed by the option --workspace."""
        given = []
        for argument in self.arguments.options:
            if argument.use not in (use, OptionUse.BOTH) and argument.name not in output_options:
                continue
            if argument.name == "memPoolSize" and self.options.workspace and "workspace:" not in argument.value:
                argument = Argument("memPoolSize", f"workspace:{self.options.workspace},{argument.value}")
            given.append(argument)
        return given

    def _workspace(self) -> list[Argument]:
        size = self.options.workspace
        if OPTIONS["memPoolSize"].is_parsed_by(self.release):
            return [Argument("memPoolSize", f"workspace:{size}")] if size else []
        return [Argument("workspace", str(size or OLD_WORKSPACE_MIB))]

    def _overridden(self) -> Iterator[Note]:
        """An argument for trtexec wins over trex's own option for the same thing."""
        options = self.options
        pools = (self.arguments.value("memPoolSize") or "").split(",")
        sizes = {f"memPoolSize={name}": size for name, _, size in (pool.partition(":") for pool in pools)}
        for name, flag, value in (
            ("iterations", "--iterations", options.iterations),
            ("warmUp", "--warm-up", options.warm_up),
            ("duration", "--duration", options.duration),
            ("device", "--dev", options.dev),
            ("workspace", "--workspace", options.workspace),
            ("memPoolSize=workspace", "--workspace", options.workspace),
            ("timingCacheFile", "--timing-cache", options.timing_cache),
        ):
            given = sizes.get(name, self.arguments.value(name))
            if value and given is not None and given != str(value):
                sign = ":" if name in sizes else "="
                yield Note(
                    "option-overridden", f"{name}{sign}{given} overrides {flag} {value}", "leave one of them out"
                )

    def _device(self) -> list[Argument]:
        return [Argument("device", str(self.options.gpu))] if self.options.gpu else []

    def _run_shapes(self) -> list[Argument]:
        """The optimum of the profile that runs; the user's --shapes replaces it."""
        index = int(float(self.arguments.value("useProfile") or 0))
        optimum = next((profile.optimum for profile in self.arguments.profiles if profile.index == index), "")
        return [Argument("shapes", optimum)] if optimum else []

    def _measurement(self) -> Iterator[Argument]:
        """One CUDA graph, a spinning wait, no transfers: the defaults since 11.0."""
        if OPTIONS["noCudaGraph"].is_parsed_by(self.release):
            names = [opt_out for opt_out in OPT_OUTS if opt_out in self.opt_outs]
        else:
            names = [option for opt_out, option in OPT_OUTS.items() if opt_out not in self.opt_outs]
            names.append("separateProfileRun")
        yield from map(Argument, names)
        options = self.options
        for name, value in (
            ("iterations", options.iterations),
            ("warmUp", options.warm_up),
            ("duration", options.duration),
        ):
            if value:
                yield Argument(name, str(value))


def command_line(
    options: CaptureOptions, release: ReleaseNumbers, listed: Collection[str] = (), receiver: Receiver = TRTEXEC
) -> CommandLine:
    """listed: options in the help text of the trtexec at hand. Raises TrexError before anything is built."""
    arguments = parse_arguments(options.trtexec_args, release, listed, receiver)
    flags = {
        "noCudaGraph": options.no_cuda_graph,
        "noSpinWait": options.no_spin_wait,
        "includeDataTransfers": options.include_data_transfers,
    }
    opt_outs = arguments.opt_outs.union(name for name, is_on in flags.items() if is_on)
    for name in sorted(opt_outs):
        if arguments.value(OPT_OUTS[name]) is not None:
            raise TrexError(f"--{name} and {OPT_OUTS[name]} contradict each other", "leave one of them out")
    return CommandLine(options, release, arguments, opt_outs)


def _merged(ours: Iterable[Argument], given: list[Argument]) -> tuple[str, ...]:
    replaced = {same_option(argument.name) for argument in given}
    kept = [argument for argument in ours if same_option(argument.name) not in replaced]
    return tuple(argument.text for argument in (*kept, *given))
