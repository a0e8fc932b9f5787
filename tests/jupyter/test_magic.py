"""``%load_ext trex`` and ``%trex``, in IPython's own shell."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from trex.cli.command import COMMANDS
from trex.jupyter import magic

EXAMPLE = "example:resnet18-int8"


@pytest.fixture(scope="module")
def shell() -> Iterator[Any]:
    interactive = pytest.importorskip("IPython.core.interactiveshell", reason="IPython is absent: pip install ipython")
    shell = interactive.InteractiveShell()
    shell.run_line_magic("load_ext", "trex")
    yield shell
    shell.history_manager.end_session()


def test_a_cell_shows_the_document(shell: Any) -> None:
    result = shell.run_cell(f"%trex summary {EXAMPLE} --top 2").result
    assert result.document.command == "summary"
    page = result._repr_html_()
    assert '<div class="trex-cell">' in page and "not measured" in page and "<script" not in page
    assert "Slowest layers" in repr(result) and "not measured" in repr(result)


def test_names_of_the_notebook_and_quotes(shell: Any, tmp_path: Path) -> None:
    shell.user_ns["engine"] = EXAMPLE
    shell.run_cell("answer = %trex layers {engine} --query \"type == 'gemm'\"")
    assert shell.user_ns["answer"].document.command == "layers"
    assert "gemm" in repr(shell.user_ns["answer"])


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "which command?"),
        ("summary no/such/engine", "no such file"),
        ("process model.onnx out", "there is no command 'process' here"),
        (f"summary {EXAMPLE} -o x.html", "writes other formats and files"),
        (f"summary {EXAMPLE} --json", "writes other formats and files"),
        ("summary 'open", "no closing quotation"),
        ("summary --no-such-option x", "unrecognized arguments"),
    ],
)
def test_a_mistake_is_one_message_and_no_traceback(
    shell: Any, capsys: pytest.CaptureFixture[str], line: str, words: str
) -> None:
    outcome = shell.run_cell(f"%trex {line}")
    said = capsys.readouterr()
    assert outcome.success and outcome.result is None
    assert words in said.err and "Traceback" not in said.err + said.out


def test_only_commands_that_read_are_offered() -> None:
    assert set(magic.COMMANDS) <= set(COMMANDS.names)
    assert not set(magic.COMMANDS) & {"process", "collector", "baseline", "cache", "examples", "draw", "serve", "watch"}
