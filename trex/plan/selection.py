"""DataFrame → selected rows (by query, order and number) and columns."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, cast

import pandas as pd

from trex.core.errors import TrexError
from trex.core.layer import Layer
from trex.core.near_names import did_you_mean, near_names
from trex.core.timings import LayerTime
from trex.plan.attributes import ATTRIBUTES, attribute_columns, cost_columns, hashable
from trex.plan.dataframe import as_series, select_columns
from trex.plan.engine_plan import EnginePlan
from trex.plan.gemm import gemm_of

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
# Without functions: sqrt(…) belongs to pandas.
_WORD = re.compile(r"(?<![\w.@])[A-Za-z_][\w.]*(?![\w.]|\s*\()|(?<![\w.@])[A-Za-z_]\w*\.[\w.]*")
_KEYWORDS = frozenset(("and", "or", "not", "in", "is", "True", "False", "None", "nan", "inf", "index"))
_LITERAL = re.compile(r"\s*(==|!=|not\s+in\b|in\b)\s*(?=[(\[]\s*[-(\[\d])")
# pandas calls any method of a column, also those that write files.
_METHODS = re.compile(
    "abs|all|any|astype|between|clip|count|cumsum|diff|duplicated|fillna|isin|isna|isnull|max|mean|median|min|notna|"
    "notnull|nunique|quantile|rank|round|shift|std|sum"
)
# Methods of text that give more text than they got; `replace` does so too if it is repeated.
_GROWING = re.compile(
    "cat|center|decode|encode|get_dummies|join|ljust|pad|repeat|rjust|slice_replace|translate|wrap|zfill"
)
_NUMBERS_OF_TEXT = frozenset(("count", "find", "index", "len", "rfind", "rindex"))
_LARGEST_EXPONENT = 64
_OF_INDEX = (ast.Constant, ast.Slice, ast.UnaryOp, ast.USub, ast.Load)
_EXAMPLE = "for example: --query \"type == 'Convolution' and latency.pct_time > 5\""


def select_layers(
    frame: pd.DataFrame,
    query: str = "",
    top: int | None = None,
    columns: Sequence[str] = (),
    all_columns: bool = False,
    sort: str = "",
) -> pd.DataFrame:
    """The first ``top`` rows that match ``query``, with the named (or default, or all) columns.

    top: None for all rows; 0 for none. sort: a column; numbers in descending order, text from A to Z, unknown values
    last. Without it, ``top`` selects the slowest layers, otherwise rows stay in execution order. The case of column
    names may differ if unambiguous.
    Raises TrexError for invalid queries, unknown columns, and ``top`` without any time.
    """
    if query:
        frame = _queried(frame, query)
    if sort:
        frame = _sorted(frame, column_of(frame, sort))
    elif top is not None:
        if top and len(frame) and frame[TIME].isna().all():
            raise TrexError(
                "can't select the slowest layers: no layer has a time",
                "sort by another column, for example: --sort total_footprint_bytes --top 10; "
                "or measure: trex doctor PATH explains how",
            )
        frame = _sorted(frame, TIME)
    if top is not None:
        frame = frame.head(top)
    if columns:
        return select_columns(frame, [column_of(frame, name) for name in columns])
    if all_columns:
        return frame
    attributes = [name for name in frame.columns if str(name).startswith("attr.")]
    wanted = [name for name in DEFAULT_COLUMNS if name in frame.columns]
    if attributes and frame["type"].nunique() == 1:
        wanted.remove("type")
    return select_columns(frame, wanted + attributes)


def layers_of_type(plan: EnginePlan, name: str) -> pd.DataFrame:
    """The rows of one type or subtype with their attributes; no rows for a type that the engine does not use.

    Raises TrexError, with the engine's types, for a word that is no type.
    """
    table = plan.get_layers_by_type(name)
    if len(table) == 0 and name.lower() not in {known.lower() for known in ATTRIBUTES}:
        types = sorted({word for layer in plan.working_layers for word in (layer.type, layer.subtype)})
        here = f"the types here: {', '.join(sorted({layer.type for layer in plan.working_layers})[:20])}"
        raise TrexError(f"no layer is of type {name!r}", did_you_mean(name, types, here))
    return table


def layers_with(plan: EnginePlan, type: str, query: str, columns: Sequence[str], sort: str) -> pd.DataFrame:
    """What such a selection is made from: the layers, of one type or all, with ``attr.*`` columns if it names any."""
    if type:
        return layers_of_type(plan, type)
    if needs_attributes(query, columns, sort):
        return with_attributes(plan.df, plan.working_layers, plan.times)
    frame: pd.DataFrame = plan.df
    return frame


def with_attributes(frame: pd.DataFrame, layers: Sequence[Layer], times: Sequence[LayerTime | None]) -> pd.DataFrame:
    """The frame of these layers with the ``attr.*`` columns of all types, NaN for types without the attribute."""
    added = attribute_columns([layer.raw for layer in layers], [(layer.type, layer.subtype) for layer in layers])
    added |= cost_columns(
        [gemm_of(layer) for layer in layers],
        [layer.total_footprint_bytes for layer in layers],
        [None if time is None else time.average_ms for time in times],
    )
    new = {name: as_series(values).set_axis(frame.index) for name, values in added.items() if name not in frame}
    result: pd.DataFrame = pd.concat([frame, pd.DataFrame(new, index=frame.index)], axis=1)
    result.attrs.update(frame.attrs)
    return result


def needs_attributes(query: str, columns: Iterable[str], sort: str = "") -> bool:
    """Whether any of these texts contains an ``attr.*`` column."""
    return any(re.search(r"(?<![\w.])attr\.", text, re.IGNORECASE) for text in (query, sort, *columns))


def column_of(frame: pd.DataFrame, name: str) -> str:
    """The column with this name, ignoring case if unambiguous. Raises TrexError with similar names."""
    if name in frame.columns:
        return name
    matches = [str(column) for column in frame.columns if str(column).lower() == name.lower()]
    if len(matches) == 1:
        return matches[0]
    raise _no_column(frame, name)


def _no_column(frame: pd.DataFrame, name: str, excerpt: str = "") -> TrexError:
    names = list(map(str, frame.columns))
    otherwise = "trex layers PATH --all-columns --format json lists all; trex explain NAME explains one"
    if name.startswith("attr."):
        names = [known for known in names if known.startswith("attr.")]
        otherwise = "attributes depend on the type: trex layers PATH --type TYPE shows those of one type"
    return TrexError(f"there is no column {name!r}", did_you_mean(name, names, otherwise), excerpt=excerpt)


def _sorted(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    values = frame[column]
    result: pd.DataFrame
    if values.dtype.kind in "iufb":
        result = frame.sort_values(column, ascending=False, kind="stable", na_position="last")
        return result
    texts = ["" if unknown else str(value) for value, unknown in zip(values, values.isna(), strict=True)]
    result = frame.iloc[sorted(range(len(frame)), key=lambda row: (not texts[row], texts[row]))]
    return result


def _queried(frame: pd.DataFrame, query: str) -> pd.DataFrame:
    if any("@" in piece for piece in _QUOTED.split(query)[::2]):
        raise TrexError("queries have no variables: remove @", _EXAMPLE, excerpt=query)
    try:
        expression, values = _with_plain_names(frame, *_with_tuples_named(frame, _with_names_quoted(frame, query)))
        _refuse_effects(values, expression, query)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of pandas and NumPy, about the user's arithmetic
            mask: Any = pd.eval(expression, engine="python", local_dict={}, global_dict={}, resolvers=[values])
    except TrexError:
        raise
    except Exception as error:  # any error is about the user's query
        raise _query_error(frame, query, error) from error
    kind = getattr(getattr(mask, "dtype", None), "kind", "")
    if kind != "b" or getattr(mask, "shape", ()) != (len(frame),):
        raise TrexError("the query is not true or false for each layer", _EXAMPLE, excerpt=query)
    return cast("pd.DataFrame", frame[mask])


def _with_plain_names(frame: pd.DataFrame, query: str, tuples: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """(the query with identifiers for names in backticks, {name: what it stands for}): text that Python and pandas
    read in the same way.
    """
    values = {str(name): frame[name] for name in frame.columns} | {"index": frame.index} | dict(tuples)
    pieces = _QUOTED.split(query)
    for number, piece in enumerate(pieces):
        if piece.startswith("`") and piece[1:-1] in values:
            pieces[number] = f" column{number} "
            values[f"column{number}"] = values[piece[1:-1]]
    return "".join(pieces).strip(), values


def _refuse_effects(values: Mapping[str, Any], expression: str, query: str) -> None:
    """Raises TrexError for a method of a column that does more than compute and for what computes without bound,
    AttributeError or TypeError for what leads to Python's own objects, SyntaxError for what is no expression.
    """
    words = {
        name for name, value in values.items() if not (isinstance(value, (pd.Series, pd.Index)) and _is_numeric(value))
    }
    tree = ast.parse(expression, mode="eval")
    if len(expression.splitlines()) > 1 or "`" in expression:  # pandas reads each line, and names in text
        raise SyntaxError("a query is one line, with backticks around columns only")
    whole = list(ast.walk(tree))
    methods = {id(node.func) for node in whole if isinstance(node, ast.Call)}
    replaces = [node for node in whole if isinstance(node, ast.Attribute) and node.attr == "replace"]
    for node in whole:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            method, of = node.func.attr, node.func.value
            is_of_text = isinstance(of, ast.Attribute) and of.attr == "str" and not method.startswith("_")
            grows = _GROWING.fullmatch(method) or (method == "replace" and len(replaces) > 1)
            if not _METHODS.fullmatch(method) and (grows or not is_of_text):
                hint = (
                    "use name.str.contains('conv') and other methods of text, isin, isna, between, abs, mean, quantile"
                )
                raise TrexError(f"a query can't call .{method}()", hint, excerpt=query)
        elif isinstance(node, ast.Attribute):
            if node.attr != "str" and id(node) not in methods:
                raise AttributeError(f"a query reads columns and .str, not .{node.attr}")  # or a misspelled column
        elif isinstance(node, ast.Subscript):
            if not all(isinstance(part, _OF_INDEX) for part in ast.walk(node.slice)):
                raise TypeError("a query has only numbers in [ ] after a name")
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            if not _is_small(node.right) or any(isinstance(inner, ast.Pow) for inner in ast.walk(node.left)):
                hint = f"exponents are numbers up to {_LARGEST_EXPONENT}; there is also sqrt(...)"
                raise TrexError("a query can't raise to such a power", hint, excerpt=query)
        elif (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, (ast.Mult, ast.Mod))
            and any(_is_text(end, words) for end in (node.left, node.right))
        ):
            raise TrexError("a query can't multiply or format text", _EXAMPLE, excerpt=query)


def _is_numeric(values: pd.Series | pd.Index) -> bool:
    return values.dtype.kind in "iufb" or pd.api.types.infer_dtype(values, skipna=True) in (
        "integer",
        "floating",
        "boolean",
    )


def _is_small(node: ast.expr) -> bool:
    try:
        number = ast.literal_eval(node)
    except (ValueError, TypeError):
        return False
    return isinstance(number, (int, float)) and abs(number) <= _LARGEST_EXPONENT


def _is_text(node: ast.expr, words: Collection[str]) -> bool:
    """Whether it is, or may be, text or a list; ``words`` are the columns of these and what stands for them."""
    if isinstance(node, ast.Name):
        return node.id in words
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (str, bytes))
    if isinstance(node, ast.Call):
        return (
            isinstance(node.func, ast.Attribute)
            and node.func.attr not in _NUMBERS_OF_TEXT
            and _is_text(node.func.value, words)
        )
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return _is_text(node.value, words)
    if isinstance(node, (ast.List, ast.Tuple)):
        return True
    return any(_is_text(inner, words) for inner in ast.iter_child_nodes(node) if isinstance(inner, ast.expr))


def _with_names_quoted(frame: pd.DataFrame, query: str) -> str:
    """The query with backticks around columns that are no identifiers, except in quoted text."""
    special = {str(name) for name in frame.columns if not str(name).isidentifier()}
    if "`" in query or not special:
        return query

    def quoted(match: re.Match[str]) -> str:
        word = match[0]
        # Remove a method after the column: layer.module.str.startswith('/layer1')
        while word not in special and "." in word:
            word = word.rpartition(".")[0]
        return f"`{word}`{match[0][len(word) :]}" if word in special else match[0]

    pieces = _QUOTED.split(query)
    return "".join(piece if index % 2 else _WORD.sub(quoted, piece) for index, piece in enumerate(pieces))


def _with_tuples_named(frame: pd.DataFrame, query: str) -> tuple[str, dict[str, list[tuple[Any, ...]]]]:
    """(the query with names for the tuples that columns of tuples are compared with, {name: tuples}).

    pandas reads ``attr.kernel == (7, 7)`` as a choice of kernels. For a column of tuples it must be a tuple, in either
    kind of brackets.
    """
    named: dict[str, list[tuple[Any, ...]]] = {}
    done = end = 0
    pieces = []
    for match in re.finditer(r"`([^`]+)`|'[^']*'|\"[^\"]*\"", query):
        operator = _LITERAL.match(query, match.end()) if match[1] and match.start() >= end else None
        if operator is None or not _holds_tuples(frame, match[1]):
            continue
        end = _closing(query, operator.end())
        try:
            value = ast.literal_eval(query[operator.end() : end])
        except (ValueError, SyntaxError):
            continue
        if not isinstance(value, (tuple, list)):
            continue
        is_choice = operator[1].endswith("in") and value and all(isinstance(item, (tuple, list)) for item in value)
        name = f"tuple{len(named)}"
        named[name] = [hashable(list(item)) for item in (value if is_choice else [value])]
        pieces += [query[done : operator.end()], f" {name} "]
        done = end
    return "".join([*pieces, query[done:]]), named


def _holds_tuples(frame: pd.DataFrame, name: str) -> bool:
    return name in frame and any(isinstance(value, tuple) for value in frame[name])


def _closing(query: str, opening: int) -> int:
    """The index after the bracket that closes the one at ``opening``; the end if there is none."""
    depth = 0
    for index in range(opening, len(query)):
        depth += (query[index] in "([") - (query[index] in ")]")
        if not depth:
            return index + 1
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
            return TrexError(f"{unknown} is not a column; text needs quotes", f"write '{meant[0]}'", excerpt=query)
        return _no_column(frame, unknown, query)
    return TrexError(f"can't evaluate the query: {type(error).__name__}: {error}", _EXAMPLE, excerpt=query)


def _words(query: str) -> Iterable[str]:
    for index, piece in enumerate(_QUOTED.split(query)):
        if index % 2 == 0:
            yield from (match[0] for match in _WORD.finditer(piece))


def _is_known(frame: pd.DataFrame, word: str) -> bool:
    if word in _KEYWORDS:
        return True
    while word:
        if word in frame.columns:
            return True
        word = word.rpartition(".")[0]
    return False
