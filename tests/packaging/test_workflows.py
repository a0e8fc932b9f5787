""".github/workflows: what they run exists here, so that what CI runs is what a person runs."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.targets import TARGETS

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)
def test_scripts_exist_and_checks_are_known(file: Path) -> None:
    text = file.read_text("utf-8")
    for script in re.findall(r"(?<![\w/])(\.ci/[\w-]+)", text):
        assert os.access(ROOT / script, os.X_OK), script
    for script in re.findall(r"\b(utils/\w+\.py)", text):
        assert (ROOT / script).is_file(), script
    steps = runpy.run_path(str(ROOT / "utils" / "check.py"), run_name="utils_check")["steps"](())
    known = {step.name for lane in steps for step in lane}
    for names in re.findall(r"utils/check\.py((?: (?!-)\w+)+)", text):
        assert set(names.split()) <= known


def test_every_reader_is_fuzzed_at_night() -> None:
    text = (ROOT / ".github" / "workflows" / "nightly.yml").read_text("utf-8")
    (names,) = re.findall(r"target: \[(.*)\]", text)
    assert sorted(names.split(", ")) == sorted(TARGETS)


def test_the_password_of_no_index_is_used() -> None:
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")
    assert "id-token: write" in text and "password" not in text.partition("jobs:")[2] and "secrets." not in text


@pytest.mark.skipif(os.name != "posix", reason="runs on GitHub's Linux")
def test_notes_of_a_release_lead_to_its_files() -> None:
    script = str(ROOT / ".ci" / "release-notes")
    environment = {**os.environ, "TREX_REPOSITORY": "https://forge.example/org/trex/"}
    notes = subprocess.check_output([sys.executable, script, "v1.0.0rc1"], env=environment, text=True)
    links = re.findall(r"\]\(([^)]+)\)", notes)
    assert links and all(link.startswith("https://forge.example/org/trex/blob/v1.0.0rc1/") for link in links)


def test_actions_are_pinned_to_commits() -> None:
    """A tag can be moved to other code; the comment has the release, which dependabot keeps in step."""
    files = (*WORKFLOWS, *(ROOT / ".github" / "actions").glob("*/action.yml"))
    used = [line for file in files for line in re.findall(r"uses: (?!\./)(.*)", file.read_text("utf-8"))]
    assert len(used) > 20
    assert not [line for line in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line)]
