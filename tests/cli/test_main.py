"""The command line as a whole: help, exit codes, mistakes told without a traceback, bugs told with one."""

from __future__ import annotations

import io
import json
import re
import shlex
import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest

from tests.launchers import unread
from tests.simulated_examples import SIMULATED
from trex import __version__
from trex.cli import main as program
from trex.cli.command import COMMANDS, GROUPS, Command
from trex.core.errors import TrexError

EXAMPLE = str(SIMULATED / "resnet18-int8")


def test_without_a_command_the_five_that_most_need_are_shown(trex):
    said = trex()
    assert said.code == 0
    commands = re.findall(r"^  trex (\w+) ", said.out, re.MULTILINE)
    assert len(commands) == 5 and set(commands) <= set(COMMANDS.names)
    assert max(map(len, said.out.splitlines())) <= 80
    assert "trex --help" in said.out


def test_the_help_lists_every_command_with_examples_and_exit_codes(trex):
    out = trex("--help").out
    listed = out.partition("engines\n\n")[2].partition("\n\n")[0].split()
    assert sorted(listed) == sorted((*GROUPS, *COMMANDS.names))
    assert "start with:\n  trex summary FOLDER\n" in out
    assert "exit codes: 0 done · 1 findings · 2" in " ".join(out.split())


@pytest.mark.parametrize("columns", ["40", "80", "200"])
def test_the_help_fits_the_terminal(trex, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    out = trex("--help").out
    assert "…" in out
    width = int(columns)
    assert all(len(line) <= width for line in out.splitlines() if width >= 80)


@pytest.mark.parametrize("name", COMMANDS.names)
def test_the_help_of_a_command_is_its_docstring(trex, name):
    said = trex(name, "--help")
    assert said.code == 0
    plug = COMMANDS.load(name)
    words = " ".join(said.out.split())
    assert " ".join(plug.summary.split()) in words
    assert "exit codes:" in said.out
    assert "\nexamples:\n" in f"\n{plug.doc}" and "examples:" in said.out
    for line in plug.doc.partition("examples:")[2].strip().splitlines():
        assert line.strip().startswith(f"trex {name}") or line.strip().startswith("trex ")


@pytest.mark.parametrize("name", COMMANDS.names)
def test_examples_can_be_copied_from_narrow_terminals(trex, monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "60")
    shown = trex(name, "--help").out.partition("examples:\n")[2].partition("\n\n")[0]
    examples = COMMANDS.load(name).doc.partition("examples:")[2].strip().splitlines()
    wanted = [shlex.split(line) for line in examples if "   " not in line.strip()]
    assert [shlex.split(line) for line in shown.splitlines()] == wanted


def test_the_version(trex):
    assert trex("--version").out == trex("-V").out == f"trex {__version__}\n"
    assert trex("summary", "--version").out == f"trex {__version__}\n"


def test_a_version_among_other_words_is_no_answer(trex):
    """A gate with it would have passed."""
    said = trex("compare", "a", "b", "--version", "8.4", "--fail-on", "latency>+3%")
    assert (said.code, said.out) == (2, "") and "the version of trex" in said.err


@pytest.mark.parametrize("arguments", [("perf", "-s", "time", "out"), ("whatif", "--device", "A100", "m.onnx")])
def test_a_path_behind_an_option_of_several_words(trex, arguments):
    said = trex(*arguments)
    assert said.code == 2 and "try: paths before -" in said.err


def test_a_misspelled_command(trex):
    said = trex("laers", "x")
    assert (said.code, said.out) == (2, "")
    assert "'laers'" in said.err and "layers" in said.err


@pytest.mark.parametrize(
    "arguments", [("--bogus",), ("summary",), ("summary", "x", "--bogus"), ("layers", "x", "-n", "-3")]
)
def test_mistakes_in_the_options(trex, arguments):
    said = trex(*arguments)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("usage: trex")
    assert "Traceback" not in said.err


@pytest.mark.parametrize("words", ["--top=--", "--fields=--", "-n=--"])
def test_dashes_are_no_value_of_an_option(trex, words):
    said = trex("summary", EXAMPLE, words)
    assert said.code == 2 and "--" in said.err and not said.out


def test_a_long_mistake_is_shortened_in_the_middle(trex):
    for arguments in (("summary", "x", "--" + "y" * 5000 + "z"), ("draw", "x", "--hottest", "y" * 5000 + "z")):
        said = trex(*arguments).err.splitlines()[-1]
        assert len(said) < 1100 and "…" in said and ("yz" in said or "is not" in said)


def test_options_are_never_guessed_from_their_beginning(trex):
    assert trex("summary", EXAMPLE, "--js").code == 2


def test_what_a_number_must_be_is_said(trex):
    assert "'ten' is not a whole number of 0 or more" in trex("summary", EXAMPLE, "--top", "ten").err


def test_options_may_stand_in_front_of_the_command(trex):
    said = trex("--json", "explain", "kgen")
    assert said.code == 0
    assert json.loads(said.out)["schema"] == "trex.explain/1"


def test_a_mistake_of_the_users_is_told_without_a_traceback(trex, tmp_path):
    said = trex("summary", tmp_path / "nothing.json")
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith(f"trex summary: {tmp_path}")
    assert "\n  try: " in said.err
    assert "Traceback" not in said.err


def broken(error: BaseException) -> Command:
    def run(options):
        raise error

    return Command(COMMANDS.load("explain").value.options, run)


def replaced(monkeypatch, error: BaseException) -> None:
    plug = COMMANDS.load("explain")
    monkeypatch.setattr(plug.module, "COMMAND", broken(error))


def test_a_bug_keeps_its_traceback(trex, monkeypatch):
    replaced(monkeypatch, ZeroDivisionError("a bug"))
    with pytest.raises(ZeroDivisionError):
        trex("explain", "x")


def test_a_name_that_the_system_refuses_is_told_without_a_traceback(trex, tmp_path):
    model = tmp_path / "x.onnx"
    model.write_bytes(b"\x08\x07")
    said = trex("process", model, tmp_path, "--backend", "simulated", "--timing-cache", "n" * 5000)
    assert said.code == 2 and ": the system refuses it: " in said.err and "\n  try: " in said.err
    assert len(said.err) < 2000


def test_an_error_of_the_system_without_a_file_is_a_bug(trex, monkeypatch):
    replaced(monkeypatch, OSError(9, "Bad file descriptor"))
    with pytest.raises(OSError, match="Bad file descriptor"):
        trex("explain", "x")


def test_an_interruption_is_no_error(trex, monkeypatch):
    replaced(monkeypatch, KeyboardInterrupt())
    said = trex("explain", "x")
    assert (said.code, said.out, said.err) == (130, "", "trex explain: stopped\n")


def test_a_plug_in_that_exits_is_an_error(trex, monkeypatch):
    replaced(monkeypatch, SystemExit(0))
    said = trex("explain", "x")
    assert (said.code, said.out) == (2, "") and "a plug-in ended the program" in said.err


def test_errors_cannot_steer_a_terminal(trex, monkeypatch):
    replaced(monkeypatch, TrexError("a\x1b[31mb\x9b", "c\x07", "d\re"))
    said = trex("explain", "x")
    assert said.code == 2
    assert all(line.isprintable() for line in said.err.splitlines())
    assert "\\x1b[31m" in said.err


def added(monkeypatch, entry: EntryPoint) -> None:
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [entry])
    monkeypatch.setitem(COMMANDS.__dict__, "known_names", (*COMMANDS.known_names, entry.name))


def test_a_broken_command_of_a_third_party_is_listed_with_the_reason(trex, monkeypatch):
    entry = EntryPoint("chart", "no_such_module_of_ours:x", COMMANDS.entry_point_group)
    added(monkeypatch, entry)
    out = " ".join(trex("--help").out.split())
    assert "ModuleNotFoundError: No module named 'no_such_module_of_ours'" in out
    assert " summary " in out


def test_a_third_party_command_runs(trex, monkeypatch):
    entry = EntryPoint("words", "trex.cli.commands.explain", COMMANDS.entry_point_group)
    added(monkeypatch, entry)
    assert "\n  Added      words\n" in trex("--help").out
    assert trex("words", "kgen").code == 0


class Broken(io.StringIO):
    """A pipe whose reader is gone."""

    def __init__(self, error: OSError, where: int = -1) -> None:
        super().__init__()
        self.error = error
        self.where = where

    def flush(self) -> None:
        raise self.error

    def fileno(self) -> int:
        return self.where


@pytest.mark.parametrize("arguments", [("explain", "kgen"), ("--help",)])
def test_a_reader_that_goes_early_is_no_error(monkeypatch, tmp_path, arguments):
    with (tmp_path / "out").open("w") as file:
        monkeypatch.setattr(sys, "stdout", Broken(BrokenPipeError(), file.fileno()))
        assert program.main(arguments) == 0


def test_a_full_disk_is_told(monkeypatch, capfd):
    monkeypatch.setattr(sys, "stdout", Broken(OSError(28, "No space left on device")))
    assert program.main(["explain", "kgen"]) == 2
    assert "No space left on device" in capfd.readouterr().err


@pytest.mark.parametrize("more", [(), ("--json",), ("-o", "-")])
def test_an_answer_that_is_lost_is_no_success(monkeypatch, capfd, more):
    monkeypatch.setattr(sys, "stdout", None)
    assert program.main(["explain", "kgen", *more]) == 2
    assert "standard output is closed" in capfd.readouterr().err


def test_a_file_needs_no_standard_output(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "stdout", None)
    assert program.main(["explain", "kgen", "-o", str(tmp_path / "a.json")]) == 0
    assert (tmp_path / "a.json").is_file()


def loaded_by(*arguments: str) -> set[str]:
    code = "import sys; from trex.cli.main import main\ntry: main(sys.argv[1:])\nexcept SystemExit: pass\n"
    code += "print('\\n'.join(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_help_loads_nothing_heavy():
    heavy = {"pandas", "numpy", "rich", "orjson"}
    assert not (heavy | {"trex.plan", "trex.ingest", "trex.views"}) & loaded_by("--help")
    assert not heavy & loaded_by("layers", "--help")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="pipes of a shell")
def test_the_head_of_a_pipe(tmp_path):
    command = f'"{sys.executable}" -m trex layers example:transformer-fp16 --all-columns --format json | head -1'
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "{\n", "")
    words = ["lint", "example:resnet18-int8", "--fail-on", "note"]
    code, _ = unread([sys.executable, "-m", "trex", *words], tmp_path)
    assert code == 1, "a gate that failed has failed, whoever reads its output"
