"""A command: ``trex NAME``."""

from __future__ import annotations

from utils.scaffold import Scaffold

SCAFFOLD = Scaffold(
    folder="cli/commands",
    plug='''\
"""One sentence: what this command prints about an engine.

examples:
  trex $name out/
  trex $name example:resnet18-int8
"""

from __future__ import annotations

from dataclasses import dataclass

from trex.cli.command import Command
from trex.core.options import option


@dataclass(frozen=True)
class Options:
    path: str = option(help="any file of the engine, a stem, a folder, a .tea archive, or example:NAME")


def run(options: Options) -> int:
    from trex.cli import console
    from trex.cli.inputs import load_plan

    plan = load_plan(options.path)
    console.say(f"{plan.name}: {len(plan.layers)} layers")
    return 0


COMMAND = Command(Options, run)
''',
    test='''\
"""The command ``trex $name``."""

import pytest

from trex.cli.main import main


def test_an_example_engine(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["$name", "example:resnet18-int8"]) == 0
    assert " layers" in capsys.readouterr().out


def test_a_path_without_an_engine_is_a_user_error(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["$name", str(tmp_path)]) == 2
    assert str(tmp_path) in capsys.readouterr().err
''',
)
