"""Options for trtexec as the user writes them (``int8 fp16 shapes=x:1x3``) → arguments that one release takes.

trtexec ends at an unknown option or a second copy with nothing but ``Unknown option`` below its whole help text, and
reads some values in another way than they are written; that is checked here. A value that trtexec refuses clearly at
its start is passed on.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from trex.capture.trtexec.shapes import ProfileShapes, check_run_shapes, parse_shapes
from trex.core.errors import TrexError
from trex.core.near_names import did_you_mean
from trex.core.note import Note
from trex.ingest.spelling.trtexec_options import (
    OPTIONS,
    OptionUse,
    OptionValue,
    ReleaseNumbers,
    TrtexecOption,
    options_of_release,
)

OLDEST: ReleaseNumbers = (8, 2)

# Options of trex on every release: trtexec has them since 11.0, before that they leave out an option of ours.
OPT_OUTS = {"noCudaGraph": "useCudaGraph", "noSpinWait": "useSpinWait", "includeDataTransfers": "noDataTransfers"}
_PROFILE_OPTIONS = frozenset(("profile", "minShapes", "optShapes", "maxShapes"))
_STAGE_OPTIONS = frozenset(("skipInference", "buildOnly"))
_NO_EFFECT_HERE = "-b builds and does not run the engine"
_SAME_THING = {"nvtxMode": "profilingVerbosity", "workspace": "memPoolSize"}

_SET_BY_TREX = "trex sets it: the files go to OUTDIR under the model's name"
_OTHER_TASK = "leave it out: it makes trtexec do something else than build or measure"
_ONNX_ONLY = "trex builds ONNX models, which have their batch in the shapes: shapes=NAME:BATCHx…"
_TUNING = "search over build routes with trtexec itself and give the best one here: setBuildRoute='…'"
_REFUSED = {
    name: hint
    for names, hint in (
        ("onnx saveEngine loadEngine exportLayerInfo exportProfile exportTimes", _SET_BY_TREX),
        ("help h getPlanVersionOnly timeDeserialize", _OTHER_TASK),
        ("uff uffInput uffNHWC model deploy output batch maxBatch", _ONNX_ONLY),
        ("helpBuildRoute tuneBuildRoutes tuneBuildRouteFile tuningSearch tuningCacheFile tuningTimeOut", _TUNING),
        ("tuningResultFile saveAllEngines dryRun continue", _TUNING),
    )
    for name in names.split()
}

_NUMBER = re.compile(r"[-+]?\d{1,18}(?:\.\d{1,18})?(?:[eE]-?\d{1,2})?", re.ASCII)
_INDEX = re.compile(r"\d{1,9}", re.ASCII)
_SIZE = re.compile(r"(\d{1,12}(?:\.\d{1,12})?|\.\d{1,12})\s*([BKMGT]?)(?:I?B)?", re.ASCII | re.IGNORECASE)
_MIB = {"": 1.0, "b": 2**-20, "k": 2**-10, "m": 1.0, "g": 1024.0, "t": 1048576.0}


@dataclass(frozen=True, slots=True)
class Argument:
    """``--name`` or ``--name=value``. use: the stage that it matters to."""

    name: str
    value: str = ""
    use: OptionUse = OptionUse.BOTH

    @property
    def text(self) -> str:
        return f"--{self.name}={self.value}" if self.value else f"--{self.name}"


@dataclass(frozen=True, slots=True)
class Arguments:
    """Arguments in the order given: options, and apart from them the shapes of optimization profiles.

    opt_outs: the options given of OPT_OUTS.
    """

    options: tuple[Argument, ...] = ()
    profile_options: tuple[Argument, ...] = ()
    opt_outs: frozenset[str] = frozenset()
    notes: tuple[Note, ...] = ()

    @property
    def profiles(self) -> tuple[ProfileShapes, ...]:
        """``--profile=N`` opens a profile; shapes without it are those of profile 0."""
        profiles: dict[int, dict[str, str]] = {}
        shapes: dict[str, str] = {}
        for option in self.profile_options:
            if option.name == "profile":
                shapes = profiles.setdefault(int(float(option.value)), {})
            else:
                shapes = shapes if profiles else profiles.setdefault(0, {})
                shapes[option.name] = option.value
        return tuple(ProfileShapes(index, shapes) for index, shapes in profiles.items())

    def value(self, name: str) -> str | None:
        """The option's value ("" for a switch), None if it was not given."""
        return next((option.value for option in self.options if option.name == name), None)


@dataclass(frozen=True, slots=True)
class Receiver:
    """The program that gets the arguments. name: for messages. help: how to list its options.

    names: options that it knows, None for all of trtexec. release: its own number, where it is not TensorRT's.
    """

    name: str
    help: str
    names: frozenset[str] | None = None
    release: str = ""


TRTEXEC = Receiver("trtexec", "trtexec --help lists its options")


def parse_arguments(
    texts: Iterable[str], release: ReleaseNumbers, listed: Collection[str] = (), receiver: Receiver = TRTEXEC
) -> Arguments:
    """listed: options in the help text of the trtexec at hand, which may be newer than our table.

    Raises TrexError with the option, the release and what to write instead.
    """
    if release[:2] < OLDEST:
        raise TrexError(f"TensorRT {_version(release)} is too old: it writes no layer information", "use 8.2 or later")
    options: list[Argument] = []
    profile_options: list[Argument] = []
    opt_outs: set[str] = set()
    notes: list[Note] = []
    for text in texts:
        name, _, value = text.removeprefix("-").removeprefix("-").partition("=")
        option = _option(name, text, release, listed, receiver)
        if option is None:
            message = f"--{name} is passed on unchecked: trex does not know it, but the help of this trtexec lists it"
            notes.append(Note("unknown-trtexec-option", message, severity="info"))
            options.append(Argument(name, value))
            continue
        value = _checked_value(option, value, text)
        if name in OPT_OUTS:
            opt_outs.add(name)
        elif name in _STAGE_OPTIONS or option.has_no_effect(release):
            hint = _NO_EFFECT_HERE if name in _STAGE_OPTIONS else option.instead
            notes.append(Note("option-without-effect", f"--{name} has no effect and was left out", hint, "", "info"))
        elif receiver.names is not None and (option.same_as or name) not in receiver.names:
            hint = "leave it out, or use --backend trtexec"
            raise TrexError(f"{receiver.name} does not support trtexec's option --{name}", hint, text)
        elif name in _PROFILE_OPTIONS:
            profile_options.append(Argument(name, value, option.use))
        elif option.may_repeat(release):
            options.append(Argument(name, value, option.use))
        else:
            _add_once(Argument(name, value, option.use), options)
    arguments = Arguments(tuple(options), tuple(profile_options), frozenset(opt_outs), tuple(notes))
    check_run_shapes(arguments.profiles, arguments.value("useProfile"), arguments.value("shapes"))
    return arguments


def same_option(name: str) -> str:
    """One name for all spellings of an option, and for options that set the same thing."""
    name = _SAME_THING.get(name, name)
    return OPTIONS[name].same_as or name if name in OPTIONS else name


def _option(
    name: str, text: str, release: ReleaseNumbers, listed: Collection[str], receiver: Receiver
) -> TrtexecOption | None:
    """The option; None if only the help text of this trtexec lists it."""
    if not name:
        raise TrexError("this is not an option", "write fp16, or shapes=x:1x3", text)
    option = OPTIONS.get(name)
    if option is not None and (name in OPT_OUTS or name in listed or option.is_parsed_by(release)):
        if name in _REFUSED:
            raise TrexError(f"--{name} cannot be used here", _REFUSED[name], text)
        return option
    if name in listed:
        return None
    program = f"{receiver.name} {receiver.release or f'of TensorRT {_version(release)}'}"
    message = f"{program} has no option --{name}"
    if option is None:
        known = {*options_of_release(release), *listed}
        known &= receiver.names or known
        raise TrexError(message, did_you_mean(name, known, receiver.help), text)
    if release[:2] < option.first:
        raise TrexError(message, f"it came with TensorRT {_version(option.first)}", text)
    hint = f"TensorRT {_version(option.last or release)} was the last to take it"
    if option.instead:
        hint += f"; {'write ' if option.instead.startswith('--') else ''}{option.instead}"
    raise TrexError(message, hint, text)


def _checked_value(option: TrtexecOption, value: str, text: str) -> str:
    """The value as it is passed on: shapes without blanks at commas, memory pools in MiB."""
    if option.value is OptionValue.SWITCH:
        if value:
            message = f"--{option.name} takes no value: trtexec would switch it on whatever is written there"
            raise TrexError(message, f"write {option.name}, or leave it out", text)
        return ""
    if not value:
        raise TrexError(f"--{option.name} needs a value", f"write {option.name}=…", text)
    if option.value is OptionValue.NUMBER and not _NUMBER.fullmatch(value):
        raise TrexError(f"--{option.name} needs a number, not {value!r}", f"write {option.name}=1", text)
    if option.name == "device" and not _INDEX.fullmatch(value):  # trtexec reads +1 and 1.0, as another GPU than trex
        raise TrexError(f"--device needs the number of a GPU, not {value!r}", "write device=1", text)
    if option.value is OptionValue.SHAPES:
        parse_shapes(value)
        return ",".join(part.strip() for part in value.split(","))
    if option.value is OptionValue.POOLS:
        return ",".join(_pool_in_mib(part.strip()) for part in value.split(","))
    return value


def _pool_in_mib(text: str) -> str:
    """``workspace:1GiB`` → ``workspace:1024``.

    trtexec drops units until 10.0 and reads only their last letter since 10.1: 1024MiB would be 1024 bytes.
    """
    name, _, size = text.rpartition(":")
    match = _SIZE.fullmatch(size.strip())
    if match is None:
        return text
    return f"{name}:{float(match[1]) * _MIB[match[2].lower()]:.10f}".rstrip("0").rstrip(".")


def _add_once(argument: Argument, options: list[Argument]) -> None:
    """A second copy adds nothing; another value is a mistake."""
    earlier = next((option for option in options if same_option(option.name) == same_option(argument.name)), None)
    if earlier is None:
        options.append(argument)
    elif earlier.value != argument.value:
        raise TrexError(f"{earlier.text} and {argument.text} contradict each other", "keep one of them")


def _version(release: ReleaseNumbers) -> str:
    return ".".join(map(str, release[:2]))
