"""The layers of an engine, slowest first: filter with a query, choose columns and order, page with offset and limit.

query: a pandas expression over columns, such as type == 'Reformat' and latency.pct_time > 1, or
Name.str.contains('layer1'). With type, columns attr.* of that type exist (attr.kernel, attr.stride, attr.groups).
explain says what a column means, and without a word lists all. Layer times include profiling overhead: their sum is
not the latency.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from trex.agents.session import Session
from trex.agents.tool import MOST_ROWS, Answer, Tool
from trex.agents.tools.inspect import PATH_HELP
from trex.core.errors import TrexError
from trex.core.options import option
from trex.core.printable import shell_line

# Methods of text that give one short value per layer. Others (repeat, pad …) can fill the memory.
_WORDS = "contains startswith endswith match fullmatch len lower upper strip count find isdigit"
_OF_TEXT = frozenset(_WORDS.split())
_QUANTIFIER = re.compile(r"(?<!\\)[*+{]")
_MOST_QUANTIFIERS = 3
_NESTED = re.compile(r"[*+}][^()]*\)+[*+{]")
"""A repetition of repetitions: ``(a+)+``."""
_LONGEST_QUERY = 500


@dataclass(frozen=True, kw_only=True)
class LayersArguments:
    path: str = option(".", PATH_HELP)
    query: str = option("", "keep the layers for which this expression is true")
    type: str = option("", "only layers of this type, with their attr.* columns")
    columns: tuple[str, ...] = option((), "columns to show", many=True)
    sort: str = option("latency.avg_time", "order by this column, largest first; empty for execution order")
    offset: int = option(0, "first row to show; continue with page.next_offset")
    limit: int = option(20, f"rows to show, at most {MOST_ROWS}; fewer if they do not fit")


def run(arguments: LayersArguments, session: Session) -> Answer:
    from trex.plan.selection import layers_with, select_layers
    from trex.views.layers import layers_document

    refuse_costly(arguments.query)
    plan = session.plan(arguments.path)
    rows = layers_with(plan, arguments.type, arguments.query, arguments.columns, arguments.sort)
    frame = select_layers(rows, arguments.query, None, arguments.columns, False, arguments.sort)
    first = arguments.offset
    words = ["trex", "layers", arguments.path]
    for flag, value in (
        ("--query", arguments.query), ("--type", arguments.type), ("--columns", ",".join(arguments.columns)),
        ("--sort", arguments.sort),
    ):  # fmt: skip
        words += [flag, value] if value else []
    return Answer(
        lambda count: layers_document(frame.iloc[first : first + count], plan),
        shell_line([*words, "--json"]),
        rows=min(arguments.limit, MOST_ROWS),
        offset=first,
        total=len(frame),
    )


def refuse_costly(query: str) -> None:
    """Raises TrexError for a query that could take minutes or fill the memory, whatever the engine."""
    if len(query) > _LONGEST_QUERY:
        raise TrexError(f"the query has more than {_LONGEST_QUERY} characters", "ask in several steps")
    text = re.sub(r"`[^`]*`", "column", query)
    try:
        nodes = list(ast.walk(ast.parse(text.strip() or "True", mode="eval")))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return  # pandas says what is wrong
    for node in nodes:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow | ast.LShift):
            raise TrexError("a query has no powers here", "multiply instead", excerpt=query)
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        of = node.func.value
        if isinstance(of, ast.Attribute) and of.attr == "str" and node.func.attr not in _OF_TEXT:
            known = ", ".join(sorted(_OF_TEXT))
            raise TrexError(f"a query can't call .str.{node.func.attr}() here", f"one of {known}", excerpt=query)
        for part in ast.walk(node):
            pattern = part.value if isinstance(part, ast.Constant) else None
            if isinstance(pattern, str) and (
                len(_QUANTIFIER.findall(pattern)) > _MOST_QUANTIFIERS or _NESTED.search(pattern)
            ):
                raise TrexError(
                    "the pattern has too many repetitions", "use simpler ones, joined by and", excerpt=query
                )


TOOL = Tool(LayersArguments, "layers", run)
