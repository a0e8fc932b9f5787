"""The order of commits and versions."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from tests.store.run_rows import Tables, row
from trex.core.errors import TrexError
from trex.store.history import history_of
from trex.store.run_order import (
    OTHER_BRANCH,
    OTHER_ORDER,
    axis_values,
    commit_subject,
    commits_between,
    in_order,
    is_same_version,
    known_positions,
    ordered,
    version_key,
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """Four commits in a row."""
    folder = tmp_path_factory.mktemp("repository")

    def git(*words: str) -> str:
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
        command = ["git", "-C", str(folder), *identity, *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    git("init", "-q")
    commits = []
    for number in range(4):
        git("commit", "-q", "--allow-empty", "-m", f"change {number}")
        commits.append(git("rev-parse", "HEAD"))
    return folder, commits


def order_of(commits: list[str], folder: str) -> list[str]:
    positions = known_positions(commits, folder)
    return sorted(positions, key=positions.__getitem__)


def test_commits_are_in_the_order_of_git(repository: tuple[Path, list[str]]) -> None:
    folder, commits = repository
    shortened = [commits[2][:9], commits[0], commits[3], commits[1][:12]]
    assert order_of(shortened, str(folder)) == [commits[0], commits[1][:12], commits[2][:9], commits[3]]
    assert commits_between(commits[0], commits[3], str(folder)) == commits[1:]
    assert commit_subject(commits[2], str(folder)) == "change 2"


@pytest.fixture
def shallow(repository: tuple[Path, list[str]], tmp_path: Path) -> tuple[str, list[str]]:
    """A clone that has the first commit and the last two, each part without its history."""
    folder, commits = repository
    clone = tmp_path / "clone"
    shutil.copytree(folder, clone)
    (clone / ".git" / "shallow").write_text(f"{commits[0]}\n{commits[2]}\n")
    return str(clone), commits


def test_a_shallow_clone_lacks_what_is_between(shallow: tuple[str, list[str]]) -> None:
    folder, commits = shallow
    with pytest.raises(TrexError, match="the clone is shallow") as error:
        commits_between(commits[0], commits[3], folder)
    assert error.value.hint == "git fetch --unshallow"
    assert order_of([commits[0], commits[3]], folder) == []
    assert commits_between(commits[2], commits[3], folder) == commits[3:]
    assert order_of([commits[3], commits[2]], folder) == commits[2:]


def on_side(folder: Path, parent: str) -> str:
    """A commit on a branch of its own."""
    command = [*("-c", "user.name=a"), *("-c", "user.email=a@example.org"), "commit-tree", f"{parent}^{{tree}}"]
    command = ["git", "-C", str(folder), *command, "-p", parent, "-m", "side"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def test_no_commits_are_between_two_branches(repository: tuple[Path, list[str]]) -> None:
    folder, commits = repository
    side = on_side(folder, commits[0])
    assert commits_between(side, commits[3], str(folder)) == []
    assert commits_between(commits[0], side, str(folder)) == [side]
    assert commits_between(commits[3], commits[0], str(folder)) == []


def test_the_environment_of_a_hook_chooses_no_repository(
    repository: tuple[Path, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, commits = repository
    monkeypatch.setenv("GIT_DIR", str(tmp_path))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(tmp_path))
    assert commit_subject(commits[2], str(folder)) == "change 2"


@pytest.mark.parametrize("unknown", ["f" * 40, "1.2-dirty", "main", "v1.0-3-g1234567"])
def test_a_commit_that_git_does_not_know_is_placed_by_its_first_run(
    repository: tuple[Path, list[str]], unknown: str
) -> None:
    folder, commits = repository
    made = [commits[0], unknown, commits[2], commits[3], commits[1]]  # the second was measured afterwards
    order = ordered(pd.DataFrame([row(day, 1.0, commit=one) for day, one in enumerate(made)]), "commit", str(folder))
    assert list(order.runs["commit"]) == [commits[0], unknown, *commits[1:]]
    assert order.groups == (1, 2, 3, 4, 5)
    (note,) = order.notes
    assert note.severity == "warning" and unknown in note.message


def test_commits_of_another_branch_are_left_out(repository: tuple[Path, list[str]]) -> None:
    folder, commits = repository
    side = on_side(folder, commits[1])

    def order(*made: str) -> tuple[list[str], list[str]]:
        rows = [row(day, 1.0, commit=one) for day, one in enumerate(made)]
        order = ordered(pd.DataFrame(rows), "commit", str(folder))
        assert all(note.code == OTHER_BRANCH for note in order.notes)
        return list(order.runs["commit"]), [note.severity for note in order.notes]

    assert order(commits[0], side, commits[3]) == ([commits[0], commits[3]], ["info"])
    assert order(commits[0], commits[3], side) == ([commits[0], commits[3]], ["warning"])  # the newest is not shown
    assert order(commits[0], side) == ([commits[0]], ["warning"])
    assert order(side) == ([side], [])
    check_out(folder, side)
    assert order(commits[0], side, commits[3]) == ([commits[0], side], ["warning"])
    check_out(folder, commits[1])  # behind both: the branch with the most
    assert order(*commits) == (commits, [])
    assert order(*commits, side) == (commits, ["warning"])
    assert order(commits[0], side, commits[1]) == ([commits[0], commits[1], side], [])


def check_out(folder: Path, commit: str) -> None:
    subprocess.run(["git", "-C", str(folder), "checkout", "-q", commit], check=True)


def test_commits_of_another_repository_are_in_the_order_of_their_first_runs(tmp_path: Path) -> None:
    made = ["f" * 40, "a" * 40, "f" * 40]
    order = ordered(pd.DataFrame([row(day, 1.0, commit=one) for day, one in enumerate(made)]), "commit", str(tmp_path))
    assert list(order.runs["commit"]) == ["f" * 40, "f" * 40, "a" * 40]
    assert [note.severity for note in order.notes] == ["warning"]


@pytest.mark.parametrize("commit", ["--output=x", "HEAD", "0" * 40, "1234567", "x" * 10, ""])
def test_what_git_does_not_know_has_no_order(repository: tuple[Path, list[str]], commit: str) -> None:
    """Nor does anything but hexadecimal digits reach git."""
    folder, commits = repository
    assert order_of([commits[0], commit], str(folder)) == [commits[0]]
    assert commit_subject(commit, str(folder)) == ""
    with pytest.raises(TrexError):
        commits_between(commits[0], commit, str(folder))


def test_a_repository_starts_no_program(repository: tuple[Path, list[str]], tmp_path: Path) -> None:
    """Its settings name one that checks signatures; the subject is no UTF-8."""
    folder, (*_, last) = repository
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")
    program.chmod(0o755)

    def git(*words: str, text: bytes = b"") -> bytes:
        return subprocess.run(["git", "-C", folder, *words], input=text, capture_output=True, check=True).stdout

    commit = git("cat-file", "commit", last)
    head, _, _ = commit.partition(b"\n\n")
    mark = b"\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\nstra\xdfe ::error::\n"
    signed = git("hash-object", "-t", "commit", "-w", "--stdin", text=head + mark).decode().strip()
    for name, value in (("log.showSignature", "true"), ("gpg.program", str(program))):
        git("config", name, value)
    assert commit_subject(signed, str(folder)) == "stra\ufffde ::error::"
    assert order_of([signed], str(folder)) == [signed]
    assert not (tmp_path / "started").exists()
    git("log", "-1", signed)  # the usual one does
    assert (tmp_path / "started").exists()


def test_versions_compare_by_number() -> None:
    versions = ["10.13.0", "8.6.1", "10.4", "for RTX 1.7.1", "10.4.0"]
    assert sorted(versions, key=version_key) == ["for RTX 1.7.1", "8.6.1", "10.4", "10.4.0", "10.13.0"]


def test_numbers_that_are_no_versions_compare_by_value() -> None:
    assert in_order(["0.6", "0.35", "0.05", "0.35"]) == ["0.05", "0.35", "0.6"]
    assert in_order(["1", "-0.5", "-1"]) == ["-1", "-0.5", "1"]
    assert in_order(["1.10", "1.9"]) == ["1.9", "1.10"]


def test_a_candidate_is_before_its_release() -> None:
    order = [
        "1.9",
        "1.10.0.dev3",
        "1.10.0a1",
        "1.10.0-beta.2",
        "1.10.0-rc1",
        "1.10.0-rc2",
        "v1.10.0-rc10",
        "1.10.0",
        "1.10.1",
    ]
    assert sorted(set(order), key=version_key) == order
    for words in (["8", "8-int8", "16"], ["s128", "s128b8"], ["8", "8-device0"], ["1.10.0", "1.10.0-5-g1a2b3c4"]):
        assert sorted(set(words), key=version_key) == words
    assert sorted(["10.4.0-rc1", "10.4", "10.3"], key=version_key) == ["10.3", "10.4.0-rc1", "10.4"]


@pytest.mark.parametrize(
    ("labels", "noted"),
    [
        (["31.01.2026", "01.02.2026", "02.02.2026"], True),
        (["12/29/25", "12/30/25", "01/06/26"], True),
        (["31 Jan 2026", "01 Feb 2026", "02 Feb 2026"], True),
        (["Mon Nov 30 10:00:00 UTC 2026", "Tue Dec 1 10:00:00 UTC 2026", "Wed Dec 2 10:00:00 UTC 2026"], True),
        (["jan", "feb", "mar"], True),
        (["11/2025", "12/2025", "01/2026"], True),
        (["WW51.2025", "WW52.2025", "WW1.2026"], True),
        (["0.25", "0.3", "0.35"], True),  # as versions 0.3 is before 0.25
        (["0.25", "0.35", "0.45"], False),
        (["0.3", "0.25", "0.05"], False),  # no versions
        (["Q4 2025", "Q1 2026", "Q2 2026"], True),
        (["march-c", "main-b", "decode-a"], False),
        (["mar", "sep-conv", "dec"], False),
        (["marlin2", "decoder1", "juno3"], False),
        (["1.8.0", "1.11.0", "1.9.0", "1.10.0"], False),  # a bisection, or measured afterwards
        (["1.8", "1.11", "1.9", "1.10"], False),
        (["12/30/25", "01/06/26"], False),  # two may be anything
        (["fp32", "fp16", "bf16", "fp8"], False),
        (["b32", "b8", "b1"], False),
        (["2026-01-31", "2026-02-01", "2026-02-02"], False),
        (["32", "8", "1"], False),  # numbers have an order of their own
        (["b", "a", "b", "a"], False),  # a sweep
        (["b"], False),
    ],
)
def test_labels_in_another_order_than_time(labels: list[str], noted: bool) -> None:
    rows = [row(number, 1.0, labels={"day": label}) for number, label in enumerate(labels)]
    assert [note.code for note in ordered(pd.DataFrame(rows), "day").notes] == [OTHER_ORDER] * noted
    assert history_of(Tables(rows), "net", "day").is_behind is noted


def test_a_shortened_version_is_the_same() -> None:
    for left, right in (("10.4", "10.4.0"), ("10.4.0", "10.4.0.26"), ("10", "10.0"), ("a", "a")):
        assert is_same_version(left, right) and is_same_version(right, left)
    for left, right in (("10.4", "10.4.1"), ("10.4", "10.40"), ("10.4.0.1", "10.4.0.2"), ("RTX 1.0", "1.0"), ("", "0")):
        assert not is_same_version(left, right) and not is_same_version(right, left)


@pytest.mark.parametrize("name", ["options", "labels", "gpu", "layers"])
def test_a_label_is_an_axis_whatever_columns_there_are(name: str) -> None:
    tables = Tables([row(number, 1.0, labels={name: f"v{number}"}) for number in range(2)])
    assert axis_values(tables.table, name).tolist() == ["v0", "v1"]


def test_a_version_of_thousands_of_digits_has_an_order() -> None:
    texts = ["9" * 5000, "1", "10.4"]
    assert sorted(texts, key=version_key) == ["1", "10.4", "9" * 5000]
