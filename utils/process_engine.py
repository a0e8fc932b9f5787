#!/usr/bin/env python3
"""Builds, profiles and draws the engine of an ONNX model; a thin launcher for ``trex process``.

python3 utils/process_engine.py model.onnx outdir int8 fp16 shapes=input.1:32x3x224x224

The functions have the names in TREx's script. Their ``args`` are those of ``make_subcmd_parser``.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from trex.capture.backend import BUILD, PROFILE, prepare_backend
from trex.capture.child import run_child
from trex.capture.options import CaptureOptions
from trex.capture.outputs import Outputs, make_folder, outputs_of
from trex.capture.process import DRAW
from trex.cli.command import COMMANDS, add_options
from trex.cli.main import answered
from trex.cli.main import main as trex_main
from trex.core.errors import TrexError
from trex.core.options import option_fields

__all__ = [
    "append_trtexec_args",
    "build_engine",
    "build_engine_cmd",
    "create_artifacts_directory",
    "do_work",
    "generate_engine_svg",
    "get_engine_path",
    "get_gpu_config_args",
    "get_subcmds",
    "make_subcmd_parser",
    "process_engine",
    "profile_engine",
    "profile_engine_cmd",
    "run_trtexec",
]

Arguments = list[str]


def run_trtexec(trt_cmdline: Sequence[str], writer: Any) -> bool:
    """Runs a command; ``writer.write`` gets every line it prints. True if it succeeds. Raises TrexError."""
    result = run_child(list(trt_cmdline), os.devnull, lambda line: writer.write(f"{line}\n"))
    result.pass_signal_on()
    return result.succeeded


def build_engine_cmd(args: Any, onnx_path: str, engine_path: str, timing_cache_path: str) -> tuple[Arguments, str]:
    """(the command that builds the engine, the name of its log)."""
    outputs = Outputs(Path(engine_path).parent, Path(engine_path).name, Path(engine_path), Path(onnx_path))
    _, job = prepare_backend(_options(args, timing_cache=str(timing_cache_path)))
    return list(job.command(BUILD, outputs)), str(outputs.build_log)


def profile_engine_cmd(args: Any, engine_path: str, timing_cache_path: str = "") -> tuple[Arguments, str]:
    """(the command that profiles the engine, the name of its log). The timing cache is not used."""
    outputs = Outputs(Path(engine_path).parent, Path(engine_path).name, Path(engine_path))
    _, job = prepare_backend(_options(args))
    return list(job.command(PROFILE, outputs)), str(outputs.profile_log)


def build_engine(args: Any, timing_cache_path: str = "") -> bool:
    """Builds the engine of ``args.model`` into ``args.outdir``; True if it succeeds."""
    return _run(args, BUILD, timing_cache=timing_cache_path) == 0


def profile_engine(args: Any, timing_cache_path: str = "", add_suffix: bool = True) -> bool:
    """Profiles the engine that was built, or without add_suffix the engine ``args.model``."""
    return _run(args, PROFILE, timing_cache=timing_cache_path) == 0


def generate_engine_svg(args: Any, add_suffix: bool = True) -> str:
    """Draws the profiled engine; the path of the picture, "" if there is none."""
    outputs = outputs_of(args.model, args.outdir)
    return str(outputs.picture) if _run(args, DRAW) == 0 and outputs.picture.is_file() else ""


def process_engine(args: Any, build: bool, profile: bool, draw: bool) -> bool:
    """Runs the chosen stages in order; False if one of them fails."""
    stages = _chosen(build, profile, draw)
    return not stages or _run(args, *stages) == 0


def get_engine_path(args: Any, add_suffix: bool) -> str:
    """The engine's path in the output folder; add_suffix: ``.engine`` is added to the model's name."""
    return str(Path(args.outdir) / (Path(args.model).name + (".engine" if add_suffix else "")))


def get_gpu_config_args(args: Any) -> tuple[int | None, str, str, int, bool]:
    """The arguments of GPUConfigurator."""
    options = _options(args)
    limit = options.power_limit or None
    return limit, options.compute_clk_freq, options.memory_clk_freq, options.gpu, options.dont_lock_clocks


def create_artifacts_directory(path: str) -> None:
    """Creates the folder. Raises TrexError if it can't be written to."""
    make_folder(Path(path))


def append_trtexec_args(trt_args: Iterable[str], cmd_line: Arguments) -> None:
    """Adds each word as an option: ``fp16`` becomes ``--fp16``."""
    cmd_line += [f"--{word.lstrip('-')}" for word in trt_args]


def get_subcmds(args: Any) -> tuple[bool, bool, bool]:
    """(build, profile, draw): the chosen stages; all if none is chosen."""
    chosen = (bool(args.build_engine), bool(args.profile_engine), bool(args.draw_engine))
    return chosen if any(chosen) else (True, True, True)


def do_work(args: Any) -> int:
    """Runs the chosen stages; the exit code."""
    return _run(args, *_chosen(*get_subcmds(args)))


def make_subcmd_parser(subparsers: Any = None) -> argparse.ArgumentParser:
    """The parser of the command line, alone or as the sub-command ``process`` of another parser."""
    plug = COMMANDS.load("process")
    about: dict[str, Any] = {"description": plug.summary, "allow_abbrev": False}
    parser: argparse.ArgumentParser = (
        subparsers.add_parser("process", help=plug.summary, **about)
        if subparsers is not None
        else argparse.ArgumentParser("process_engine.py", **about)
    )
    add_options(parser, plug.value.options)
    parser.set_defaults(func=do_work)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    return trex_main(["process", *(sys.argv[1:] if argv is None else argv)])


def _options(args: Any, **more: Any) -> CaptureOptions:
    known = [field.name for field in option_fields(CaptureOptions)]
    values = {name: getattr(args, name) for name in known if hasattr(args, name)}
    values["trtexec_args"] = tuple(values.get("trtexec_args") or ())
    return CaptureOptions(**{**values, **more})


def _chosen(build: bool, profile: bool, draw: bool) -> list[str]:
    return [name for name, is_on in ((BUILD, build), (PROFILE, profile), (DRAW, draw)) if is_on]


def _run(args: Any, *stages: str, timing_cache: str = "") -> int:
    """One run of ``trex process``. User errors are printed to standard error, as by the command."""
    command = COMMANDS.load("process").value
    values = {field.name: field.default for field in option_fields(command.options)} | dict(vars(args))
    values |= {f"{name}_engine": name in stages for name in (BUILD, PROFILE, DRAW)}
    if timing_cache:
        values["timing_cache"] = str(timing_cache)
    known = {field.name for field in option_fields(command.options)}
    try:
        return answered("process", command, command.options(**{name: values[name] for name in known}))
    except TrexError as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
