"""The layers of an engine as a table: choose rows, columns, order and format.

--query takes a pandas expression over the columns; names with dots need no quoting.

examples:
  trex layers out/ --top 10
  trex layers out/ --query "type == 'Reformat' and latency.pct_time > 1"
  trex layers out/ --columns Name,type,precision,latency.avg_time --format markdown
  trex layers out/ --all-columns --output layers.parquet
"""

from __future__ import annotations

from dataclasses import dataclass

from trex.cli.command import Command
from trex.core.options import option


@dataclass(frozen=True)
class Options:
    path: str = option(help="any file of the engine, a stem, a folder, a .tea archive, or example:NAME")
    query: str = option("", "keep the rows for which this expression holds", flags=("-q",), metavar="EXPRESSION")
    top: int = option(0, "keep the N slowest layers, slowest first", flags=("-n",), metavar="N")
    columns: str = option("", "comma-separated columns to show", flags=("-c",), metavar="NAMES")
    all_columns: bool = option(False, "show every column")
    type: str = option("", "only layers of this type, with their attr.* columns", metavar="TYPE")
    format: str = option("", "how to write them", choices=("table", "csv", "json", "parquet", "markdown"))
    output: str = option("", "write to this file; its ending chooses the format", flags=("-o",), metavar="FILE")
    profiling_json: str = option("", "the layer profile, when it is not beside the graph", flags=("-pj",))
    profile_id: int = option(-1, "optimization profile to show (default: the first)", metavar="N")


def run(options: Options) -> int:
    from trex.cli import console
    from trex.cli.inputs import load_plan
    from trex.export.frame import FORMATS, write_frame
    from trex.plan.selection import select_layers
    from trex.views.frame_table import frame_table

    plan = load_plan(options.path, options.profiling_json, options.profile_id)
    frame = plan.get_layers_by_type(options.type) if options.type else plan.df
    columns = tuple(name.strip() for name in options.columns.split(",") if name.strip())
    frame = select_layers(frame, options.query, options.top, columns, options.all_columns)
    if options.output:
        console.say(str(write_frame(frame, options.output, options.format or None)))
    elif options.format in ("", "table"):
        console.show_table(frame_table(frame))
    else:
        console.write_bytes(FORMATS[options.format].value.render(frame))
    return 0


COMMAND = Command(Options, run)
