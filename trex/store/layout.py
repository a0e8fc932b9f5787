"""Where everything is in a store: relative paths, and the file that says what kind of store it is.

    store.json                                          format and writer
    runs/ID/run.json                                    facts of one run, names and hashes of its files
    artifacts/AB/SHA256.zst                             each file once, compressed
    tables/TABLE/date=YYYY-MM-DD/device=GPU/ID.parquet  rows of one run
    tables/TABLE/compacted/NAME.parquet                 rows of many runs, by ``trex store compact``
    tables/compacted/NAME.json, NAME.ids                which files these are, and which runs they contain
    jobs/AB/JOB KEY/REPETITION-ID                       empty: which run a job has
    removed/ID                                          empty: a removed run, whose rows may be in compacted files;
                                                        ``lost``: a repair found the run without its manifest

Every file is written once and gets its name when it is complete.
"""

from __future__ import annotations

import json
import os
import re
from datetime import datetime, timezone
from typing import Any

from trex.core.baseline_key import word
from trex.core.errors import TrexError
from trex.store.run import StoredRun

FORMAT = 1
STORE_FILE = "store.json"
FOLDERS = RUNS, ARTIFACTS, TABLES, JOBS, REMOVED = "runs", "artifacts", "tables", "jobs", "removed"
COMPACTED = "compacted"
DAMAGED = "damaged"
"""Where a repair moves damaged files, under their own paths."""
LOST = b"lost\n"
"""In the mark of a run that a repair left out: it counts again once its manifest is there again."""
UNKNOWN_DEVICE = "unknown"
ID = re.compile(r"[0-9a-f]{16}")
SHA256 = re.compile(r"[0-9a-f]{64}")


def is_of_store(path: str, root: str) -> bool:
    """Whether a path is one of those that a store in ``root`` writes."""
    below = os.path.relpath(os.path.realpath(path), os.path.realpath(root))
    return below.partition(os.sep)[0] in (STORE_FILE, *FOLDERS)


def run_file(run_id: str) -> str:
    return f"{RUNS}/{run_id}/run.json"


def artifact_file(sha256: str) -> str:
    return f"{ARTIFACTS}/{sha256[:2]}/{sha256}.zst"


def partition(run: StoredRun) -> str:
    """``date=2026-11-25/device=a100-sxm4-40gb``: of the day when it was run, else added."""
    time = run.made_at or run.added_at
    day = "unknown" if time is None else f"{time:%Y-%m-%d}"
    return f"date={day}/device={word((run.gpu or '').lower().replace('nvidia', '')) or UNKNOWN_DEVICE}"


def table_file(table: str, part: str, run_id: str) -> str:
    return f"{TABLES}/{table}/{part}/{run_id}.parquet"


def job_folder(job_key: str) -> str:
    """The key is a hash; another word is made one, so that it can't be a path."""
    from hashlib import sha256

    key = job_key if SHA256.fullmatch(job_key) else sha256(job_key.encode()).hexdigest()
    return f"{JOBS}/{key[:2]}/{key}"


def store_document() -> str:
    from trex import __version__

    return json.dumps({"format": FORMAT, "written_by": f"trex {__version__}"}) + "\n"


def check_format(content: bytes, where: str) -> None:
    """Raises TrexError for a store of a newer trex, and for anything else that is no store."""
    try:
        document: Any = json.loads(content)
        number = document["format"]
    except (ValueError, KeyError, TypeError, RecursionError):
        number = None
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise TrexError("this is not the file of a run store", "trex store add FOLDER creates a store", where)
    if number > FORMAT:
        writer = str(document.get("written_by", "a newer trex"))[:80]
        message = f"the store has format {number}, written by {writer}; this trex reads formats up to {FORMAT}"
        raise TrexError(message, "pip install -U tensorrt-engine-explorer", where)


def utc_now() -> datetime:
    """Without a time zone, in whole milliseconds, as the tables have it."""
    now = datetime.now(timezone.utc).replace(tzinfo=None)
    return now.replace(microsecond=now.microsecond // 1000 * 1000)
