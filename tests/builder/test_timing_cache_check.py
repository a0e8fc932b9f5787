"""Builds against a cache: proved by keys, refuted by tactics, or neither."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.timing_caches import GENERATED, cache_bytes, keyed_log, made_entries
from trex.builder.timing_cache_check import TacticOutcome, check_engine, check_keys, check_log, check_record
from trex.builder.timing_cache_frame import entries_frame, layers_frame
from trex.core.build_log import BuildLog
from trex.core.errors import TrexError
from trex.core.metadata import Metadata
from trex.core.note import Note
from trex.core.timing_cache import EDITED, LAYOUT_10, MYELIN, NATIVE, TimingCache, TimingCacheEntry
from trex.ingest.build_log.build_log import parse_build_log
from trex.ingest.graph_json import read_graph
from trex.ingest.timing_cache import read_timing_cache
from trex.plan.engine_plan import EnginePlan

ENTRIES = made_entries()
CACHE = read_timing_cache(cache_bytes(ENTRIES))
SAME, DIFFERS, INCONCLUSIVE = TacticOutcome.SAME, TacticOutcome.DIFFERS, TacticOutcome.INCONCLUSIVE
CONVOLUTION, REFORMAT = 0x80000009, 0x80000006


def cache_of(*tactics: tuple[int, int]) -> TimingCache:
    entries = (TimingCacheEntry(f"0x{index:032x}", tactic, 0.5, NATIVE, runner)
               for index, (tactic, runner) in enumerate(tactics))  # fmt: skip
    return replace(CACHE, entries=tuple(entries))


def engine(*layers: tuple[str, str | None]) -> EnginePlan:
    """layers: (LayerType, TacticValue)."""
    records = [
        {"Name": f"l{index}", "LayerType": kind, "TacticName": "kernel", "Inputs": [], "Outputs": [],
         **({} if value is None else {"TacticValue": value})}
        for index, (kind, value) in enumerate(layers)
    ]  # fmt: skip
    return EnginePlan(read_graph(json.dumps({"Layers": records, "Bindings": []}).encode()))


def test_keys_prove_it() -> None:
    assert check_keys(CACHE, CACHE.tactics).outcome is SAME
    other = {**CACHE.tactics, ENTRIES[0].key: 5, "0x" + "f" * 32: 6}
    check = check_keys(CACHE, other)
    assert check.outcome is DIFFERS
    assert [(tactic.used, tactic.recorded) for tactic in check.differing] == [(5, ENTRIES[0].tactic), (6, None)]
    assert check_keys(CACHE, {}).outcome is INCONCLUSIVE


def test_a_record_that_was_edited_proves_nothing() -> None:
    """It may have lost operations."""
    cache = cache_of((1, 10), (2, 20))
    whole, lost = cache_of((1, 10), (2, 20)), cache_of((1, 10))
    edited = replace(lost, notes=(Note(EDITED, "the record was edited"),))
    outcomes = [check_record(cache, record).outcome for record in (whole, lost, edited)]
    assert outcomes == [TacticOutcome.SAME, TacticOutcome.SAME, TacticOutcome.INCONCLUSIVE]


def test_tactics_refute_it() -> None:
    cache = cache_of((0x3E8, REFORMAT), (5, CONVOLUTION), (6, 0x80000047))
    plan = engine(("CaskConvolution", "0x5"), ("Reformat", "0x00000000000003e8"), ("Scale", "0x6"))
    check = check_engine(cache, plan)
    assert (check.outcome, check.same, check.by_key) == (SAME, 3, False)
    assert check_engine(cache, engine(("CaskConvolution", "0x7"))).outcome is DIFFERS
    # the tactic is there, but of another runner
    assert check_engine(cache, engine(("CaskConvolution", "0x3e8"))).outcome is DIFFERS
    assert check_engine(cache, engine(("PointWiseV2", "0x6"))).outcome is SAME, "a runner without a known name"


def test_an_engine_has_no_ids_of_myelins_tactics() -> None:
    check = check_engine(
        cache_of((5, CONVOLUTION)), engine(("CaskConvolution", "0x5"), ("gemm", None), ("Myelin", "0x0"))
    )
    assert check.outcome is INCONCLUSIVE and check.same == 1
    assert [tactic.name for tactic in check.unknown] == ["l1", "l2"] and "no id" in check.unknown[0].reason
    check = check_engine(cache_of((6, CONVOLUTION)), engine(("CaskConvolution", "0x5"), ("gemm", None)))
    assert check.outcome is DIFFERS


def log_of(text: str) -> BuildLog:
    return parse_build_log(text.encode(), "build.log")


def test_a_log_with_keys_proves_it() -> None:
    check = check_log(CACHE, log_of(keyed_log(ENTRIES)))
    assert check.outcome is SAME and check.by_key and len(check.checked) == len(ENTRIES)
    used_other = (replace(ENTRIES[0], tactic=7), *ENTRIES[1:])
    check = check_log(CACHE, log_of(keyed_log(used_other)))
    assert [(tactic.name, tactic.recorded) for tactic in check.differing] == [("matMul0", ENTRIES[0].tactic)]


_BANNER, _RUN = "&&&& ", "TensorRT.trtexec [TensorRT v101500] # trtexec --onnx="


@pytest.mark.parametrize(
    ("change", "doubt"),
    [
        (lambda text: text.replace(GENERATED, ""), "ends before the engine was generated"),
        (lambda text: f"{text}&&&& FAILED TensorRT.trtexec [TensorRT v101500] # trtexec", "run failed"),
        (
            lambda text: f"{_BANNER}RUNNING {_RUN}a\n{_BANNER}RUNNING {_RUN}b\n{text}{_BANNER}PASSED {_RUN}a",
            "same time",
        ),
        (lambda text: text.replace(GENERATED, "[I] Engine built in 2 sec."), ""),
    ],
)
def test_a_build_that_did_not_finish_proves_nothing(change: Callable[[str], str], doubt: str) -> None:
    check = check_log(CACHE, log_of(change(keyed_log(ENTRIES))))
    assert (
        check.outcome is (INCONCLUSIVE if doubt else SAME) and doubt in check.doubt and bool(doubt) == bool(check.doubt)
    )
    used_other = (replace(ENTRIES[0], tactic=7), *ENTRIES[1:])
    assert check_log(CACHE, log_of(change(keyed_log(used_other)))).outcome is DIFFERS


def test_of_several_builds_one_is_judged() -> None:
    """The last: what an earlier build chose says nothing of the engine."""
    used_other = (replace(ENTRIES[0], tactic=7), *ENTRIES[1:])
    log = log_of(keyed_log(used_other) + keyed_log(ENTRIES))
    check = check_log(CACHE, log)
    assert check.outcome is SAME and len(check.checked) == len(ENTRIES)
    assert [(note.code, note.severity) for note in check.notes] == [("several-builds", "warning")]
    assert "build 2 was checked" in check.notes[0].message
    assert check_log(CACHE, log, 0).outcome is DIFFERS and not check_log(CACHE, log_of(keyed_log(ENTRIES))).notes


@pytest.mark.parametrize(
    ("device", "release", "said"),
    [
        ("NVIDIA H100", "10.15.0", "another device than"),
        ("NVIDIA L4", "10.16.0.1", "another build of TensorRT than"),
        ("Tesla T4", "8.6.1", "another device and another build of TensorRT than"),
        ("L4", "10.15.0.2", ""),
        ("", "", ""),
    ],
)
def test_builds_of_another_gpu_or_release_are_refused(device: str, release: str, said: str) -> None:
    """Their ids mean other kernels; refused only by what both sides say."""
    cache = replace(CACHE, header=replace(CACHE.header, device=device, release=release))
    device_line = "[01/02/2026-03:04:05] [I] Selected Device: NVIDIA L4\n"
    log = log_of(keyed_log(ENTRIES).replace("\n", f"\n{device_line}", 1))
    assert (log.builds[0].device, log.builds[0].tensorrt_version) == ("NVIDIA L4", "10.15.0")
    metadata = Metadata(device={"Selected Device": "NVIDIA L4"}, tensorrt_version="10.15.0")
    plan = EnginePlan(engine(("CaskConvolution", "0x5")).engine, build_metadata=metadata)
    for check in (lambda: check_log(cache, log), lambda: check_engine(cache, plan)):
        if said:
            with pytest.raises(TrexError, match=said):
                check()
        else:
            check()


def test_a_log_without_keys_is_looked_up_by_runner_and_tactic() -> None:
    begin = "[01/02/2026-03:04:05] [V] [TRT] "
    formats = f"{begin}*************** Autotuning format combination: Half(8,1) -> Half(8,1)%s ***************\n"
    timed = f"{begin}--------------- Timing Runner: conv1 (CaskConvolution[0x80000009])\n"
    timed += f"{begin}Tactic Name: k Tactic: 0x0000000000000005 Time: 0.5\n"
    timed += f"{begin}>>>>>>>>>>>>>>> Chose Runner Type: CaskConvolution Tactic: 0x0000000000000005\n{GENERATED}\n"
    myelin = keyed_log(ENTRIES[:1]).replace(f"(key: {ENTRIES[0].key})", "")
    assert check_log(cache_of((5, CONVOLUTION)), log_of(formats % "" + timed)).outcome is SAME
    assert check_log(cache_of((5, REFORMAT)), log_of(formats % "" + timed)).outcome is DIFFERS
    check = check_log(cache_of((5, CONVOLUTION)), log_of(formats % "" + timed + myelin))
    assert check.outcome is INCONCLUSIVE and "no keys" in check.unknown[0].reason
    key = "0x" + "ab" * 16
    check = check_log(replace(CACHE, entries=(TimingCacheEntry(key, 5),)), log_of(formats % f" {{key: {key}}}" + timed))
    assert check.outcome is SAME and check.by_key
    assert not check_log(CACHE, log_of(formats % " {key: None}" + timed)).by_key


def test_frames_join_what_they_can() -> None:
    frame = entries_frame(CACHE)
    assert list(frame["key"]) == [entry.key for entry in ENTRIES]
    assert frame["kind"].value_counts().to_dict() == {NATIVE: 5, MYELIN: 4}
    joined = layers_frame(
        cache_of((5, CONVOLUTION), (5, CONVOLUTION)), engine(("CaskConvolution", "0x5"), ("gemm", None))
    )
    assert joined["entries"].tolist()[0] == 2 and joined["entries"].isna().tolist() == [False, True]
    assert joined["fastest_ms"].tolist()[0] == 0.5


def test_a_build_before_10_used_no_cache_of_the_layout_of_10() -> None:
    cache = replace(CACHE, header=replace(CACHE.header, release="", layout=LAYOUT_10))
    plan = EnginePlan(engine(("CaskConvolution", "0x5")).engine, build_metadata=Metadata(tensorrt_version="8.6.1"))
    with pytest.raises(TrexError, match="another build of TensorRT"):
        check_engine(cache, plan)
