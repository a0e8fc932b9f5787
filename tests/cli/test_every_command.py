"""Every command on every bundled example, and on every real engine and log where they are at hand."""

from __future__ import annotations

import json

import pytest

from trex.cli.command import COMMANDS
from trex.core.options import option_fields
from trex.plan.loading import example_addresses

ON_ENGINES = ["summary", "layers", "draw", "doctor", "perf", "report", "lint", "qdq"]
CODES = {"lint": (0, 1)}  # 1: there are findings
SCHEMAS = {
    "summary": "trex.summary/1",
    "doctor": "trex.doctor/1",
    "explain": "trex.explain/1",
    "examples": "trex.examples/1",
    "process": "trex.process/1",
    "perf": "trex.perf/1",
    "devices": "trex.devices/1",
    "report": "trex.report/1",
    "lint": "trex.lint/1",
    "rules": "trex.rules/1",
    "qdq": "trex.qdq/1",
    "compare": "trex.compare/1",
    "baseline": "trex.baselines/1",
    "explain-build": "trex.explain-build/1",
    "validate": "trex.validate/1",
    "whatif": "trex.whatif/1",
}


def test_every_command_is_tried():
    others = {"explain", "examples", "process", "collector", "devices", "rules", "compare", "baseline"}
    others |= {"explain-build", "validate", "whatif"}
    assert {*ON_ENGINES, *others} == set(COMMANDS.names)
    with_json = {
        name
        for name in COMMANDS.names
        if any(f.name == "json" for f in option_fields(COMMANDS.load(name).value.options))
    }
    assert with_json == set(SCHEMAS)


def arguments(name: str, address: str, folder) -> list[str]:
    return [name, address, *(["--output", str(folder / "x.svg")] if name == "draw" else [])]


def is_inert(text: str) -> bool:
    return all(line.isprintable() for line in text.split("\n"))


@pytest.mark.parametrize("address", example_addresses())
@pytest.mark.parametrize("name", ON_ENGINES)
def test_every_command_on_every_example(trex, name, address, tmp_path):
    said = trex(*arguments(name, address, tmp_path))
    assert said.code in CODES.get(name, (0,))
    assert said.err == "" or "(large-picture)" in said.err
    assert said.out and is_inert(said.out)
    if name in ("summary", "perf", "lint"):
        assert "*** simulated: " in said.out


@pytest.mark.parametrize("address", example_addresses())
@pytest.mark.parametrize("name", sorted(set(SCHEMAS) & set(ON_ENGINES)))
def test_json_says_its_schema(trex, name, address):
    said = trex(name, address, "--json")
    assert said.code in CODES.get(name, (0,))
    assert json.loads(said.out)["schema"] == SCHEMAS[name]


@pytest.mark.parametrize(
    "words", [("explain", "kgen"), ("explain", "--list"), ("examples",), ("rules",), ("validate",)]
)
def test_json_of_the_other_commands(trex, words):
    said = trex(*words, "--json")
    assert said.code == 0
    assert json.loads(said.out)["schema"] == SCHEMAS[words[0]]


@pytest.mark.parametrize("name", ON_ENGINES)
def test_every_command_on_a_real_engine(trex, name, shared_engines, tmp_path):
    for folder in sorted(path for path in shared_engines.iterdir() if path.is_dir()):
        said = trex(*arguments(name, str(folder), tmp_path))
        assert said.code in {**CODES, "doctor": (0, 1)}.get(name, (0,)), (folder.name, said.err)
        assert is_inert(said.out) and is_inert(said.err), folder.name


@pytest.mark.parametrize("name", ON_ENGINES)
def test_every_command_on_a_real_log(trex, name, shared_logs, tmp_path):
    for log in sorted(shared_logs.iterdir()):
        said = trex(*arguments(name, str(log), tmp_path))
        assert said.code in (0, 1, 2), log.name
        assert "Traceback" not in said.err
        assert is_inert(said.out) and is_inert(said.err), log.name
        if said.code == 2:
            assert "try: " in said.err, log.name
