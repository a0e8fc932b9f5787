"""The GitHub Action ``trex-sweep``: its steps, run here, with mocks of trex and gh."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.checkout import ROOT

ACTION = ROOT / ".github" / "actions" / "trex-sweep"
pytestmark = [
    pytest.mark.skipif(not ACTION.is_dir(), reason="the action is only in the repository"),
    pytest.mark.skipif(os.name != "posix" or shutil.which("bash") is None, reason="needs bash"),
]
TREX = """#!/usr/bin/env bash
echo "$*" >> "$CALLS"
case "$*" in
  *comment.md*) echo '# ci: gate for @someone' > "${@: -1}"; echo "$TREX_MOCK_ERROR" >&2; exit "$TREX_MOCK_CODE" ;;
  *.html*) echo page > "${@: -1}" ;;
  "sweep ci.toml"*) exit "$TREX_MOCK_CODE" ;;
esac
"""
GH = """#!/usr/bin/env bash
echo "$*" >> "$CALLS"
case "$*" in
  *--jq*) echo "$EARLIER" ;;
  *--input*) cp "${@: -1}" "$BODY"; exit "$GH_MOCK_CODE" ;;
esac
"""


class Steps:
    """Runs one step's script in a folder, with mocks first in PATH."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name, text in (("trex", TREX), ("gh", GH)):
            program = folder / "bin" / name
            program.parent.mkdir(exist_ok=True)
            program.write_text(text)
            program.chmod(0o755)

    def run(self, step: str, **given: str) -> subprocess.CompletedProcess[str]:
        python = str(Path(sys.executable).parent)
        environment = {
            "PATH": os.pathsep.join((str(self.folder / "bin"), python, os.environ["PATH"])),
            "CALLS": str(self.folder / "calls"), "BODY": str(self.folder / "body"), "EARLIER": "",
            "TREX_MOCK_CODE": "0", "TREX_MOCK_ERROR": "", "GH_MOCK_CODE": "0", "TREX_SWEEP": "ci.toml",
            "TREX_STORE": "store", "TREX_COMMIT": "b" * 40, "TREX_OUTPUT": "out", "GITHUB_REPOSITORY": "owner/name",
            "PULL_REQUEST": "7", "GITHUB_STEP_SUMMARY": str(self.folder / "summary"),
            "GITHUB_OUTPUT": str(self.folder / "outputs"), **given,
        }  # fmt: skip
        command = ["bash", str(ACTION / step)]
        return subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=60)

    def read(self, name: str) -> str:
        return (self.folder / name).read_text()


@pytest.fixture
def steps(tmp_path: Path) -> Steps:
    return Steps(tmp_path)


def test_jobs_that_fail_are_a_warning(steps: Steps) -> None:
    assert steps.run("sweep.sh").returncode == 0
    failed = steps.run("sweep.sh", TREX_MOCK_CODE="1")
    assert failed.returncode == 0 and "::warning" in failed.stdout
    assert steps.run("sweep.sh", TREX_MOCK_CODE="2").returncode == 2
    assert steps.read("calls").splitlines()[0] == f"sweep ci.toml --store store --commit {'b' * 40} --workers 2"


@pytest.mark.parametrize(("code", "result"), [("0", "passed"), ("1", "failed"), ("3", "inconclusive")])
def test_the_gate_says_what_came_out(steps: Steps, code: str, result: str) -> None:
    done = steps.run(
        "gate.sh",
        TREX_MOCK_CODE=code,
        TREX_BASE="a" * 40,
        TREX_FAIL_ON="compute>+3%\n\nmemory>+0%\n",
    )
    assert done.returncode == 0, done.stderr
    assert f"result={result}\n" in steps.read("outputs") and "page=out/report.html\n" in steps.read("outputs")
    assert steps.read("summary").strip()
    assert f"--base {'a' * 40} --fail-on compute>+3% memory>+0% -o out/comment.md" in steps.read("calls")


def test_a_mistake_ends_the_step_and_is_shown(steps: Steps) -> None:
    done = steps.run("gate.sh", TREX_MOCK_CODE="2", TREX_MOCK_ERROR="trex sweep: this is not TOML")
    assert done.returncode == 2 and "this is not TOML" in done.stderr


def test_the_comment_takes_the_place_of_the_earlier_one(steps: Steps) -> None:
    (steps.folder / "out").mkdir()
    (steps.folder / "out" / "comment.md").write_text("# @someone\n" + "x" * 99 + "\n" * 2 + ("y" * 99 + "\n") * 900)
    assert steps.run("comment.sh", RUN_URL="https://example.org/run").returncode == 0
    assert "--method POST repos/owner/name/issues/7/comments" in steps.read("calls")
    body = json.loads(steps.read("body"))["body"]
    assert body.startswith("<!-- trex-sweep -->\n") and "@someone" not in body and len(body) < 65_536
    assert "https://example.org/run" in body and "Cut here" in body
    assert steps.run("comment.sh", EARLIER="99").returncode == 0
    assert "--method PATCH repos/owner/name/issues/comments/99" in steps.read("calls")
    refused = steps.run("comment.sh", GH_MOCK_CODE="1")
    assert refused.returncode == 0 and "::warning" in refused.stdout


@pytest.mark.parametrize(
    ("result", "inconclusive", "code"),
    [
        ("passed", "fail", 0), ("failed", "pass", 1), ("inconclusive", "pass", 0), ("inconclusive", "fail", 1),
        ("", "pass", 1), ("passed", "Fail", 2),
    ],
)  # fmt: skip
def test_the_verdict(steps: Steps, result: str, inconclusive: str, code: int) -> None:
    assert steps.run("verdict.sh", RESULT=result, INCONCLUSIVE=inconclusive).returncode == code


def test_inputs_reach_scripts_only_as_variables() -> None:
    """An expression in a script would be code."""
    text = (ACTION / "action.yml").read_text()
    runs = re.findall(r"^ +run: (.*)$", text, re.MULTILINE)
    assert runs and not any("${{" in run for run in runs)
    for script in re.findall(r"GITHUB_ACTION_PATH/(\S+?)\"", text):
        assert os.access(ACTION / script, os.X_OK), script
    for variable in re.findall(r"\$\{\{ inputs\.([\w-]+)", text):
        assert re.search(rf"^  {variable}:$", text, re.MULTILINE), variable
