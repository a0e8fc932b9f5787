"""No name of an engine, file or option becomes a command to the CI system that shows our output."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.fuzz.monsters import document, layer, tensor
from trex.cli import console
from trex.cli.main import main
from trex.core.log_commands import without_log_commands
from trex.export.diagram import FORMATS as DIAGRAMS
from trex.export.document import format_names

HOSTILE = (
    "::error file=a::x",
    "  ::warning::x",
    "a\n::set-output name=a::b",
    "a\r::notice::x",
    "a\r \t::notice::x",
    "a\x85::notice::x",
    "a\u2028::notice::x",
    "##[error]x",
    "a ##vso[task.setvariable variable=a]b",
    "##teamcity[buildStop]",
    "###[group]",
    "section_start:1700000000:a",
    "\x1b[0Ksection_end:1700000000:a\r\x1b[0K",
)
# As the runners read a line: GitHub trims it first; the others look anywhere.
_AT_START = re.compile(r"\s*::")
_ANYWHERE = re.compile(r"##[\w-]*\[|section_(?:start|end):")


def check(text: str, what: str, may_annotate: bool = False) -> None:
    for line in re.split(r"[\r\n]", text):
        assert may_annotate or not _AT_START.match(line), f"{what}: {line[:200]!r}"
        match = _ANYWHERE.search(line)
        assert match is None, f"{what}: {line[max(0, match.start() - 50) : match.end() + 50]!r}"


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder whose every name is hostile, its own included."""
    folder = tmp_path_factory.mktemp("x") / "##[error]y"
    folder.mkdir()
    layers = [
        layer(
            text,
            LayerType=text,
            ParameterType=text,
            Inputs=[tensor(f"{text}{i}" if i else "x", (1, 8), text if i % 2 else "Half")],
            Outputs=[tensor(f"{text}{i + 1}", (1, 8))],
            TacticName=text,
            Origin=text,
            Metadata=f"[ONNX Layer: {text}]",
            **{text: text},
        )
        for i, text in enumerate(HOSTILE)
    ]
    (folder / "x.graph.json").write_bytes(document(layers, list(HOSTILE)))
    rows = [{"name": text, "averageMs": 1.0, "timeMs": 1.0} for text in HOSTILE]
    (folder / "x.profile.json").write_bytes(json.dumps(rows).encode())
    facts = {"device_information": {"Selected Device": "::error::x"}, "build_options": {"Precision": "##[error]"}}
    (folder / "x.profile.metadata.json").write_bytes(json.dumps(facts).encode())
    return str(folder)


COMMANDS = (
    "summary", "summary -v", "summary --group-tactics", "layers --all-columns", "perf --explain", "lint -v", "doctor",
    "qdq", "report", "compare PATH", "validate", "layers --columns ::error::x", "layers --query ##[error]",
)  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("columns", ["", "40"])
def test_no_command_in_text(
    command: str, columns: str, engine: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    name, *options = command.replace("PATH", engine).split(" ")
    assert main([name, engine, *options]) in (0, 1, 2, 3)
    for text in capsys.readouterr():
        check(text, command)


@pytest.mark.parametrize("command", ["summary", "layers", "perf", "lint", "compare"])
def test_no_command_in_any_format(command: str, engine: str, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    for name in format_names(command):
        if name in ("xlsx", "parquet"):
            continue
        paths = [engine, engine] if command == "compare" else [engine]
        assert main([command, *paths, "--format", name]) in (0, 1, 2, 3), name
        for data in capsysbinary.readouterr():
            check(data.decode("utf-8"), f"{command} as {name}", may_annotate=name == "github")


@pytest.mark.parametrize("path", ["/dev/stdout", "/dev/stderr", "/proc/self/fd/1"])
def test_no_command_in_what_is_no_regular_file(path: str, engine: str, capfd: pytest.CaptureFixture[str]) -> None:
    """It may be the job's log, whatever the format."""
    for name in ("text", "csv", "json") if path == "/dev/stdout" else ("csv",):
        assert main(["layers", engine, "-c", "Name,type", "-f", name, "-o", path]) == 0
        written = capfd.readouterr()
        assert "error" in (written.err if path == "/dev/stderr" else written.out)
        for text in written:
            check(text, f"{name} to {path}")


def test_no_command_in_a_text_file_that_a_job_prints(engine: str, tmp_path: Path) -> None:
    for ending in ("txt", "md"):
        assert (
            main(["summary", engine, "-f", "text" if ending == "txt" else "markdown", "-o", str(tmp_path / "x")]) == 0
        )
        check((tmp_path / "x").read_text(encoding="utf-8"), ending)
    assert main(["layers", engine, "-c", "Name", "-o", str(tmp_path / "x.csv")]) == 0
    assert "\n::error file=a::x" in (tmp_path / "x.csv").read_text(encoding="utf-8"), "data stay exact"


def test_no_command_in_any_diagram(engine: str, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    for name in DIAGRAMS.names:
        main(["draw", engine, "--output", "-", "--format", name])
        out, err = capsysbinary.readouterr()
        if DIAGRAMS.load(name).value.is_text:
            check(out.decode("utf-8"), name)
        check(err.decode("utf-8"), name)


@pytest.mark.parametrize("word", ["::error::x", " ::error::x", "##[error]x", "a\n::error::x"])
@pytest.mark.parametrize("command", ["summary", "explain", "rules", "devices", "compare", "process", ""])
def test_no_command_in_errors(command: str, word: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        main([command, word] if command else [word])
    except SystemExit as stopped:
        assert stopped.code == 2
    for text in capsys.readouterr():
        check(text, command)


def test_notes_and_paths_begin_no_command(capsys: pytest.CaptureFixture[str]) -> None:
    for text in HOSTILE:
        console.say(text)
        console.complain(text)
        console.write(f"{text}\n")
    for text in capsys.readouterr():
        check(text, "console")


@pytest.mark.parametrize("text", HOSTILE)
def test_json_and_xml_still_contain_the_text(text: str) -> None:
    written = json.dumps({text: [text]}, ensure_ascii=False)
    assert json.loads(without_log_commands(written)) == {text: [text]}
    check(without_log_commands(written), "json")
    from xml.etree import ElementTree
    from xml.sax.saxutils import escape

    plain = text.replace("\x1b", "").replace("\r", "").replace("\x85", "")
    page = without_log_commands(f"<a>{escape(plain)}</a>")
    check(page, "xml")
    assert ElementTree.fromstring(page).text in (plain, without_log_commands(plain))


@pytest.mark.parametrize("blank", [" ", "\t", "\r", "\n", "\x85", "\u2028", "\x1c"])
def test_blanks_take_no_time(blank: str) -> None:
    text = f"\n{blank * 50_000}x::y"
    assert without_log_commands(text) == text


def test_other_text_stays_as_it_is() -> None:
    text = "## heading\na::b c ::d # #[x]\n#[y] sections_start\n"
    assert without_log_commands(text) == text
