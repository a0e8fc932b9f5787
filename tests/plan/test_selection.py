"""Selections of the layers' table: rows by expression, order and number, columns by name."""

from __future__ import annotations

import math

import pytest

from tests.simulated_examples import load_simulated
from trex.core.errors import TrexError
from trex.plan.selection import layers_with, needs_attributes, select_layers, with_attributes


@pytest.fixture(scope="module")
def plan():
    return load_simulated("resnet18-int8")


@pytest.fixture
def frame(plan):
    return plan.new_frame()


def error_of(frame, **selection) -> TrexError:
    with pytest.raises(TrexError) as caught:
        select_layers(frame, **selection)
    return caught.value


def test_nothing_asked_is_every_layer_in_execution_order(frame):
    chosen = select_layers(frame)
    assert list(chosen["Name"]) == list(frame["Name"])
    assert list(chosen.columns)[:3] == ["layer.index", "Name", "type"]


def test_names_with_dots_need_no_quoting(frame):
    chosen = select_layers(frame, "latency.pct_time > 5 and type == 'Convolution'")
    assert len(chosen) and set(chosen["type"]) == {"Convolution"} and (chosen["latency.pct_time"] > 5).all()


def test_methods_of_columns_with_dots(frame):
    chosen = select_layers(frame, "layer.module.str.startswith('/layer1')", all_columns=True)
    assert len(chosen) and all(module.startswith("/layer1") for module in chosen["layer.module"])


def test_text_in_quotes_is_left_alone(frame):
    frame.loc[0, "Name"] = "latency.avg_time"
    assert len(select_layers(frame, "Name == 'latency.avg_time'")) == 1
    assert len(select_layers(frame, 'Name == "latency.avg_time" and `latency.avg_time` > 0')) == 1


def test_a_name_that_begins_like_a_column_is_not_taken_for_it(frame):
    assert "latency.avg_time_ms" in error_of(frame, query="latency.avg_time_ms > 0").message


def test_functions_of_the_expression_language(frame):
    assert len(select_layers(frame, "sqrt(latency.avg_time) > 0")) == len(frame)


def test_a_misspelled_column_in_a_query_is_named_with_what_was_meant(frame):
    error = error_of(frame, query="latency.avgtime > 1")
    assert "'latency.avgtime'" in error.message
    assert "latency.avg_time" in error.hint


def test_text_without_quotes_is_recognized(frame):
    error = error_of(frame, query="type == Convolution")
    assert "text needs quotes" in error.message
    assert "'Convolution'" in error.hint


@pytest.mark.parametrize("query", ["type ==", "latency.avg_time", "1 == 1", "x = 3", "(", "type > 3", "'a'", "]", "@x"])
def test_what_is_no_condition_is_the_users_to_mend(frame, query):
    assert error_of(frame, query=query).hint


@pytest.mark.parametrize("query", ["@pd.DataFrame() is None", "Name == @frame.Name", "type == 'a' and @query"])
def test_a_query_sees_no_variables_of_ours(frame, query):
    error = error_of(frame, query=query)
    assert "variables" in error.message and error.excerpt == query


def test_an_at_sign_in_text_is_text(frame):
    assert len(select_layers(frame, "Name != 'conv@0'")) == len(frame)


def test_the_slowest_come_first(plan, frame):
    times = list(select_layers(frame, top=3)["latency.avg_time"])
    assert times == sorted(plan.df["latency.avg_time"], reverse=True)[:3]


def test_layers_without_time_come_last(frame):
    frame.loc[1, "latency.avg_time"] = math.nan
    chosen = select_layers(frame, top=len(frame))
    assert math.isnan(chosen["latency.avg_time"].iloc[-1])
    assert chosen["layer.index"].iloc[-1] == frame.loc[1, "layer.index"]


def test_the_slowest_of_an_engine_that_was_not_measured_is_refused(frame):
    frame["latency.avg_time"] = math.nan
    assert "--sort" in error_of(frame, top=3).hint
    assert len(select_layers(frame, top=3, sort="total_footprint_bytes")) == 3
    assert len(select_layers(frame.iloc[:0], top=3)) == 0


def test_numbers_sort_from_the_largest_text_from_a(frame):
    sizes = list(select_layers(frame, sort="weights_size", columns=["weights_size"])["weights_size"])
    assert sizes == sorted(sizes, reverse=True)
    names = list(select_layers(frame, sort="name")["Name"])
    assert names == sorted(names)


def test_sorting_records_is_no_error(frame):
    assert len(select_layers(frame, sort="Inputs")) == len(frame)


def test_columns_in_the_order_asked_and_in_any_case(frame):
    assert list(select_layers(frame, columns=["precision", "name"]).columns) == ["precision", "Name"]


def test_a_misspelled_column_is_named_with_what_was_meant(frame):
    error = error_of(frame, columns=["Name", "precison"])
    assert "'precison'" in error.message
    assert "precision" in error.hint


def test_all_columns(frame):
    assert list(select_layers(frame, all_columns=True).columns) == list(frame.columns)


def test_attributes_of_every_type_side_by_side(plan, frame):
    assert needs_attributes("", ["Name", "attr.kernel"]) and needs_attributes("attr.groups == 1", [])
    assert not needs_attributes("type == 'x'", ["Name"])
    assert "attr.kernel" not in layers_with(plan, "", "type == 'x'", (), "")
    assert set(layers_with(plan, "Reformat", "", (), "")["type"]) == {"Reformat"}
    whole = with_attributes(frame, plan.working_layers, plan.times)
    assert list(layers_with(plan, "", "", (), "attr.macs").columns) == list(whole.columns)
    assert list(whole["layer.index"]) == list(frame["layer.index"])
    by_type = plan.get_layers_by_type("Convolution").set_index("layer.index")
    expected = whole[whole["type"] == "Convolution"].set_index("layer.index")
    for column in ("attr.kernel", "attr.stride", "attr.groups", "attr.macs"):
        assert list(expected[column]) == list(by_type[column])
    assert whole[whole["type"] == "Reformat"]["attr.kernel"].isna().all()
    assert len(select_layers(whole, "attr.macs > 0")) == len(by_type)


def test_attributes_of_another_type_are_explained(frame):
    assert "--type" in error_of(frame, columns=["attr.kernel"]).hint


def test_the_frame_given_is_left_alone(frame):
    before = frame.copy(deep=True)
    select_layers(frame, "latency.avg_time > 0", 3, ["Name"], sort="type")
    assert frame.equals(before)


@pytest.mark.parametrize(
    ("query", "kernels"),
    [
        ("attr.kernel == (7, 7)", {(7, 7)}),
        ("attr.kernel == [7,7]", {(7, 7)}),
        ("`attr.kernel` == (7, 7) and type == 'Convolution'", {(7, 7)}),
        ("attr.kernel in [(7, 7), (1, 1)]", {(7, 7), (1, 1)}),
        ("attr.kernel in (7, 7)", {(7, 7)}),
        ("attr.kernel != (3, 3) and attr.kernel not in ((7, 7), (2, 2)) and type == 'Convolution'", {(1, 1)}),
        ("(attr.kernel == (7, 7)) or attr.kernel == (1, 1)", {(7, 7), (1, 1)}),
        ("attr.kernel == (9, 9)", set()),
        ("attr.kernel == (7)", set()),
    ],
)
def test_tuples_are_compared_as_a_whole(plan, query, kernels):
    wide = with_attributes(plan.new_frame(), plan.working_layers, plan.times)
    selected = select_layers(wide, query, columns=("attr.kernel",))
    assert set(selected["attr.kernel"]) == kernels


def test_lists_of_numbers_are_still_choices(frame):
    assert list(select_layers(frame, "layer.index in (1, 2)", all_columns=True)["layer.index"]) == [1, 2]


def test_a_tuple_that_is_not_closed_is_an_error(plan):
    wide = with_attributes(plan.new_frame(), plan.working_layers, plan.times)
    assert error_of(wide, query="attr.kernel == (7, 7").hint
    assert error_of(wide, query="attr.kernel == (7, x)").hint


def test_none_of_the_rows(frame):
    assert len(select_layers(frame, top=0)) == 0
    frame["latency.avg_time"] = float("nan")
    assert list(select_layers(frame, top=0).columns) == list(select_layers(frame).columns)
    assert len(select_layers(frame)) == len(frame)


@pytest.mark.parametrize(
    "query",
    [
        "Name[Name.__init__.__globals__['sys'].modules['os'].environ['SECRET']] == 'x'",
        "(index >= 0) == (Name.__init__.__globals__['sys'].modules['os'].environ['SECRET'] < 'b')",
        "Name.str.__class__ == 'x'",
        "Name.str._orig == 'x'",
        "Name.values.tobytes() == 'x'",
        "Name['__import__(1)'] == 'x'",
        "Name == '\\'` == Name.__class__ == `Name` == '",
        'Name == "\\"" == @pd.io == ""',
        "index >= 0 #\x0cName.__class__ == 'x'",
    ],
)
def test_a_query_reads_nothing_but_columns(frame, query, monkeypatch):
    monkeypatch.setenv("SECRET", "abc")
    assert "abc" not in str(error_of(frame, query=query))


@pytest.mark.parametrize(
    "query",
    [
        "Name.to_csv({0!r}) == 1",
        "Name.str.split('/').to_pickle({0!r}) == 1",
        "Name.values.tofile({0!r}) == 1",
        "`Name`.to_csv({0!r}) == 1",
        "Name.str._orig.to_json({0!r}) == 1",
        "Name.isin(Name.to_csv({0!r}))",
    ],
)
def test_a_query_writes_nothing(frame, query, tmp_path):
    with pytest.raises(TrexError, match="can't call"):
        select_layers(frame, query.format(str(tmp_path / "written")))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "query",
    [
        "9**9**9 > 1",
        "layer.index ** 99999 > 1",
        "((2**64)**64)**64 > 1",
        "Name.str.len() ** layer.index > 1",
        "type == 'a' * 10**10",
        "type * 10**9 == 'a'",
        "`Name` * 10**9 == 'a'",
        "type.str.lower() * 10**9 == 'a'",
        "type == ('a' + 'b') * 10**9",
        "type == [1] * 10**9",
        "type == '%9999999999d' % 1",
        "type.str.repeat(10**9) == 'a'",
        "type.str.pad(10**10) == 'a'",
        "type.str.replace('', 'aa').str.replace('', 'aa') == 'a'",
    ],
)
def test_a_query_computes_nothing_without_end(frame, query):
    assert "can't" in error_of(frame, query=query).message


@pytest.mark.parametrize(
    "query",
    [
        "latency.avg_time * 10**3 > 0 and latency.avg_time ** 0.5 > 0",
        "Name.str.len() * 2 > 0",
        "Name.str.replace('conv', 'x') != ''",
        "layer.index % 2 >= 0",
        "Name.str.contains('(c|.)')",
    ],
)
@pytest.mark.filterwarnings("error")
def test_arithmetic_of_bounded_numbers(frame, query):
    assert len(select_layers(frame, query)) == len(frame)
