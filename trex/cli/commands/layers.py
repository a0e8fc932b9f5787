"""The layers of an engine as a table: choose rows, columns, order and format.

--query takes a pandas expression over the columns; names with dots need no quotes. attr.* columns depend on the type:
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

from dataclasses import dataclass

from trex.cli.command import Command
from trex.cli.inputs import EngineOptions, plan_of
from trex.cli.output import OutputOptions
from trex.core.options import count, option
from trex.views.document import Document


@dataclass(frozen=True, kw_only=True)
class LayersOptions(EngineOptions, OutputOptions):
    query: str = option("", "keep the rows for which this is true", flags=("-q",), metavar="EXPRESSION")
    type: str = option("", "only layers of this type, with their attr.* columns", flags=("-t",), metavar="TYPE")
    sort: str = option("", "order by this column: largest number or letter A first", flags=("-s",), metavar="COLUMN")
    top: int = option(
        -1, "the N slowest, or the first N in the order of --sort (0: none)", flags=("-n",), metavar="N", convert=count
    )
    columns: str = option("", "columns to show, separated by commas", flags=("-c",), metavar="NAMES")
    all_columns: bool = option(False, "show every column", flags=("-a",))


def run(options: LayersOptions) -> Document:
    from trex.plan.selection import layers_with, select_layers
    from trex.views.layers import layers_document

    plan = plan_of(options)
    columns = tuple(part.strip() for part in options.columns.split(",") if part.strip())
    top = options.top if options.top >= 0 else None
    rows = layers_with(plan, options.type, options.query, columns, options.sort)
    frame = select_layers(rows, options.query, top, columns, options.all_columns, options.sort)
    return layers_document(frame, plan)


COMMAND = Command(LayersOptions, run)
