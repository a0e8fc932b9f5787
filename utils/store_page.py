"""The declared tables of a store → the page on run stores."""

from __future__ import annotations

from collections.abc import Iterator

from trex.store import layout
from trex.store.columns import TABLES, StoreTable

INTRODUCTION = """\
# A store of runs

One engine is a folder; a fleet is thousands of them. A store keeps every run: its facts, its files, and tables that
answer SQL. It is a plain folder, so it lives on a disk, in git-annex (unlocked), or in a bucket.

```text
pip install 'tensorrt-engine-explorer[store]'
trex store add out/ --label branch=main --commit $(git rev-parse HEAD)
trex store list
trex store query "SELECT tensorrt, min(gpu_compute_ms) FROM runs WHERE model = 'resnet18' GROUP BY ALL"
```

```python
import trex

store = trex.Store("trex-store")
store.runs  # also .layers, .tactics, .samples, .findings: DataFrames
store.sql("SELECT type, sum(time_ms) AS ms FROM layers GROUP BY type ORDER BY ms DESC")
store.plan("3eb62b9f")  # the engine's plan, as of trex.load
store.add("out/", labels={"branch": "main"})
```

## Add runs

`trex store add PATH…` takes what every command takes: a folder, any file of an engine, a stem, a `.tea` archive,
`example:NAME`. It also takes a folder of another machine, `user@host:folder` (through `ssh` and `tar`; trex need not be
there: `trex collector` writes such folders), and fsspec addresses (`s3://bucket/engines`). `--recursive` adds every
engine below a folder; `--jobs N` reads with N processes. What can't be read is listed with its error, and the others
are added; the exit code is then 1.

- **A run is added once.** Its id is a hash of its files, labels, commit, job and repetition, so adding the same folder
  again adds nothing. The same files under another label or commit are another run, whose files are stored once.
- **Engines and models are not stored**, only their SHA-256 and size, unless you ask for it with `--keep-binaries`.
- **`model`** is the engine's name in lower case without endings, or `--model NAME`. `made_at` is when the run ended, by
  the `manifest.json` of `trex process`, else the time of the newest file (`made_at_from` says which).
- Facts are those that `trex summary` and `trex lint` print of the engine. Unknown is null, never 0, and sums skip it.

## Ask

`trex store query SQL` and `store.sql(…)` run one SELECT with [DuckDB](https://duckdb.org/docs/stable/sql/introduction).
It can't write, read other files, load extensions or reach the network. `-o FILE` writes CSV, JSON, Parquet or a
workbook. Labels and options are maps: `labels['branch']`.

```sql
-- What did the last TensorRT release change, model by model?
SELECT model, tensorrt, median(gpu_compute_ms) AS ms FROM runs WHERE gpu LIKE '%A100%' GROUP BY ALL ORDER BY ALL;

-- Which layers became slower on main?
SELECT l.name, r.commit, l.time_ms FROM layers l JOIN runs r USING (id)
WHERE r.model = 'resnet18' AND l.model = 'resnet18' AND r.labels['branch'] = 'main' ORDER BY l.name, r.made_at;

-- What would fixing the usual findings save over all models?
SELECT code, title, count(DISTINCT model) AS models, sum(likely_savings_ms) AS ms
FROM findings GROUP BY ALL ORDER BY ms DESC;
```

The tables are Parquet files; other programs (pandas, Polars, Spark) read them, too: those below
`tables/TABLE/compacted/`, and those of single runs below `tables/TABLE/date=…/device=…/`. A run that is in both counts
once, and those named in `removed/` don't count.

## Tables

Times are in UTC. Columns of a later trex are null in rows that an earlier one wrote.
"""

REST = """\
## Sync, copy, share

Every file is written once, under a temporary name, and is renamed when it is complete; none is changed later. So
several machines may add runs at the same time, `rsync`, `git-annex` (unlocked: queries follow no links) or `aws s3
sync` may copy a store at any time, and two copies may be merged by copying one over the other.

- `trex store export FILE` writes all runs, and which jobs of sweeps failed, or only `--run RUN…`, into one tar archive;
  `trex store import FILE` adds them to another store. `import` also takes another store: a folder, an address,
  `user@host:STORE`. It checks the files of every run by their hashes and makes the tables anew, with the facts of the
  manifests.
- Ports, keys and hops of `user@host` belong in `~/.ssh/config`. ssh asks nothing, so the host's key must be known. A
  folder without `store.json` is refused before anything is sent. Tried with OpenSSH 9.2 and GNU tar 1.34 on one
  machine: import, a second import, `add`; a missing folder, one that is no store, an unknown and a changed host key, a
  refused key, a closed port, an unknown name: errors within a second; a host that does not answer: 20 s, one that falls
  silent in the middle: 60 s.
- `trex store list --store s3://bucket/store` reads a store behind any fsspec address, without writing.
- Clocks of several machines may disagree. `added_at` is the writer's clock. A note says so where runs seem to be added
  in the future or made after they were added: order by commit or version then.

## Compact, check, clean

{actions}

A writer that is killed leaves no run, or a whole one: the row in `runs` is written last. A full disk ends the command
with an error; what it left counts nowhere, `fsck` names it, and adding the run again completes it. A store of a newer
format is refused.

## How fast, how large

Measured with `python -m tests.benchmarks --only store` on two busy cores, with rows of 18 real engines many times over
(100 000 runs, 6.3 million layers), after a compaction:

{times}

These 18 runs take 125 kB of compressed files each, most of them per-query times, and 42 kB of tables before a
compaction.

A million runs, on paper: 125 GB of files. One process adds six runs a second, so 100 GPUs that finish a run every
minute need one. The list of ids is 17 MB, read only while some runs are not compacted or are removed. A compaction
rewrites all tables: compact once a day, or keep one store a year. DuckDB reads only the row groups of a model, so its
history hardly depends on the number of other models. Measured with a million rows of runs, without layers: a list takes
0.25 s of processor time, all runs of a model 0.05 s.

## Files
"""


ACTIONS = (
    (
        "`trex store compact`",
        "Merges the files of single runs into one per table, sorted by model and time. Do it after many runs were "
        "added: lists say so above 500 single runs. Readers and writers may go on meanwhile. Merges no damaged file.",
    ),
    (
        "`trex store fsck`",
        "Reads every file and names what is damaged or missing: every file has a hash, tables in their own metadata. "
        "`--quick` skips the runs' files.",
    ),
    (
        "`trex store fsck --repair`",
        "Moves damaged files to `damaged/` and makes rows again: a run's facts from its manifest `run.json`, the rest "
        "from its files. A manifest has a hash of itself: one that was changed is damaged. A missing file of a run "
        "comes back when its folder is added again, and so does a run whose manifest is damaged or missing: it is "
        "named as lost, with exit code 1, and left out. If a sync brings the manifest later, the next repair makes its "
        "rows again.",
    ),
    ("`trex store rm RUN…`", "Removes runs. Their files stay."),
    (
        "`trex store gc`",
        "Removes files that no run needs, and what killed writers left, if older than `--grace` hours (24; fewer take "
        "files from a writer at work); none while "
        "a manifest is damaged or missing, also of a run that a repair left out.",
    ),
)
TIMES = (
    ("`trex store list`", "0.07 s; 0.3 s of processor time with the start of Python"),
    ("all runs of a model", "0.003 s; with all of its layers 0.03 s"),
    ("time by type over all layers", "0.1 s; by GPU and type 0.2 to 0.7 s"),
    ("add a run", "0.08 to 0.17 s (63 layers on average); 0.02 s of processor time for two layers; 0.01 s if known"),
    ("compact", "0.004 s of processor time a run, and 0.0015 s to check its files"),
    ("a query before a compaction", "0.001 s a run"),
)


def store_page() -> str:
    rest = REST.format(actions=_rows(("command", "what it does"), ACTIONS), times=_rows(("question", "time"), TIMES))
    return "\n".join([INTRODUCTION, *map(_table, TABLES.values()), rest, *_files()])


def _rows(heading: tuple[str, str], rows: tuple[tuple[str, str], ...]) -> str:
    return "\n".join(f"| {first} | {second} |" for first, second in (heading, ("---", "---"), *rows))


def _table(table: StoreTable) -> str:
    rows = (f"| `{column.name}` | {column.type} | {column.unit} | {column.meaning} |" for column in table.columns)
    heading = f"### {table.name}\n\nOne row is {table.meaning}.\n"
    return "\n".join([heading, "| column | type | unit | meaning |", "| --- | --- | --- | --- |", *rows, ""])


def _files() -> Iterator[str]:
    """The drawing of the folder in the docstring of its module."""
    drawing = (layout.__doc__ or "").partition("\n\n")[2].partition("\n\n")[0]
    yield "```text"
    yield from (line.removeprefix("    ").replace("``", "`") for line in drawing.splitlines())
    yield "```"
