"""The command ``trex cache``."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.simulated_examples import SIMULATED
from tests.timing_caches import CACHES, PUBLISHED, cache_bytes, keyed_log, made_entries, retimed

ENTRIES = made_entries()


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """(a cache, a second one of the same tactics but one, timed on another day)."""
    base, new = tmp_path / "base.cache", tmp_path / "new.cache"
    base.write_bytes(cache_bytes(ENTRIES))
    second = retimed(ENTRIES, 1.01)
    new.write_bytes(cache_bytes((replace(second[0], tactic=0xABC), *second[1:])))
    return base, new


def test_show_says_what_it_is(trex, files):
    said = trex("cache", "show", files[0])
    assert (said.code, said.err) == (0, "")
    assert "9 tactics: 5 native, 4 Myelin" in said.out and "stream version  240" in said.out
    assert "Reformat" in said.out and "0x80000006" in said.out


@pytest.mark.skipif(not CACHES.is_dir(), reason="the real caches are not next to the repository")
def test_show_a_real_cache(trex):
    name = next(iter(PUBLISHED))
    said = trex("cache", "show", CACHES / name)
    assert said.code == 0 and PUBLISHED[name] in said.out and "103 native, 173 Myelin" in said.out


def test_what_show_writes_is_the_cache_again(trex, files, tmp_path):
    """Its record and its JSON are taken by every action."""
    record, document = tmp_path / "a.json", tmp_path / "b.json"
    said = trex("cache", "show", files[0], "--save", record, "-o", document)
    assert said.code == 0 and str(record) in said.err
    for kept in (record, document):
        said = trex("cache", "diff", kept, files[0])
        assert (said.code, said.err) == (0, "") and "Same tactics: 9 operations" in said.out
    assert trex("cache", "show", document, "--save", tmp_path / "c.json").code == 0
    assert json.loads((tmp_path / "c.json").read_text())["tactics"] == json.loads(record.read_text())["tactics"]
    kept = json.loads(record.read_text())
    next(iter(kept["tactics"].values()))["time_ms"] = None
    record.write_text(json.dumps(kept))
    assert "each operation once; 1 time unknown." in trex("cache", "show", record).out.replace("\n", " ")
    limited = tmp_path / "limited.json"
    trex("cache", "show", files[0], "--limit", 3, "-o", limited)
    said = trex("cache", "diff", limited, files[0])
    assert said.code == 2 and "only some of the tactics" in said.err


def test_a_copy_of_an_edited_record_proves_nothing(trex, files, tmp_path):
    record, document, copy = (tmp_path / f"{name}.json" for name in "abc")
    trex("cache", "show", files[0], "--save", record)
    kept = json.loads(record.read_text())
    kept["tactics"].popitem()
    record.write_text(json.dumps(kept))
    trex("cache", "show", record, "--save", copy, "-o", document)
    for edited in (record, copy, document):
        said = trex("cache", "verify", edited, files[0])
        assert said.code == 3 and "Can't tell" in said.out and "8 operations that were read" in said.out


def test_a_log_names_the_operations(trex, files, tmp_path):
    log = tmp_path / "build.log"
    log.write_text(keyed_log(ENTRIES[5:]))
    said = trex("cache", "show", files[0], "--log", log)
    assert said.code == 0 and "The log names 4 of them." in said.out and "matMul3" in said.out
    log.write_text("[V] [TRT] nothing of a build\n")
    said = trex("cache", "show", files[0], "--log", log)
    assert said.code == 2 and "has no keys" in said.err


def test_diff_names_changes_and_ties(trex, files):
    said = trex("cache", "diff", *files)
    assert said.code == 1 and "1 operation of 9 in both changed tactic, 1 tie (within 2 %)" in said.out
    data = json.loads(trex("cache", "diff", *files, "--json").out)["sections"]["differences"]
    row = data["tables"]["changed"]["rows"][0]
    assert row["key"] == ENTRIES[0].key and row["new_tactic"] == "0x0000000000000abc" and row["tie"] == "tie"
    assert row["difference_pct"] == pytest.approx(1.0, abs=0.01) and data["data"]["only_new"] == 0


def test_nothing_in_common_is_inconclusive(trex, files, tmp_path):
    other = tmp_path / "other.cache"
    other.write_bytes(cache_bytes(made_entries(seed=1), device_hash=b"x" * 16))
    said = trex("cache", "diff", files[0], other)
    assert said.code == 3 and "nothing to compare" in said.out and "another device" in said.out


def test_merge_names_conflicts_and_refuses_other_devices(trex, files, tmp_path):
    record, other = tmp_path / "both.json", tmp_path / "other.cache"
    other.write_bytes(cache_bytes(made_entries(seed=1)))
    assert trex("cache", "merge", files[0], other, "--save", record).code == 0
    assert "18 tactics" in trex("cache", "show", record).out
    said = trex("cache", "merge", *files)
    assert said.code == 1 and "1 conflict: kept those of base.cache" in said.out and ENTRIES[0].key in said.out
    other.write_bytes(cache_bytes(made_entries(seed=1), device_hash=b"x" * 16))
    said = trex("cache", "merge", files[0], other)
    assert said.code == 2 and "another device" in said.err and "--force" in said.err
    assert trex("cache", "merge", files[0], other, "--force").code == 0


def test_verify_takes_a_record_a_log_and_an_engine(trex, files, tmp_path):
    assert trex("cache", "verify", files[0], files[0]).code == 0
    said = trex("cache", "verify", files[1], files[0])
    assert said.code == 1 and "1 of 9 operations used another tactic" in said.out and "0x0000000000000abc" in said.out
    other = tmp_path / "other.cache"
    other.write_bytes(cache_bytes(ENTRIES, device_hash=b"x" * 16))
    said = trex("cache", "verify", other, files[0])
    assert said.code == 2 and "another device than the cache" in said.err
    log = tmp_path / "build.log"
    log.write_text(keyed_log(ENTRIES))
    said = trex("cache", "verify", log, files[0])
    assert said.code == 0 and "Same tactics: 9 operations." in said.out
    said = trex("cache", "verify", "example:transformer-fp16", files[0])
    assert said.code == 3 and "Can't check." in said.out and "the engine has no id" in said.out
    folder = tmp_path / "out"
    shutil.copytree(SIMULATED / "resnet18-fp16", folder)
    log.rename(folder / f"{next(folder.glob('*.graph.json')).name.removesuffix('.graph.json')}.build.log")
    said = trex("cache", "verify", folder, files[0])
    assert said.code == 0 and "Same tactics: 9 operations." in said.out, "the log next to the engine has keys"


def test_a_long_list_begins_with_the_largest(trex, tmp_path):
    base, new = tmp_path / "base.cache", tmp_path / "new.cache"
    entries = made_entries(15, 15)
    base.write_bytes(cache_bytes(entries))
    new.write_bytes(cache_bytes([replace(entry, tactic=entry.tactic ^ 1) for entry in entries]))
    tables = json.loads(trex("cache", "diff", base, new, "--top", 4, "--json").out)["sections"]["differences"]["tables"]
    assert len(tables["top_changed"]["rows"]) == 4 and len(tables["changed"]["rows"]) == 30
    said = trex("cache", "diff", base, new)
    assert "Changed (30 rows: add -v)" in said.out and said.out.count("\n0x") == 10


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["show"], "show takes CACHE"),
        (["diff", "a"], "diff takes BASE and NEW"),
        (["verify", "a", "b", "--save", "c"], "--save means nothing to trex cache verify"),
        (["diff", "a", "b", "--log", "c"], "--log means nothing to trex cache diff"),
        (["show", "missing.cache"], "missing.cache"),
    ],
)
def test_wrong_use_is_explained(trex, words, expected):
    said = trex("cache", *words)
    assert said.code == 2 and expected in said.err and "Traceback" not in said.err


def test_other_commands_name_it(trex, files):
    said = trex("summary", files[0])
    assert said.code == 2 and "a timing cache" in said.err and f"trex cache show {files[0]}" in said.err
