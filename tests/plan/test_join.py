"""join_times: records meet layers by (name, occurrence), in any order, per optimization profile, or not at all."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.factories import chain, layer
from trex.core.errors import TrexError
from trex.core.layer import Layer, Role
from trex.core.timings import LayerTime, LayerTimes
from trex.ingest.profile_json import read_profile
from trex.plan.join import PAIR_HINT, Join, join_times


def engine_of(*names: str, profile: int = 0) -> tuple[Layer, ...]:
    return chain(*(layer(name, profile=profile) for name in names))


def records(*pairs: tuple[str, float | None], count: int | None = 10) -> LayerTimes:
    """A profile of these (name, average ms), in this order."""
    seen: dict[str, int] = {}
    rows = []
    for name, ms in pairs:
        occurrence = seen.setdefault(name, 0)
        seen[name] += 1
        rows.append(LayerTime(name, occurrence, None if ms is None else ms * 10, ms, ms, None))
    return LayerTimes(tuple(rows), count, "x.profile.json")


def averages(join: Join) -> list[float | None]:
    return [None if time is None else time.average_ms for time in join.times]


def codes(join: Join) -> set[str]:
    return {note.code for note in join.notes}


def names(times: Iterable[LayerTime]) -> list[str]:
    return [record.name for record in times]


def test_the_same_names_in_the_same_order() -> None:
    join = join_times(engine_of("a", "b"), records(("a", 1.0), ("b", 2.0)))
    assert averages(join) == [1.0, 2.0]
    assert (join.layers_covered_pct, join.time_covered_pct) == (100.0, 100.0)
    assert (join.unmatched, join.other_profiles, join.notes) == ((), (), ())


def test_another_order_is_no_other_answer() -> None:
    """Trap profile_other_order: joined by row, slow gets 1 ms."""
    join = join_times(engine_of("slow", "fast"), records(("fast", 1.0), ("slow", 9.0)))
    assert averages(join) == [9.0, 1.0]
    assert join.notes == ()


def test_repeated_names_partly_profiled() -> None:
    """Trap dup_name_partial_profile."""
    join = join_times(engine_of("A", "A", "B"), records(("A", 1.0), ("A", 2.0)))
    assert averages(join) == [1.0, 2.0, None]
    assert join.layers_covered_pct == pytest.approx(200 / 3)
    assert join.time_covered_pct == 100.0
    assert {"layers-not-profiled", "first-layer-name-repeats"} == codes(join)


def test_not_profiled_is_not_zero_and_noted() -> None:
    """Trap missing_profile_is_zero."""
    join = join_times(engine_of("a", "b", "c"), records(("a", 5.0), ("c", 0.0)))
    assert averages(join) == [5.0, None, 0.0]
    (note,) = join.notes
    assert note.code == "layers-not-profiled"
    assert note.message.startswith("no profile record for 1 of 3 layers")
    assert "'b'" in note.message
    assert note.where == "x.profile.json"


def test_another_engines_profile_is_refused() -> None:
    """Trap profile_other_engine: joined by row, it is silently wrong."""
    with pytest.raises(TrexError) as error:
        join_times(engine_of("a", "b"), records(("conv1", 5.0), ("conv2", 7.0)), where="y.profile.json")
    text = str(error.value)
    assert text.startswith("y.profile.json: this profile is of another engine: 0 of 2 records, 0.0 % of the time,")
    assert "'conv1', 'conv2'" in text
    assert "'a', 'b'" in text
    assert error.value.hint


@pytest.mark.parametrize(
    ("known", "foreign", "is_refused"),
    [
        ([1.0], [1.0, 1.0], True),
        ([1.0], [1.0], False),
        ([9.0], [1.0, 1.0, 1.0], False),
        ([0.0, 0.0], [5.0], False),
        ([None], [None, None], True),
    ],
)
def test_half_of_the_names_or_half_of_the_time_is_enough(
    known: list[float | None], foreign: list[float | None], is_refused: bool
) -> None:
    layers = engine_of(*(f"known{n}" for n in range(len(known))), *(f"own{n}" for n in range(len(known) + 1)))
    times = records(
        *((f"known{n}", ms) for n, ms in enumerate(known)), *((f"foreign{n}", ms) for n, ms in enumerate(foreign))
    )
    if is_refused:
        with pytest.raises(TrexError, match="another engine"):
            join_times(layers, times)
    else:
        join = join_times(layers, times)
        assert averages(join)[: len(known)] == known
        assert len(join.unmatched) == len(foreign)
        assert "profile-records-unmatched" in codes(join)


def test_a_short_profile_of_a_long_engine_is_no_other_engine() -> None:
    join = join_times(engine_of(*map(str, range(100))), records(("7", 1.0), ("9", 2.0)))
    assert join.layers_covered_pct == 2.0
    assert join.time_covered_pct == 100.0


def test_unmatched_records_are_kept_with_their_share_of_time() -> None:
    join = join_times(engine_of("a", "b"), records(("a", 6.0), ("b", 2.0), ("loop body", 2.0)))
    assert names(join.unmatched) == ["loop body"]
    assert join.time_covered_pct == 80.0
    (note,) = join.notes
    assert "1 profile record (20.0 % of the profile's time)" in note.message


def test_only_layers_that_work_are_missed() -> None:
    layers = chain(
        layer("weights", role=Role.CONSTANT), layer("a"), layer("view", role=Role.NOOP), layer("s", role=Role.SYNC)
    )
    join = join_times(layers, records(("a", 1.0)))
    assert averages(join) == [None, 1.0, None, None]
    assert (join.layers_covered_pct, join.notes) == (100.0, ())


def test_views_timed_at_zero() -> None:
    layers = chain(layer("v", role=Role.NOOP), layer("w", role=Role.NOOP))
    join = join_times(layers, records(("v", 0.0), ("w", 0.0)))
    assert averages(join) == [0.0, 0.0]
    assert (join.layers_covered_pct, join.time_covered_pct) == (100.0, None)


def test_a_name_with_separators_joins_as_printed() -> None:
    """Trap sep_in_name_not_in_profile."""
    times = read_profile(b'[{"name": "a\x1eb", "timeMs": 5.0, "averageMs": 5.0, "medianMs": 5.0, "percentage": 100.0}]')
    assert averages(join_times(engine_of("a+b"), times)) == [5.0]


def test_totals_weigh_where_there_are_no_averages() -> None:
    times = LayerTimes((LayerTime("a", 0, 3.0, None, None, None), LayerTime("x", 0, 1.0, None, None, None)))
    assert join_times(engine_of("a"), times).time_covered_pct == 75.0


@pytest.mark.parametrize("number", [1, 9, 10, 11])
def test_numbered_records_of_their_own_profile(number: int) -> None:
    layers = engine_of("conv", "node_myl13_2", profile=number)
    times = records((f"conv [profile {number}]", 1.0), (f"node [profile {number}]_myl13_2", 2.0))
    join = join_times(layers, times)
    assert averages(join) == [1.0, 2.0]
    assert join.notes == ()


def test_bare_records_are_taken_for_the_selected_profile_and_noted() -> None:
    join = join_times(engine_of("conv", profile=11), records(("conv", 1.0)))
    assert averages(join) == [1.0]
    assert codes(join) == {"profile-number-unsaid"}


def test_records_of_other_profiles_are_set_aside() -> None:
    times = records(("conv", 1.0), ("conv [profile 1]", 10.0), ("conv [profile 10]", 100.0))
    for number, expected in ((0, 1.0), (1, 10.0), (10, 100.0)):
        join = join_times(engine_of("conv", profile=number), times)
        assert averages(join) == [expected]
        assert len(join.other_profiles) == 2
        assert (join.unmatched, join.time_covered_pct) == ((), 100.0)
        assert codes(join) == {"profile-records-of-other-profiles"}


def test_a_profile_of_another_optimization_profile_alone() -> None:
    join = join_times(engine_of("conv"), records(("conv [profile 3]", 1.0)))
    assert averages(join) == [None]
    note = next(note for note in join.notes if note.code == "profile-records-of-other-profiles")
    assert (note.severity, note.hint) == ("warning", "select that profile: profile_id=3")


def test_repeated_names_are_counted_per_profile() -> None:
    times = records(("a", 1.0), ("a [profile 2]", 3.0), ("a", 2.0), ("a [profile 2]", 4.0))
    assert averages(join_times(engine_of("a", "a"), times)) == [1.0, 2.0]
    assert averages(join_times(engine_of("a", "a", profile=2), times)) == [3.0, 4.0]


def test_myelin_regions_with_another_number() -> None:
    layers = engine_of("conv", "__myl_Cast_myl13_7", "node_myl13_2", "__myl_Cast_myl15_7", profile=1)
    times = records(
        ("conv", 1.0),
        ("__myl_Cast_myl7_7", 2.0),
        ("node_myl7_2", 3.0),
        ("__myl_Cast_myl9_7", 4.0),
        ("__myl_Add_myl9_1", 0.5),
    )
    join = join_times(layers, times)
    assert averages(join) == [1.0, 2.0, 3.0, 4.0]
    assert names(join.unmatched) == ["__myl_Add_myl9_1"]
    assert "myelin-regions-renumbered" in codes(join)


def test_myelin_regions_are_not_paired_when_they_do_not_correspond() -> None:
    """Records of region 7 would stand for layers of two regions: nothing is guessed."""
    layers = engine_of("conv", "gemm", "__myl_Cast_myl13_7", "node_myl15_2", profile=1)
    times = records(("conv", 1.0), ("gemm", 1.0), ("__myl_Cast_myl7_7", 2.0), ("node_myl7_2", 3.0))
    join = join_times(layers, times)
    assert averages(join) == [1.0, 1.0, None, None]
    assert len(join.unmatched) == 2


def test_in_the_first_profile_region_numbers_count() -> None:
    join = join_times(engine_of("conv", "__myl_Cast_myl13_7"), records(("conv", 1.0), ("__myl_Cast_myl7_7", 1.0)))
    assert averages(join) == [1.0, None]


def test_nameless_records_join_by_position_when_as_many() -> None:
    join = join_times(engine_of("a", "b"), records(("", 1.0), (" ", 2.0)))
    assert averages(join) == [1.0, 2.0]
    assert codes(join) == {"joined-by-position"}


def test_nameless_records_of_another_number_join_nothing() -> None:
    join = join_times(engine_of("a", "b"), records(("", 1.0), ("", 2.0), ("", 3.0)))
    assert averages(join) == [None, None]
    assert len(join.unmatched) == 3
    assert "profile-without-names" in codes(join)


def test_a_name_that_starts_iterations_is_noted() -> None:
    """Failure 37: trtexec took the second ``a`` for a new iteration and dropped c."""
    join = join_times(engine_of("a", "b", "a", "c"), records(("a", 1.0), ("b", 2.0)))
    note = next(note for note in join.notes if note.code == "first-layer-name-repeats")
    assert note.severity == "problem"
    assert {"repeated-names-uneven", "layers-not-profiled"} < codes(join)


def test_layers_that_ran_another_number_of_times_are_noted() -> None:
    half = LayerTime("b", 0, 50.0, 1.0, 1.0, None)
    full = LayerTime("a", 0, 100.0, 1.0, 1.0, None)
    join = join_times(engine_of("a", "b"), LayerTimes((full, half), 100))
    (note,) = join.notes
    assert note.code == "iteration-count-differs"
    assert "1 of 2 records" in note.message
    assert "('b': about 50)" in note.message


@pytest.mark.parametrize("factors", [(1000.0, 1000.0, 1000.0), (1.0, 1.0, 1000.0), (0.5, 1.0, 1.0)])
def test_averages_that_totals_contradict_are_noted_without_a_count(factors: tuple[float, ...]) -> None:
    rows = [LayerTime(name, 0, 100.0, factor, factor, None) for name, factor in zip("abc", factors)]
    (note,) = join_times(engine_of("a", "b", "c"), LayerTimes(tuple(rows), None)).notes
    assert (note.code, note.severity) == ("iteration-count-differs", "problem")


@pytest.mark.parametrize(("ms", "is_noted"), [(0.0, False), (0.009, False), (0.03, False), (0.5, True)])
def test_no_ops_take_no_time(ms: float, is_noted: bool) -> None:
    layers = chain(layer("a"), layer("b", role=Role.NOOP))
    notes = join_times(layers, records(("a", 1.0), ("b", ms))).notes
    assert [note.code for note in notes if note.severity == "problem"] == ["time-of-no-ops"] * is_noted


def test_rounded_tables_are_not_taken_for_drift() -> None:
    """trtexec's console table of 8.x: totals of two decimals, averages of four."""
    rounded = LayerTime("a", 0, 5.57, 0.0046, None, None)
    assert join_times(engine_of("a"), LayerTimes((rounded,), 1203)).notes == ()
    single = LayerTime("a", 0, 0.01, 0.0051, None, None)
    assert join_times(engine_of("a"), LayerTimes((single,), 1)).notes == ()


def test_nothing_on_one_side() -> None:
    empty = join_times(engine_of("a"), LayerTimes(()))
    assert (averages(empty), codes(empty)) == ([None], {"profile-without-records"})
    bare = join_times((), records(("a", 1.0)))
    assert (bare.times, names(bare.unmatched), codes(bare)) == ((), ["a"], {"profile-without-layers"})
    assert bare.layers_covered_pct is None


def test_an_engine_from_a_log_gets_its_own_hint() -> None:
    with pytest.raises(TrexError) as error:
        join_times(engine_of("{ForeignNode[a...b]}"), records(("__myl_Add_myl0_1", 1.0), ("__myl_Mul_myl0_2", 1.0)))
    assert "build log" in error.value.hint


@pytest.mark.slow
def test_many_repeated_names() -> None:
    named = [f"layer{n % 50}" for n in range(20_000)]
    join = join_times(engine_of(*named), records(*((name, float(n)) for n, name in enumerate(named))))
    assert averages(join) == [float(n) for n in range(20_000)]


def test_real_profiles_cover_their_engines(shared_engines: Path) -> None:
    """Every real profile names exactly the layers of its graph."""
    graph_json = pytest.importorskip("trex.ingest.graph_json")
    files = sorted(shared_engines.glob("*/*.profile.json"))
    assert len(files) >= 13
    for file in files:
        graph = file.with_name(file.name.replace(".profile.json", ".graph.json"))
        engine = graph_json.read_graph(graph.read_bytes(), graph.name)
        join = join_times(engine.layers, read_profile(file.read_bytes(), file.name))
        assert (join.layers_covered_pct, join.unmatched) == (100.0, ())
        assert join.time_covered_pct == pytest.approx(100.0)
        assert join.notes == ()


def test_a_real_profile_of_the_wrong_real_engine(shared_engines: Path) -> None:
    graph_json = pytest.importorskip("trex.ingest.graph_json")
    graph = next((shared_engines / "trt10.4-alexnet-fp16-rtx3060").glob("*.graph.json"))
    profile = next((shared_engines / "trt10.4-resnet18-fp16-rtx3060").glob("*.profile.json"))
    with pytest.raises(TrexError, match="another engine"):
        join_times(graph_json.read_graph(graph.read_bytes()).layers, read_profile(profile.read_bytes()))


def test_the_graph_of_a_part_is_not_refused() -> None:
    join = join_times(engine_of("a", "b", "c"), records(*((name, 1.0) for name in "abcdefghijklmnopqrst")))
    assert averages(join) == [1.0, 1.0, 1.0]
    assert "profile-records-unmatched" in codes(join)


def test_records_of_a_name_that_a_constant_shares_are_the_kernels() -> None:
    layers = chain(layer("w", "Constant", [], ["t"], role=Role.CONSTANT), layer("w"), layer("z"))
    assert averages(join_times(layers, records(("w", 2.0), ("z", 1.0)))) == [None, 2.0, 1.0]
    assert averages(join_times(layers, records(("w", 0.0), ("w", 2.0), ("z", 1.0)))) == [0.0, 2.0, 1.0]


def test_notes_in_full() -> None:
    def said(layers: tuple[Layer, ...], times: LayerTimes) -> list[tuple[str, str, str, str]]:
        notes = join_times(layers, times, where="p.json").notes
        assert {note.where for note in notes} == {"p.json"}
        return [(note.code, note.severity, note.message, note.hint) for note in notes]

    nameless = "build with --profilingVerbosity=detailed to get names"
    assert said(engine_of("a"), records()) == [
        ("profile-without-records", "warning", "the profile has no layer records: no layer has a time", "")
    ]
    assert said((), records(("a", 1.0))) == [
        ("profile-without-layers", "warning", "the profile has 1 record, but there are no layers to time", "")
    ]
    message = "no name in 2 profile records; layers were matched by position"
    assert said(engine_of("a", "b"), records(("", 1.0), ("", 1.0))) == [
        ("joined-by-position", "warning", message, nameless)
    ]
    message = "1 profile record without names cannot be joined with 2 layers"
    assert said(engine_of("a", "b"), records(("", 1.0)))[0] == ("profile-without-names", "problem", message, nameless)
    message = "no record contains an optimization profile; all were assigned to profile 2"
    assert said(engine_of("a", profile=2), records(("a", 1.0))) == [("profile-number-unsaid", "info", message, "")]
    message = (
        "the region numbers of 1 Myelin record differ from those of the layers in optimization profile 1: matched by "
        "the rest of the name"
    )
    assert said(engine_of("a", "x_myl4_0", profile=1), records(("a [profile 1]", 1.0), ("x_myl3_0 [profile 1]", 1.0)))[
        0
    ] == ("myelin-regions-renumbered", "info", message, "")
    others = [(f"a [profile {number}]", 1.0) for number in range(1, 11)]
    message = "10 of 11 records are of optimization profiles other than 0 (1, 2, 3, 4, 5, 6, 7, 8)"
    assert said(engine_of("a"), records(("a", 1.0), *others)) == [
        ("profile-records-of-other-profiles", "info", message, "")
    ]
    message = "1 of 1 record are of optimization profiles other than 0 (3)"
    assert said(engine_of("a"), records(("a [profile 3]", 1.0)))[0] == (
        "profile-records-of-other-profiles", "warning", message, "select that profile: profile_id=3",
    )  # fmt: skip
    assert said(engine_of("b", profile=1), records(("b [profile 1]", 1.0), ("b", 1.0)))[0][2].endswith("than 1 (0)")
    message = "no profile record for 1 of 2 layers, whose times are unknown, not zero: 'b'"
    assert said(engine_of("a", "b"), records(("a", 1.0))) == [("layers-not-profiled", "warning", message, "")]
    message = "1 profile record (25.0 % of the profile's time) without a layer in the graph: 'z'"
    assert said(engine_of("a"), records(("a", 3.0), ("z", 1.0))) == [
        ("profile-records-unmatched", "warning", message, PAIR_HINT)
    ]
    assert said(engine_of("a"), records(("a", None), ("z", None)))[0][2] == (
        "1 profile record without a layer in the graph: 'z'"
    )


def test_doubtful_counts_in_full() -> None:
    def said(layers: tuple[Layer, ...], times: LayerTimes) -> dict[str, tuple[str, str, str]]:
        notes = join_times(layers, times).notes
        return {note.code: (note.severity, note.message, note.hint) for note in notes}

    notes = said(engine_of("a", "b", "b", "c", "c"), records(("a", 1.0), ("b", 1.0), ("c", 1.0)))
    assert notes["repeated-names-uneven"] == (
        "warning",
        "2 names have different numbers of records and layers ('b': 1 and 2); they were matched in order",
        "",
    )
    assert "first-layer-name-repeats" not in notes
    notes = said(engine_of("a", "b"), records(("a", 1.0), ("a", 1.0), ("b", 1.0)))
    assert notes["repeated-names-uneven"][1].startswith(
        "1 name has different numbers of records and layers ('a': 2 and 1)"
    )
    severity, message, hint = notes["first-layer-name-repeats"]
    assert severity == "warning" and message == (
        "1 layer has the name of the first profiled layer, 'a', and 2 records: trtexec starts a new iteration at this "
        "name, so times may be assigned to wrong layers and the iteration count may be too high"
    )
    assert hint == "profile through the TensorRT API instead, whose profiler distinguishes layers by position"
    severity, message, _ = said(engine_of("a", "a", "b"), records(("a", 1.0), ("b", 1.0)))["first-layer-name-repeats"]
    assert severity == "problem" and message.startswith("2 layers have the name") and "'a', and 1 record:" in message
    assert said(engine_of("a", "a"), records(("a", 1.0), ("a", 1.0)))["first-layer-name-repeats"][0] == "warning"
    drifting = LayerTimes((LayerTime("a", 0, 10.0, 1.0, 1.0, None), LayerTime("b", 0, 15.0, 1.0, 1.0, None)), 10, "x")
    assert said(engine_of("a", "b"), drifting) == {
        "iteration-count-differs": (
            "problem",
            "1 of 2 records have another number of iterations than the profile's 10 ('b': about 15): the set of layers "
            "that run varies, and times may be assigned to wrong layers",
            "",
        )
    }


@pytest.mark.parametrize(
    ("total", "average", "count", "is_noted"),
    [
        (10.0, 1.0, 10, False),
        (11.0, 1.0, 10, True),
        (9.0, 1.0, 10, True),
        (10.1, 1.0, 10, False),
        (9.89, 1.0, 10, True),
        (9.9, 1.0, 10, False),
        (10.11, 1.0, 10, True),
        (10.2, 1.0, 10, True),
        (9.9, 0.0001, 10, True),
        (9.9, 0.0, 10, True),
        (0.004, 0.0001, 10, False),
        (9.9, 0.00011, 10, True),
        (None, 1.0, 10, False),
        (20.0, None, 10, False),
        (20.0, 1.0, 0, False),
        (20.0, 1.0, None, False),
    ],
)
def test_the_rounding_of_tables_is_allowed_for(
    total: float | None, average: float | None, count: int | None, is_noted: bool
) -> None:
    times = LayerTimes((LayerTime("a", 0, total, average, average, None),), count, "x")
    assert ("iteration-count-differs" in codes(join_times(engine_of("a"), times))) == is_noted


def test_another_engine_is_refused_in_full() -> None:
    long = "n" * 81
    with pytest.raises(TrexError) as raised:
        join_times(
            engine_of("a", "b", "c", "d", "e"), records((long, 1.0), ("a", 0.0), *[(f"z{i}", 1.0) for i in range(4)])
        )
    quoted = repr("n" * 77 + "...")
    assert raised.value.message == (
        "this profile is of another engine: 1 of 6 records, 0.0 % of the time, match one of 5 layers. The profile has "
        f"{quoted}, 'z0', 'z1' and 2 more; the engine has 'b', 'c', 'd' and 1 more"
    )
    assert raised.value.hint == PAIR_HINT
    layers = engine_of("{ForeignNode[a...b]}", "b", "c")
    with pytest.raises(TrexError) as raised:
        join_times(layers, records(("x_myl0_1", None)))
    assert raised.value.message.startswith(
        "this profile is of another engine: 0 of 1 record match one of 3 layers. The"
    )
    assert raised.value.hint == (
        f"{PAIR_HINT}; a build log has one layer per Myelin region: use --exportLayerInfo for their kernels"
    )


def test_a_numbered_name_with_a_bare_namesake_belongs_to_its_own_profile() -> None:
    # Layers of profile 1; "a" exists with and without its number, "b" only without: it is of the first profile too.
    join = join_times(
        engine_of("a", "c", profile=1), records(("a [profile 1]", 1.0), ("a", 2.0), ("b", 3.0), ("c [profile 1]", 4.0))
    )
    assert averages(join) == [1.0, 4.0]
    assert names(join.other_profiles) == ["a", "b"] and join.unmatched == ()
    join = join_times(engine_of("a", profile=1), records(("a [profile 1]", 1.0), ("z [profile 1]", 0.5), ("z", 1.0)))
    assert names(join.unmatched) == ["z [profile 1]"] and names(join.other_profiles) == ["z"]
