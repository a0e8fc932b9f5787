"""Find where a model became slower between two runs: the commit, the version, or the value of a label.

GOOD and BAD are ids of runs in the store, or their beginnings. The axis orders what lies between: commits along first
parents (git), versions, a sweep's label, or --values. Runs that the store has are used. Without --run, the command
names the next run to make; with it, it makes them: {value} is the value, {folder} an empty folder for the files of the
run. The command is no shell script: name one.

A command that exits with 125, fails, or leaves no run skips its value; the reason is in STORE/failures. Interrupt it
at any time: the same command goes on. --again also runs what was skipped.

The change is found with a probability of 99 %, given the spread between runs of one value (1 % until repeated runs show
it); values whose runs are unclear are repeated.

examples:
  trex bisect 3f2c1ab9 77e01d2c
  trex bisect 3f2c1ab9 77e01d2c --repository ../model --run "./measure.sh {value} {folder}"
  trex bisect 3f2c1ab9 77e01d2c --axis tensorrt --values 10.1 10.3 10.7 10.9 --run "./build.sh {value} {folder}"
  trex bisect 3f2c1ab9 77e01d2c --axis tensorrt --metric memory
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from trex.cli import console
from trex.cli.command import DONE, INCONCLUSIVE, USAGE_ERROR, Command
from trex.cli.output import OutputOptions
from trex.cli.stores import STORE_HELP, open_store
from trex.core.command_words import words_of
from trex.core.errors import TrexError
from trex.core.options import count, option
from trex.core.scratch_folder import scratch_folder
from trex.views.document import Document

if TYPE_CHECKING:
    from trex.store.bisect_runs import BisectRuns

SKIP = 125
"""The exit code by which a command skips a value, as git bisect run has it."""


@dataclass(frozen=True, kw_only=True)
class BisectOptions(OutputOptions):
    good: str = option(help="id of the good run")
    bad: str = option(help="id of the bad run")
    axis: str = option("commit", "commit, tensorrt, driver, made_at, or a label's name", metavar="AXIS")
    values: tuple[str, ...] = option((), "values of the axis, in order", metavar="VALUE", many=True)
    metric: str = option("", "what became worse (default: GPU compute, else latency)", metavar="NAME")
    run: str = option("", "make runs with this command: {value}, {folder}", metavar="COMMAND")
    most: int = option(50, "make at most N runs", metavar="N", convert=count)
    time_limit: int = option(0, "seconds for one run; 0: none", metavar="S", convert=count)
    again: bool = option(False, "also run values that were skipped")
    store: str = option("", STORE_HELP, metavar="FOLDER")
    repository: str = option(".", "the git repository of the commits", metavar="FOLDER")


def run(options: BisectOptions) -> tuple[Document, int]:
    from trex.store.bisect_runs import bisect_runs, culprit_causes, refusal
    from trex.store.storage import is_address
    from trex.views.bisect import bisect_document, has_other_order, is_answered

    words = words_of(options.run)
    if words and not any("{folder}" in word for word in words):
        raise TrexError("--run names no {folder} for the files of a run", '--run "./measure.sh {value} {folder}"')
    if not words and (options.most != BisectOptions.most or options.time_limit):
        raise TrexError("--most and --time-limit are for runs that --run makes", "trex bisect --help")
    store = open_store(options.store)
    if words and is_address(store.storage.where):
        raise TrexError("a store behind an address is read-only", "copy it to a folder first", store.storage.where)
    with console.patience("reading the store"):
        runs = bisect_runs(
            store, options.good, options.bad, options.axis, options.metric, options.values, options.repository
        )
        why_not = refusal(runs)
    if why_not:
        raise TrexError(f"nothing to bisect: {why_not}", "trex compare store:GOOD store:BAD")
    new_runs = _make_runs(runs, words, options) if words else 0
    with console.patience("comparing"):
        bisection = runs.bisection(again=options.again and not words)
        diff = culprit_causes(runs, bisection) if bisection.is_found else None
        subject = ""
        if options.axis == "commit" and bisection.is_found and len(bisection.culprits) == 1:
            from trex.store.run_order import commit_subject

            subject = commit_subject(runs.values[bisection.culprits[0]], options.repository)
        document = bisect_document(
            runs, bisection, diff, subject, new_runs, is_short=not options.shows_all, store=options.store
        )
    is_certain = is_answered(bisection, diff) and not has_other_order(runs)
    return document, DONE if is_certain else INCONCLUSIVE


def _make_runs(runs: BisectRuns, words: list[str], options: BisectOptions) -> int:
    """Runs one value after the other; returns how many were made."""
    count = 0
    retried: set[str] = set()
    for _ in range(options.most):
        bisection = runs.bisection(again=options.again)
        candidates = bisection.next
        if candidates is None or runs.values[candidates] in retried:
            break
        value = runs.values[candidates]
        console.complain(f"run {count + 1}: {options.axis} {value} ({100.0 * bisection.confidence:.0f} % sure before)")
        reason = _make_run(runs, words, value, options.time_limit)
        if reason:
            console.complain(f"skipped {value}: {reason}")
            if options.again:
                retried.add(value)
        else:
            count += 1
    return count


def _make_run(runs: BisectRuns, words: list[str], value: str, time_limit: int) -> str:
    """Makes and adds one run; returns why its value was skipped, "" if it was not."""
    from trex.capture.child import run_child

    with scratch_folder() as parent:
        folder = Path(parent) / "run"
        folder.mkdir()
        command = [word.replace("{value}", value).replace("{folder}", str(folder)) for word in words]
        child = run_child(command, Path(parent) / "log", time_limit_s=time_limit or None)
        child.pass_signal_on()
        reason = f"stopped after {time_limit} s" if child.stopped_by else _failure(child.exit_code)
        if not reason:
            try:
                runs.add(folder, value)
            except TrexError as error:
                reason = error.message
        if reason:
            runs.skip(value, reason, child.last_lines)
        return reason


def _failure(code: int) -> str:
    if code == SKIP:
        return "the command skips it (exit code 125)"
    return f"the command failed (exit code {code})" if code else ""


COMMAND = Command(
    BisectOptions, run, exit_codes=f"0 found · {USAGE_ERROR} usage or input error · {INCONCLUSIVE} not found yet"
)
