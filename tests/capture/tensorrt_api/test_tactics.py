"""Recording and replaying tactics, against the mock: what is written, and every way in which a replay is none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.capture.tensorrt_api.conftest import Ran, Run
from trex.core.timing_cache import TimingCache
from trex.ingest.timing_cache import load_timing_cache

# Whole runs: too long for the check between two edits.
pytestmark = pytest.mark.slow

FACTS: dict[str, Any] = {"names": ["a", "b", "c"]}
OTHER: dict[str, Any] = {"names": ["a", "b", "c", "d"]}


@pytest.fixture
def recorded(collect: Run, tmp_path: Path) -> Path:
    ran = collect("10.16", "--skip-inference", "--record-tactics", str(tmp_path / "t.json"), facts=FACTS)
    assert ran.code == 0, ran.error
    return tmp_path / "t.json"


def replayed(collect: Run, record: Path, *words: str, release: str = "10.16", **behavior: Any) -> Ran:
    return collect(release, "--skip-inference", "--replay-tactics", str(record), *words, facts=FACTS, **behavior)


def tactics(path: Path) -> TimingCache:
    return load_timing_cache(path)


def test_a_record_is_what_the_builder_chose(recorded: Path) -> None:
    cache = tactics(recorded)
    assert sorted(cache.tactics.values()) == list(range(1000, 1012)) and not cache.notes, "the fingerprint fits"
    assert all(entry.time_ms == 0.25 for entry in cache.entries)
    assert (cache.header.device, cache.header.release) == ("Mock A100", "10.16.1")
    assert recorded.with_suffix(".cache").read_bytes().startswith(b"ptrt")
    assert not (recorded.parent / "out" / "timing.cache").exists(), "no other timing cache is used"


def test_a_replay_takes_the_recorded_tactics(recorded: Path, collect: Run, tmp_path: Path) -> None:
    """The builder would choose others that day."""
    for record in (recorded, recorded.with_suffix(".cache")):
        ran = replayed(collect, record, "--record-tactics", str(tmp_path / "again.json"), noise=7)
        assert ran.code == 0 and "Replayed 12 tactics" in ran.text(".build.log")
        assert tactics(tmp_path / "again.json").tactics == tactics(recorded).tactics


def test_an_edited_tactic_is_replayed(recorded: Path, collect: Run, tmp_path: Path) -> None:
    document = json.loads(recorded.read_text())
    key = sorted(document["tactics"])[0]
    document["tactics"][key]["tactic"] = "0x7"
    recorded.write_text(json.dumps(document))
    ran = replayed(collect, recorded, "--record-tactics", str(tmp_path / "again.json"))
    assert ran.code == 0, ran.error
    assert tactics(tmp_path / "again.json").tactics[key] == 7


def test_an_operation_that_is_timed_again_in_silence_fails_the_build(recorded: Path, collect: Run) -> None:
    ran = replayed(collect, recorded, "--save-engine", str(recorded.parent / "out" / "other.engine"), silent=[1])
    assert ran.code == 1 and "did not replay the recorded tactics: 1 changed, 0 timed again, 0 gone" in ran.error
    assert "0x00000000000005dd, not 0x00000000000003e9" in ran.error
    assert not (ran.folder / "other.engine").exists(), "no engine is written"


def test_another_network_misses_and_says_so(recorded: Path, collect: Run, tmp_path: Path) -> None:
    (tmp_path / "m.onnx").unlink()
    ran = collect("10.16", "--skip-inference", "--replay-tactics", str(recorded), facts=OTHER)
    assert ran.code == 1 and "errorOnMiss" in ran.error and "record again" in ran.error
    ran = collect("10.16", "--skip-inference", "--replay-tactics", str(recorded), silent=[3])
    assert ran.code == 1 and "0 changed, 1 timed again, 0 gone" in ran.error


def test_a_cache_that_tensorrt_does_not_read_is_an_error(recorded: Path, collect: Run) -> None:
    cache = recorded.with_suffix(".cache")
    cache.write_bytes(b"ptrt of another GPU")
    ran = replayed(collect, recorded)
    assert ran.code == 2 and f"reads no tactics from {cache}" in ran.error
    cache.unlink()
    ran = replayed(collect, recorded)
    assert ran.code == 2 and "keep both" in ran.error


def test_what_cannot_be_replayed_is_an_error(recorded: Path, collect: Run) -> None:
    assert "rejects the tactic 0x" in replayed(collect, recorded, rejects=True).error
    document = json.loads(recorded.read_text())
    document["tactics"]["0x" + "f" * 32] = {"tactic": "0x7"}
    recorded.write_text(json.dumps(document))
    ran = replayed(collect, recorded)
    assert ran.code == 2 and "1 of 13 tactics are of operations" in ran.error
    recorded.write_text("{}")
    ran = replayed(collect, recorded)
    assert ran.code == 2 and "no record of tactics" in ran.error


@pytest.mark.parametrize(
    ("release", "words", "message"),
    [
        ("10.4", [], "has no editable timing cache"),
        ("10.16", ["--no-builder-cache"], "through the timing cache"),
        ("10.16", ["--replay-tactics", "t.cache"], "would overwrite"),
    ],
)
def test_where_there_is_no_editable_cache_it_says_so(
    release: str, words: list[str], message: str, collect: Run, tmp_path: Path
) -> None:
    ran = collect(release, "--skip-inference", "--record-tactics", "t.json", *words, facts=FACTS)
    assert ran.code == 2 and message in ran.error and not (tmp_path / "t.json").exists()
