"""The layers of an engine as a table: choose rows, columns, order and format.

--query takes a pandas expression over the columns; names with dots need no quoting. attr.* columns differ by type:
--type shows those of one type, --columns and --query take any of them.

examples:
  trex layers out/ --top 10
  trex layers out/ --query "type == 'Reformat' and latency.pct_time > 1"
  trex layers out/ --query "Name.str.contains('layer1') and attr.groups == 1" --sort attr.macs
  trex layers out/ --query "attr.kernel == (7, 7) and attr.stride != (1, 1)"
  trex layers out/ --columns Name,type,precision,latency.avg_time --format markdown
  trex layers out/ --all-columns --output layers.parquet
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trex.cli.command import Command
from trex.core.options import count, option

if TYPE_CHECKING:
    import pandas as pd


def formats() -> Sequence[str]:
    from trex.export.frame import FORMATS

    return FORMATS.known_names


@dataclass(frozen=True)
class Options:
    path: str = option(help="any file of the engine, a stem, a folder, a .tea archive, or example:NAME")
    query: str = option("", "keep the rows for which this expression holds", flags=("-q",), metavar="EXPRESSION")
    type: str = option("", "only layers of this type, with their attr.* columns", flags=("-t",), metavar="TYPE")
    sort: str = option(
        "", "order by this column: numbers from the largest, text from A", flags=("-s",), metavar="COLUMN"
    )
    top: int = option(
        -1,
        "keep the N slowest, or the first N in the order of --sort (default: all; 0: only the columns)",
        flags=("-n",),
        metavar="N",
        convert=count,
    )
    columns: str = option("", "comma-separated columns to show", flags=("-c",), metavar="NAMES")
    all_columns: bool = option(False, "show every column", flags=("-a",))
    format: str = option("", "how to write them (default: table)", flags=("-f",), choices=formats)
    output: str = option("", "write to this file; its ending chooses the format", flags=("-o",), metavar="FILE")
    profiling_json: str = option(
        "",
        "the layer profile, when it is not beside the graph",
        flags=("-pj", "--profiling_json"),
        metavar="FILE",
    )
    profile_id: int = option(-1, "optimization profile to show (default: the first)", metavar="N", convert=count)


def run(options: Options) -> int:
    import sys

    from trex.cli import console
    from trex.cli.inputs import load_plan
    from trex.core.errors import TrexError
    from trex.export.frame import FORMATS, write_frame
    from trex.export.text_table import table_lines
    from trex.plan.selection import select_layers
    from trex.views.frame_table import frame_table

    format_ = FORMATS.chosen(options.format).value if options.format else None
    if format_ and not format_.is_text and not options.output and console.is_terminal(sys.stdout):
        raise TrexError(f"{options.format} is not for reading on a terminal", "--output FILE, or > FILE")
    plan = load_plan(options.path, options.profiling_json, options.profile_id)
    columns = tuple(name.strip() for name in options.columns.split(",") if name.strip())
    frame = select_layers(
        _rows(plan, options, columns),
        options.query,
        options.top if options.top >= 0 else None,
        columns,
        options.all_columns,
        options.sort,
    )
    if options.output:
        console.say(str(write_frame(frame, options.output, options.format or None)))
    elif format_ is None or options.format == "table":
        console.show(table_lines(frame_table(frame), console.width()))
    else:
        console.write_bytes(format_.render(frame))
    console.warn(plan.notes)
    return 0


def _rows(plan: Any, options: Options, columns: tuple[str, ...]) -> pd.DataFrame:
    from trex.plan.selection import layers_of_type, needs_attributes, with_attributes

    if options.type:
        return layers_of_type(plan, options.type)
    if needs_attributes(options.query, columns, options.sort):
        return with_attributes(plan.df, plan.layers, plan.times)
    return plan.df


COMMAND = Command(Options, run)
