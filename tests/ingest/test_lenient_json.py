"""lenient_json: valid files are untouched, known damage is repaired with a Note, the rest raises TrexError."""

from __future__ import annotations

import json
import math
import re
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trex.core.errors import TrexError
from trex.core.note import Note
from trex.ingest.lenient_json import Parsed, parse

ROWS = b"""[
  { "count" : 3 }
, { "name" : "conv1", "timeMs" : 1.5, "averageMs" : 0.5, "percentage" : 60 }
, { "name" : "relu1", "timeMs" : 1, "averageMs" : 0.25, "percentage" : 40 }
]
"""


def only(data: bytes) -> Any:
    """The one document in the bytes."""
    (document,) = parse(data, "f.json").documents
    return document


def codes(data: bytes) -> set[str]:
    return {note.code for note in parse(data, "f.json").notes}


def note(data: bytes, code: str) -> Note:
    (result,) = [note for note in parse(data, "f.json").notes if note.code == code]
    return result


# ---- valid files


@pytest.mark.parametrize(
    "data", [b'{"Layers": []}', ROWS, b" [1, 2.5, null, true] \n", b'{"a": "\\u001e \\ud83d\\ude00"}']
)
def test_a_valid_file_is_read_as_it_is(data: bytes) -> None:
    assert parse(data) == Parsed([orjson.loads(data)], ())


def test_marks_and_wide_encodings_are_read() -> None:
    text = '{"Name": "caf\u00e9", "n": [1, 2]}'
    expected = {"Name": "caf\u00e9", "n": [1, 2]}
    encodings = ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32")
    for encoding in encodings:
        parsed = parse(text.encode(encoding))
        assert parsed.documents == [expected], encoding
        assert parsed.notes == ()


def test_long_integers_become_floats_and_never_fail() -> None:
    assert only(b"[18446744073709551615, -9223372036854775808]") == [2**64 - 1, -(2**63)]
    assert only(b"[123456789012345678901234567890]") == [1.2345678901234568e29]
    assert only(b"[" + b"9" * 5000 + b", 1e999, nan]")[:2] == [math.inf, math.inf]
    # The same numbers, in text that needs repair.
    repaired = only(b"[18446744073709551615, 18446744073709551616, nan," + b"7" * 9000 + b"]")
    assert repaired[:2] == [2**64 - 1, float(2**64)]
    assert repaired[3] == math.inf


# ---- damage by TensorRT


def test_raw_control_characters_stay_in_their_strings() -> None:
    data = b'{"Metadata": "[ONNX Layer: a]\x1e[ONNX Layer: b]\x1f[ONNX Layer: c]"}'
    assert only(data) == {"Metadata": "[ONNX Layer: a]\x1e[ONNX Layer: b]\x1f[ONNX Layer: c]"}
    result = note(data, "control-characters")
    assert result.where == "f.json:1:30"
    assert result.message.startswith("2 raw control characters")
    assert result.severity == "info"


def test_raw_line_breaks_and_tabs_stay_in_their_strings() -> None:
    data = b'{"Layers": [{"Name": "two\nlines\tof it", "LayerType": "x"}]}'
    assert only(data)["Layers"][0]["Name"] == "two\nlines\tof it"
    assert note(data, "control-characters").message.startswith("2 ")


def test_a_control_character_after_a_backslash_stays() -> None:
    assert only(b'{"a": "x\\\x1ey"}') == {"a": "x\\\x1ey"}


@pytest.mark.parametrize(
    ("word", "value"),
    [
        (b"nan", math.nan),
        (b"-nan", math.nan),
        (b"NaN", math.nan),
        (b"nan(ind)", math.nan),
        (b"-1.#IND", math.nan),
        (b"inf", math.inf),
        (b"-inf", -math.inf),
        (b"Infinity", math.inf),
        (b"-Infinity", -math.inf),
        (b"1.#INF", math.inf),
    ],
)
def test_what_is_not_a_number_is_a_float(word: bytes, value: float) -> None:
    data = b'[{"timeMs" : 0, "averageMs" : %s, "percentage" : 1}]' % word
    result = only(data)[0]["averageMs"]
    assert result == value or (math.isnan(result) and math.isnan(value))
    assert note(data, "not-a-number").where == "f.json:1:31"


@pytest.mark.parametrize(
    "name",
    [
        'say "hi" there',
        '{ForeignNode["a"...b]}',
        'PWN("a", "b")',
        '"quoted"',
        'a", b',
        'x"} y',
        'node": z',
        '"a" || "b"',
        "ends with a backslash\\",
    ],
)
def test_names_with_unescaped_quotes_are_read_whole(name: str) -> None:
    rows = '[\n  { "count" : 1 }\n, { "name" : "NAME", "timeMs" : 1.5 }\n, { "name" : "b", "timeMs" : 2 }\n]'
    assert only(rows.replace("NAME", name).encode())[1:] == [{"name": name, "timeMs": 1.5}, {"name": "b", "timeMs": 2}]


def test_unescaped_quotes_in_keys_and_lists() -> None:
    assert only(b'{"a "q" b": [1, 2], "c": [nan]}')['a "q" b'] == [1, 2]
    assert only(b'{"Layers": ["a "q" b", "c"]}') == {"Layers": ['a "q" b', "c"]}
    assert "unescaped-quotes" in codes(b'{"Layers": ["a "q" b", "c"]}')
    assert "damaged-string" in codes(
        b'{"Layers": [{"Name": "a",\n  "Type": "Convolution",\n  lostMode": "up",\n "n": 1}]}'
    )


def test_bad_escapes_and_half_surrogates() -> None:
    data = b'{"a": "C:\\query \\u12", "b": "\\ud800!", "c": "\\ud83d\\ude00"}'
    assert only(data) == {"a": "C:\\query \\u12", "b": "\ufffd!", "c": "\U0001f600"}
    assert {"bad-escape", "lone-surrogate"} <= codes(data)
    only(b'{"a": "\\udc00"}')["a"].encode("utf-8")


def test_invalid_utf8_is_replaced_and_noted() -> None:
    data = b'{"a": "x\xff\xfey", "b": 1}'
    assert only(data) == {"a": "x\ufffd\ufffdy", "b": 1}
    result = note(data, "invalid-text")
    assert result.where == "f.json:1:9"
    assert result.message.startswith("2 sequences")


# ---- commas, brackets, colons


@pytest.mark.parametrize(
    ("data", "document", "code"),
    [
        (b"[1, 2, ]", [1, 2], "trailing-comma"),
        (b'{"a": 1, }', {"a": 1}, "trailing-comma"),
        (b'[, {"a": 1}\n, {"b": 2}\n]', [{"a": 1}, {"b": 2}], "trailing-comma"),
        (b'[{"a": 1} {"b": 2}]', [{"a": 1}, {"b": 2}], "missing-comma"),
        (b'{"a": 1 "b": 2}', {"a": 1, "b": 2}, "missing-comma"),
        (b'{"a": "x"\n "b": 2}', {"a": "x", "b": 2}, "missing-comma"),
        (b'["a"\n"b"]', ["a", "b"], "missing-comma"),
        (b'{"a" 1}', {"a": 1}, "missing-colon"),
        (b'{"a": , "b": 2}', {"b": 2}, "missing-value"),
        (b'[{"a": 1, {"b": 2}]', [{"a": 1}, {"b": 2}], "missing-bracket"),
        (b'{"Layers": [{"a": 1}, {"b": 2]}', {"Layers": [{"a": 1}, {"b": 2}]}, "missing-bracket"),
        (b'{"Layers": [1}', {"Layers": [1]}, "missing-bracket"),
        (b'[{"a": 1]}, {"b": 2}]', [{"a": 1}], "missing-bracket"),
        (b'{"a": what, "b": 2}', {"a": None, "b": 2}, "unreadable-value"),
        (b'{"a": "x" junk, "b": 2}', {"a": "x", "b": 2}, "unreadable-text"),
        (b'{"a": 1 junk, "b": 2}', {"a": 1, "b": 2}, "unreadable-text"),
        (b'{"a": "open,\n "b": 1}', {"a": "open", "b": 1}, "unterminated-string"),
        (b'[{"a": 2,508, "b": [1,224], "c": -0,5e-3 }]', [{"a": 2.508, "b": [1, 224], "c": -0.0005}], "decimal-comma"),
        (b'{"a": 1,234,567, "b": 2}', {"a": None, "b": 2}, "unreadable-value"),
        (b'{"b": 2, "a": 2,5', {"b": 2}, "truncated"),
        (b'{"a": None, "b": True}', {"a": None, "b": True}, ""),
    ],
)
def test_punctuation_is_repaired(data: bytes, document: Any, code: str) -> None:
    assert parse(data).documents[0] == document
    assert not code or code in codes(data)


# ---- keys that occur twice


@pytest.mark.parametrize(
    ("data", "document", "lost"),
    [
        (b'{"a": 1, "b": 2, "a": 3}', {"a": 3, "b": 2}, {"duplicate-top-level-key": "1 duplicate .*\\('a'\\)"}),
        (b'{"a": 1, "a": 2,}', {"a": 2}, {"duplicate-top-level-key": "1 duplicate .*\\('a'\\)"}),
        (b'\xef\xbb\xbf{"a" : 1, "\\u0061" : 2}', {"a": 2}, {"duplicate-top-level-key": "1 duplicate .*\\('a'\\)"}),
        (b'{"a": {"b": 1, "b": 2}}', {"a": {"b": 2}}, {"duplicate-key": "1 duplicate key .*\\('b'\\)"}),
        (
            b'[{"a": 1, "a": 2}, {"a": 1, "a": 2, "b": "\x1b"}]',
            [{"a": 2}, {"a": 2, "b": "\x1b"}],
            {"duplicate-key": "^2"},
        ),
        (b'[{"a": "\\ud83d\\ude00", "a": 2}]', [{"a": 2}], {"duplicate-key": "'a'"}),
        (b'[{"a": 1, "a": 2}, {"b": what}]', [{"a": 2}, {"b": None}], {"duplicate-key": "^1 .*'a'"}),
        (
            b'{"a": [1], "a": [{"b": 1, "b": 2}]}',
            {"a": [{"b": 2}]},
            {"duplicate-top-level-key": "'a'", "duplicate-key": "'b'"},
        ),
        (
            b"[{%s}]" % b", ".join(b'"%c": 1, "%c": 2' % (key, key) for key in b"abcdef"),
            [dict.fromkeys("abcdef", 2)],
            {"duplicate-key": r"6 duplicate keys .*\('a', 'b', 'c'\)"},
        ),
        # equal values lose nothing, and colons inside strings are no members
        (b'{"a": {"b": [1]}, "a": {"b": [1]}}', {"a": {"b": [1]}}, {}),
        (b'{"a": {"b": [1]}, "a": {"b": [1]},}', {"a": {"b": [1]}}, {}),
        (b'{"a" \n: "\\u003a", "b": ":\\":"}', {"a": ":", "b": ':":'}, {}),
        (b'"\\u003a"', ":", {}),
    ],
)
def test_keys_that_occur_twice(data: bytes, document: Any, lost: dict[str, str]) -> None:
    assert only(data) == document
    assert {code for code in codes(data) if code.startswith("duplicate")} == lost.keys()
    for code, words in lost.items():
        assert note(data, code).severity == "problem" and re.search(words, note(data, code).message)


# ---- several documents, text around them


@pytest.mark.parametrize(
    ("data", "documents"),
    [
        (b'{"a": 1}{"b": 2}', [{"a": 1}, {"b": 2}]),
        (b'{"a": 1},\n{"b": 2},\n', [{"a": 1}, {"b": 2}]),
        (b'{"a": 1}\n{"b": 2}\n', [{"a": 1}, {"b": 2}]),
        (b', {"a": 1}\n, {"b": 2}\n]\n', [{"a": 1}, {"b": 2}]),
        (b"[1]\n[2]\n[nan]", None),
    ],
)
def test_documents_one_after_the_other(data: bytes, documents: Any) -> None:
    parsed = parse(data)
    assert len(parsed.documents) > 1
    assert documents is None or parsed.documents == documents
    assert "several-documents" in codes(data)


def test_text_around_the_json_is_skipped() -> None:
    data = b'[04/30/2026-18:15:10] [I] Layer Information: {x}\n{"Layers": ["a", "b"]}\n&&&& PASSED TensorRT.trtexec'
    assert only(data) == {"Layers": ["a", "b"]}
    assert note(data, "extra-text").where == "f.json:1:1"


# ---- cut-off files


def test_a_torn_tail_keeps_everything_complete() -> None:
    data = b'{"Layers": [{"Name": "a", "Inputs": [{"Name": "x", "Dimensions": [1, 2'
    assert only(data) == {"Layers": [{"Name": "a", "Inputs": [{"Name": "x", "Dimensions": [1]}]}]}
    result = note(data, "truncated")
    assert result.severity == "problem"
    assert result.where == f"f.json:1:{len(data) + 1}"
    assert '"Dimensions": [1, 2' in result.message


@pytest.mark.parametrize("tail", [b"{", b'{"Na', b'{"Name"', b'{"Name":', b'{"Name": "b', b'{"Name": 12', b""])
def test_a_last_object_without_a_complete_member_is_dropped(tail: bytes) -> None:
    assert only(b'{"Layers": [{"Name": "a"}, ' + tail) == {"Layers": [{"Name": "a"}]}


def test_every_cut_of_a_profile_keeps_its_whole_rows() -> None:
    whole = json.loads(ROWS)
    for cut in range(ROWS.index(b"}"), len(ROWS)):
        documents = parse(ROWS[:cut]).documents
        assert len(documents) <= 1
        rows = documents[0] if documents else []
        complete = ROWS[:cut].count(b"}")
        assert rows[:complete] == whole[:complete]


def test_the_excerpt_is_bounded() -> None:
    data = b'{"Layers": ["' + b"a" * 100_000
    with pytest.raises(TrexError) as error:
        parse(b"x" * 100_000)
    assert len(error.value.excerpt) <= 200
    assert all(len(note.message) < 500 for note in parse(data).notes)


# ---- unreadable files


@pytest.mark.parametrize(
    ("data", "where", "words"),
    [
        (b"", "bad.graph.json", "empty"),
        (b" \n\t", "bad.graph.json", "empty"),
        (b"\xef\xbb\xbf", "bad.graph.json", "empty"),
        (b"{not json", "bad.graph.json:1:2", "expected a key in quotes or '}', found 'n'"),
        (b'{"a": }', "bad.graph.json:1:7", "expected a value, found '}'"),
        (b"\n\n  hello", "bad.graph.json:3:3", "expected '{' or '[', found 'h'"),
        (b"{", "bad.graph.json:1:2", "ends before"),
        (b"[", "bad.graph.json:1:2", "ends before"),
        (b'{"Layers', "bad.graph.json:1:9", "ends before"),
    ],
)
def test_errors_have_an_address_and_a_next_step(data: bytes, where: str, words: str) -> None:
    with pytest.raises(TrexError) as error:
        parse(data, "bad.graph.json")
    assert error.value.where == where
    assert words in error.value.message
    assert error.value.hint


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 200 + b"]" * 200,
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"Layers": [{"x": ' + b"[" * 300 + b"]" * 300 + b', "y": nan}]}',
        b'["]",' * 200 + b"1" + b"]" * 200,
        b"[nan, " + b"[" * 500 + b"]" * 500 + b"]",
    ],
)
def test_deep_nesting_is_refused(data: bytes) -> None:
    with pytest.raises(TrexError, match="nested more than 128"):
        parse(data)


def test_nesting_up_to_the_limit_is_fine() -> None:
    for inside in (b"", b"nan"):
        assert parse(b"[" * 128 + inside + b"]" * 128).documents
    with pytest.raises(TrexError):
        parse(b"[" * 129 + b"]" * 129)


def test_brackets_in_names_do_not_count_as_nesting() -> None:
    data = b'{"a": "' + b"[" * 1000 + b'", "b": "' + b"{" * 1000 + b'"}'
    assert only(data)["a"] == "[" * 1000
    assert only(data.replace(b'"b"', b', "b"'))["b"] == "{" * 1000


@pytest.mark.parametrize(
    ("data", "words", "hint"),
    [
        (
            b"ftrt" + bytes(20) + bytes([10, 4, 0, 26]) + bytes(64),
            "serialized TensorRT 10.4.0.26 engine",
            "trtexec --loadEngine=x.engine --exportLayerInfo=x.engine.graph.json",
        ),
        (b"\x08\x08\x12\x07pytorch\x1a\x052.1.0:", "ONNX model", "trex process x.engine OUTDIR"),
        (b"PK\x03\x04" + bytes(50), "zip", "unpack"),
        (bytes(range(256)) * 8, "binary", "trtexec"),
    ],
)
def test_binary_files_are_named(data: bytes, words: str, hint: str) -> None:
    with pytest.raises(TrexError) as error:
        parse(data, "x.engine")
    assert words in error.value.message
    assert hint in error.value.hint


# ---- any input


def survives(data: bytes) -> None:
    try:
        parsed = parse(data, "f.json")
    except TrexError as error:
        assert str(error)
        return
    assert len(parsed.notes) < 25
    json.dumps(parsed.documents, ensure_ascii=False).encode("utf-8")
    assert all(str(note) for note in parsed.notes)


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=300))
def test_arbitrary_bytes_are_data_or_an_error(data: bytes) -> None:
    survives(data)


FRAGMENTS = [
    b'"',
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\\",
    b"nan",
    b"\n",
    b"\x1e",
    b"\xff",
    b"1",
    b"\\ud8",
    b'"a":',
    b" ",
]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=60).map(b"".join))
def test_arbitrary_fragments_are_data_or_an_error(data: bytes) -> None:
    survives(data)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.lists(VALUES, min_size=1), st.data())
def test_mutated_json_is_data_or_an_error(document: list[Any], data: st.DataObject) -> None:
    text = json.dumps(document, ensure_ascii=False).encode("utf-8", "replace")
    at = data.draw(st.integers(0, len(text)))
    survives(text[:at])
    survives(text[:at] + data.draw(st.sampled_from(FRAGMENTS)) + text[at:])
    survives(text[:at] + text[at + data.draw(st.integers(1, 5)) :])


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.text(max_size=6), VALUES, min_size=1))
def test_the_tolerant_reader_agrees_with_the_strict_one(document: dict[str, Any]) -> None:
    text = json.dumps(document, ensure_ascii=True)
    if "\\ud" in text:
        return
    expected = json.loads(text, parse_int=lambda digits: int(digits) if len(digits) < 19 else float(digits))
    result = only((text[:-1] + ",}").encode())
    assert json.loads(json.dumps(result), parse_int=float) == json.loads(json.dumps(expected), parse_int=float)


PIECES = [
    b'{"',
    b'["a" b ',
    b'{"a":"b" c ',
    b'"',
    b"[],x",
    b'["x\n',
    b'{"a" 1},',
    b'{"a":"b",',
    b"[nan]\n",
    b"{x",
    b"\\",
    b'"a",,',
]


@pytest.mark.slow
@pytest.mark.parametrize("piece", PIECES)
def test_much_damage_is_repaired_or_refused(piece: bytes) -> None:
    survives(b"[" + piece * 16_000)


@pytest.mark.slow
def test_a_large_damaged_graph_is_read() -> None:
    layer = '{"Name": "conv%d", "LayerType": "x", "Inputs": [{"Name": "t", "Dimensions": [1, 2, 3]}], "HasBias": 1}'
    layers = [layer % index for index in range(5000)]
    layers[2500] = '{"Name": "a "quoted" name", "LayerType": "x"}'
    document = only(('{"Layers": [' + ",\n".join(layers)).encode())
    assert len(document["Layers"]) == 5000
    assert document["Layers"][2500]["Name"] == 'a "quoted" name'


def test_every_real_json_file_is_valid_or_repaired(shared_engines: Path) -> None:
    files = [file for file in sorted(shared_engines.rglob("*.json")) if file.stat().st_size < 300_000]
    assert files
    for file in files:
        data = file.read_bytes()
        parsed = parse(data, file.name)
        assert len(parsed.documents) == 1
        cut = parse(data[: len(data) * 2 // 3], file.name)
        assert cut.documents
        assert "truncated" in {note.code for note in cut.notes}


def test_digits_without_an_end_take_linear_time() -> None:
    parsed = parse(b'{"Layers":[],"X":' + b"1" * 200_000 + b"x }", "a.json")
    assert parsed.notes


@pytest.mark.parametrize(
    ("members", "length", "is_read"), [(1_000_000, 6, False), (1_000_000, 30, True), (300_000, 6, True)]
)
def test_many_short_members_of_one_object_are_refused(members: int, length: int, is_read: bool) -> None:
    """Two million of them, 23 MB, took half a gigabyte. Names of layers are longer."""
    data = b"{" + b",".join(b'"%0*d":1' % (length, number) for number in range(members)) + b"}"
    with nullcontext() if is_read else pytest.raises(TrexError, match="1,000,001 short values"):
        parse(data)
