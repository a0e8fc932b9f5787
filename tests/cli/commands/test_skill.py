"""The command ``trex skill``, and SKILL.md itself: every command line in it runs, every path in its table exists."""

from __future__ import annotations

import json
import re
import shlex
from functools import partial
from pathlib import Path

import pytest

from trex.cli.command import COMMANDS
from trex.cli.commands.skill import FILE
from utils.agent_evaluation import skill_rows, value_at

TEXT = FILE.read_text(encoding="utf-8")
WORDS = {"type": "kgen", "precision": "INT8", "explain": "latency.pct_time"}
NAMES = {"ENGINE": "example:resnet18-int8-residual", "BASE": "example:resnet18-int8"}
BLOCKS = re.findall(r"```bash\n(.*?)```", TEXT, re.DOTALL)


def test_it_is_printed_and_written(trex, tmp_path):
    assert trex("skill").out == TEXT
    file = tmp_path / ".claude" / "skills" / "SKILL.md"  # as in the help: no folder is there yet
    assert trex("skill", "-o", file).code == 0
    assert file.read_text(encoding="utf-8") == TEXT
    assert json.loads(trex("skill", "--json").out)["sections"]["skill"]["text"][1] == "name: trex"


def test_it_is_a_skill():
    head, _, body = TEXT.removeprefix("---\n").partition("\n---\n")
    name, description = head.splitlines()
    assert name == "name: trex" and len(description.removeprefix("description: ")) <= 1024
    assert len(body.split()) < 1500  # it is loaded whole into an agent's context


def test_every_command_it_names_exists():
    named = set(re.findall(r"\btrex ([a-z][a-z-]+)", TEXT))
    assert named <= set(COMMANDS.names), named - set(COMMANDS.names)


@pytest.mark.parametrize("block", BLOCKS, ids=[block.split()[1] for block in BLOCKS])
def test_every_recipe_runs(trex, block, tmp_path, monkeypatch):
    for module in ("onnx", "plotly"):
        pytest.importorskip(module)
    monkeypatch.chdir(tmp_path)
    for line in block.strip().splitlines():
        said = trex(*shlex.split(line)[1:])
        assert said.code in (0, 1) and "trex:" not in said.err, f"{line}\n{said.err}"


def named(names: dict[str, str], match: re.Match[str]) -> str:
    return names[match[0]]


def test_every_row_of_the_table_has_an_answer(trex):
    rows = skill_rows()
    assert len(rows) == TEXT.count("| `trex ") > 20
    answers = {}
    for row in rows:
        word = next((word for key, word in WORDS.items() if key in row.command), "")
        names = {**NAMES, "WORD": word}
        words = [re.sub("BASE|ENGINE|WORD", partial(named, names), part) for part in shlex.split(row.command)[1:]]
        key = tuple(words)
        if key not in answers:
            answers[key] = json.loads(trex(*words).out)
        assert value_at(answers[key], row.path) not in (None, "", 0), row


def test_the_file_is_in_the_package():
    assert FILE.is_relative_to(Path(__file__).resolve().parents[3] / "trex")
