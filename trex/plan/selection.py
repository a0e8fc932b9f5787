"""DataFrame → the part asked for: rows by expression, order and number, columns by name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from typing import Any, cast

import pandas as pd

from trex.core.errors import TrexError
from trex.core.layer import Layer
from trex.core.near_names import did_you_mean, near_names
from trex.core.timings import LayerTime
from trex.plan.attributes import ATTRIBUTES, attribute_columns, cost_columns, hashable
from trex.plan.dataframe import as_series
from trex.plan.engine_plan import EnginePlan
from trex.plan.matrix_product import matrix_product

DEFAULT_COLUMNS = (
    "layer.index",
    "Name",
    "type",
    "precision",
    "latency.avg_time",
    "latency.pct_time",
    "total_footprint_bytes",
    "tactic",
)
TIME = "latency.avg_time"

_QUOTED = re.compile(r"('[^']*'|\"[^\"]*\"|`[^`]*`)")
# Without functions: sqrt(…) is one of pandas' own.
_WORD = re.compile(r"(?<![\w.@])[A-Za-z_][\w.]*(?![\w.]|\s*\()|(?<![\w.@])[A-Za-z_]\w*\.[\w.]*")
_OF_THE_LANGUAGE = frozenset(("and", "or", "not", "in", "is", "True", "False", "None", "nan", "inf", "index"))
_LITERAL = re.compile(r"\s*(==|!=|not\s+in\b|in\b)\s*(?=[(\[]\s*[-(\[\d])")
_EXAMPLE = "for example: --query \"type == 'Convolution' and latency.pct_time > 5\""


def select_layers(
    frame: pd.DataFrame,
    query: str = "",
    top: int | None = None,
    columns: Sequence[str] = (),
    all_columns: bool = False,
    sort: str = "",
) -> pd.DataFrame:
    """Rows for which ``query`` holds, the first ``top`` of them in order, and the named (or default, or all) columns.

    top: None for all rows; 0 leaves none, only the columns. sort: a column: numbers from the largest down, text from A
    to Z, unknown last. Without it the rows stay in execution order, unless ``top`` asks for the slowest. Names of
    columns are taken in any case where that is clear.
    Raises TrexError for an expression that cannot be evaluated, names that no column has, and ``top`` of layers none
    of which has a time.
    """
    if query:
        frame = _queried(frame, query)
    if sort:
        frame = _sorted(frame, column_of(frame, sort))
    elif top is not None:
        if top and len(frame) and frame[TIME].isna().all():
            raise TrexError(
                "no layer has a time, so none is the slowest",
                "order them by another column, for example: --sort total_footprint_bytes --top 10; "
                "or measure: trex doctor PATH says how",
            )
        frame = _sorted(frame, TIME)
    if top is not None:
        frame = frame.head(top)
    if columns:
        return frame[[column_of(frame, name) for name in columns]]
    if all_columns:
        return frame
    attributes = [name for name in frame.columns if str(name).startswith("attr.")]
    wanted = [name for name in DEFAULT_COLUMNS if name in frame.columns]
    if attributes and frame["type"].nunique() == 1:
        wanted.remove("type")
    return frame[wanted + attributes]


def layers_of_type(plan: EnginePlan, name: str) -> pd.DataFrame:
    """The rows of one type or subtype with their attributes. None of a type that TensorRT has gives no rows.

    Raises TrexError, with the engine's own types, for a word that is no type at all.
    """
    found = plan.get_layers_by_type(name)
    if len(found) == 0 and name.lower() not in {known.lower() for known in ATTRIBUTES}:
        types = sorted({word for layer in plan.layers for word in (layer.type, layer.subtype)})
        here = f"the types here: {', '.join(sorted({layer.type for layer in plan.layers})[:20])}"
        raise TrexError(f"no layer is of type {name!r}", did_you_mean(name, types, here))
    return found


def with_attributes(frame: pd.DataFrame, layers: Sequence[Layer], times: Sequence[LayerTime | None]) -> pd.DataFrame:
    """The frame of these layers with the ``attr.*`` columns of every type beside its own, NaN where a type has none."""
    added = attribute_columns([layer.raw for layer in layers], [(layer.type, layer.subtype) for layer in layers])
    products = [matrix_product(layer) for layer in layers]
    added |= cost_columns(
        products,
        [layer.total_footprint_bytes for layer in layers],
        [None if time is None else time.average_ms for time in times],
    )
    new = {name: as_series(values).set_axis(frame.index) for name, values in added.items() if name not in frame}
    made = pd.concat([frame, pd.DataFrame(new, index=frame.index)], axis=1)
    made.attrs.update(frame.attrs)
    return made


def needs_attributes(query: str, columns: Iterable[str], sort: str = "") -> bool:
    """True when any of these words asks for an ``attr.*`` column."""
    return any(re.search(r"(?<![\w.])attr\.", text, re.IGNORECASE) for text in (query, sort, *columns))


def column_of(frame: pd.DataFrame, name: str) -> str:
    """The column of that name, in another case if need be. Raises TrexError with the names that come near."""
    if name in frame.columns:
        return name
    alike = [str(column) for column in frame.columns if str(column).lower() == name.lower()]
    if len(alike) == 1:
        return alike[0]
    raise _no_column(frame, name)


def _no_column(frame: pd.DataFrame, name: str, excerpt: str = "") -> TrexError:
    names = list(map(str, frame.columns))
    otherwise = "trex layers PATH --all-columns --format json shows them all; trex explain NAME says what one means"
    if name.startswith("attr."):
        names = [known for known in names if known.startswith("attr.")]
        otherwise = "attributes differ by type: trex layers PATH --type TYPE shows those of one type"
    return TrexError(f"there is no column {name!r}", did_you_mean(name, names, otherwise), excerpt=excerpt)


def _sorted(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    values = frame[column]
    if values.dtype.kind in "iufb":
        return frame.sort_values(column, ascending=False, kind="stable", na_position="last")
    texts = ["" if unknown else str(value) for value, unknown in zip(values, values.isna(), strict=True)]
    return frame.iloc[sorted(range(len(frame)), key=lambda row: (not texts[row], texts[row]))]


def _queried(frame: pd.DataFrame, query: str) -> pd.DataFrame:
    # pandas takes @name from the code that calls it: our own variables, which are nobody's query.
    if any("@" in piece for piece in _QUOTED.split(query)[::2]):
        raise TrexError("a query has no variables, so @ means nothing in it", _EXAMPLE, excerpt=query)
    try:
        expression, tuples = _with_tuples_named(frame, _with_names_quoted(frame, query))
        held: Any = frame.eval(expression, engine="python", local_dict=tuples)
    except Exception as error:  # pandas evaluates the user's own words: whatever it raises is about them
        raise _query_error(frame, query, error) from error
    kind = getattr(getattr(held, "dtype", None), "kind", "")
    if kind != "b" or getattr(held, "shape", ()) != (len(frame),):
        raise TrexError("the query gives values, not yes or no, for each layer", _EXAMPLE, excerpt=query)
    return cast("pd.DataFrame", frame[held])


def _with_names_quoted(frame: pd.DataFrame, query: str) -> str:
    """The query with backticks around the columns that are no plain words. Text in quotes is left alone."""
    special = {str(name) for name in frame.columns if not str(name).isidentifier()}
    if "`" in query or not special:
        return query

    def quoted(match: re.Match[str]) -> str:
        word = match[0]
        # A method of a column follows it behind one more dot: layer.module.str.startswith('/layer1')
        while word not in special and "." in word:
            word = word.rpartition(".")[0]
        return f"`{word}`{match[0][len(word) :]}" if word in special else match[0]

    pieces = _QUOTED.split(query)
    return "".join(piece if place % 2 else _WORD.sub(quoted, piece) for place, piece in enumerate(pieces))


def _with_tuples_named(frame: pd.DataFrame, query: str) -> tuple[str, dict[str, list[tuple[Any, ...]]]]:
    """The query with names for the tuples that columns of tuples are compared with, and what the names stand for.

    To pandas ``attr.kernel == (7, 7)`` asks for a kernel of 7: a list is a choice. Of a column whose values are tuples
    it can only mean one of these, written with either kind of brackets.
    """
    named: dict[str, list[tuple[Any, ...]]] = {}
    done = place = 0
    written = []
    for match in re.finditer(r"`([^`]+)`|'[^']*'|\"[^\"]*\"", query):
        operator = _LITERAL.match(query, match.end()) if match[1] and match.start() >= place else None
        if operator is None or not _holds_tuples(frame, match[1]):
            continue
        place = _closing(query, operator.end())
        try:
            value = ast.literal_eval(query[operator.end() : place])
        except (ValueError, SyntaxError):
            continue
        if not isinstance(value, (tuple, list)):
            continue
        several = operator[1].endswith("in") and value and all(isinstance(each, (tuple, list)) for each in value)
        name = f"tuple{len(named)}"
        named[name] = [hashable(list(each)) for each in (value if several else [value])]
        written += [query[done : operator.end()], f"@{name}"]
        done = place
    return "".join([*written, query[done:]]), named


def _holds_tuples(frame: pd.DataFrame, name: str) -> bool:
    return name in frame and any(isinstance(value, tuple) for value in frame[name])


def _closing(query: str, opening: int) -> int:
    """The place behind the bracket that closes the one at ``opening``; the end where none does."""
    depth = 0
    for place in range(opening, len(query)):
        depth += (query[place] in "([") - (query[place] in ")]")
        if not depth:
            return place + 1
    return len(query)


def _query_error(frame: pd.DataFrame, query: str, error: Exception) -> TrexError:
    unknown = next((word for word in _words(query) if not _is_known(frame, word)), "")
    if unknown:
        values = {
            str(value)
            for name in ("type", "subtype", "precision", "output_precision", "layer.role")
            if name in frame
            for value in frame[name].unique()
        }
        meant = [value for value in near_names(unknown, values, 1) if value.lower() == unknown.lower()]
        if meant:
            return TrexError(f"{unknown} is no column; text needs quotes", f"write it as '{meant[0]}'", excerpt=query)
        return _no_column(frame, unknown, query)
    return TrexError(f"the query cannot be evaluated: {type(error).__name__}: {error}", _EXAMPLE, excerpt=query)


def _words(query: str) -> Iterable[str]:
    for place, piece in enumerate(_QUOTED.split(query)):
        if place % 2 == 0:
            yield from (match[0] for match in _WORD.finditer(piece))


def _is_known(frame: pd.DataFrame, word: str) -> bool:
    if word in _OF_THE_LANGUAGE:
        return True
    while word:
        if word in frame.columns:
            return True
        word = word.rpartition(".")[0]
    return False
