"""A command: ``trex NAME``."""

from __future__ import annotations

from utils.scaffold import Scaffold

SCAFFOLD = Scaffold(
    folder="cli/commands",
    plug='''\
"""One sentence: what this command shows of an engine.

examples:
  trex $name out/
  trex $name example:resnet18-int8
"""

from __future__ import annotations

from dataclasses import dataclass

from trex.cli.command import Command
from trex.cli.inputs import EngineOptions, plan_of
from trex.cli.output import OutputOptions
from trex.views.document import Document, Fact, folder_of, section


@dataclass(frozen=True, kw_only=True)
class ${camel}Options(OutputOptions, EngineOptions):
    pass


def run(options: ${camel}Options) -> Document:
    plan = plan_of(options)
    facts = (Fact("Layers", str(len(plan.working_layers)), len(plan.working_layers)),)
    sections = (section(name="$name", title="$title", facts=facts),)
    folder = folder_of(plan.engine.source)
    return Document("$name", plan.name, plan.provenance.statement, sections, plan.notes, folder)


COMMAND = Command(${camel}Options, run)
''',
    test='''\
"""The command ``trex $name``."""

import json
from pathlib import Path

import pytest

from trex.cli.main import main


def test_an_example_engine(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["$name", "example:resnet18-int8"]) == 0
    assert "Layers" in capsys.readouterr().out


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["$name", "example:resnet18-int8", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "trex.$name/1" and document["statement"].startswith("built by TensorRT for RTX")


def test_a_path_without_an_engine_is_a_user_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["$name", str(tmp_path)]) == 2
    assert str(tmp_path) in capsys.readouterr().err
''',
)
