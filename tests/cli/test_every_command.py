"""Every command on every bundled example, and on every real engine and log where they are at hand."""

from __future__ import annotations

import json

import pytest

from tests.build_log_text import MODERN
from tests.mocks import write_model
from tests.simulated_examples import SIMULATED
from trex.cli.command import COMMANDS
from trex.core.options import option_fields
from trex.plan.loading import example_addresses

ON_ENGINES = ["summary", "layers", "draw", "doctor", "perf", "report", "lint", "qdq"]
CODES = {"lint": (0, 1)}  # 1: there are findings
OUTPUT = {"--format", "--output", "--json", "--limit", "--fields", "-f", "-o"}


def test_every_command_is_tried():
    others = {"explain", "examples", "process", "collector", "devices", "rules", "compare", "baseline", "schema"}
    others |= {"explain-build", "validate", "whatif", "tactics", "cache", "watch", "store", "sweep"}
    others |= {"history", "bisect", "mcp", "serve", "skill"}
    missing = set(COMMANDS.names) ^ {*ON_ENGINES, *others}
    assert all(name.startswith("new-") for name in missing), missing  # a test writes those with utils/new.py


@pytest.mark.parametrize("name", COMMANDS.names)
def test_every_command_has_the_same_output_options_and_a_schema(trex, name):
    flags = {flag for field in option_fields(COMMANDS.load(name).value.options) for flag in (field.flag, *field.flags)}
    assert flags >= OUTPUT
    schema = json.loads(trex("schema", name).out)
    assert schema["title"].startswith(f"trex {name}") and schema["$schema"].startswith("https://json-schema.org/")


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
        assert "\nbuilt by TensorRT for RTX" in said.out and "predicted" in said.out


@pytest.mark.parametrize(
    "words",
    [
        *((name, str(SIMULATED / "resnet18-int8")) for name in ON_ENGINES if name != "draw"),
        ("draw", str(SIMULATED / "resnet18-int8"), "-o", "x.svg"),
        ("compare", str(SIMULATED / "resnet18-int8"), str(SIMULATED / "resnet18-int8-residual")),
        ("baseline", "list"),
        ("tactics", "build.log"),
        ("process", "example.onnx", "out", "--print-only"),
        ("explain", "kgen"),
        ("explain", "--list"),
        ("serve", str(SIMULATED)),
        ("store", "add", str(SIMULATED / "resnet18-int8"), "--store", "runs"),
        *((name,) for name in ("examples", "rules", "validate", "devices", "doctor", "collector", "skill")),
    ],
)
def test_json_follows_its_schema(trex, words, tmp_path, monkeypatch, make_trtexec):
    monkeypatch.chdir(tmp_path)
    write_model(tmp_path / "example.onnx")
    (tmp_path / "build.log").write_text(MODERN, encoding="utf-8")
    more = ("--trtexec", make_trtexec("10.4")) if words[0] == "process" else ()
    said = trex(*words, *more, "--json")
    assert said.code in {**CODES, "doctor": (0, 1)}.get(words[0], (0,)), said.err
    document = json.loads(said.out)
    assert document["schema"] == f"trex.{words[0]}/1"
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(document, json.loads(trex("schema", words[0]).out))
    part = json.loads(trex(*words, *more, "--json", "--fields", "title", "--limit", 1).out)
    assert set(part) - {"left_out"} == {"schema", "title"}


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
