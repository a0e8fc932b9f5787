"""Functions and their arguments → results of worker processes, which leave signals to the process that started them."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from multiprocessing import active_children, get_context, parent_process
from typing import Any, TypeVar

from trex.core.errors import TrexError
from trex.core.held_signals import signals_held
from trex.core.python_child import keep_workers_out

_LONGEST_END_S = 3.0

_Result = TypeVar("_Result")


def in_processes(work: Callable[..., _Result], calls: Sequence[tuple[Any, ...]], count: int) -> Iterator[_Result]:
    """``work(*arguments)`` for each call, in their order. count: of processes.

    What ends this process ends them, with their unfinished files removed; after a kill of it they end, too. Raises
    TrexError if one of them is killed.
    """
    before = set(active_children())
    ended = ExitStack()
    try:
        with starting_children():
            # A fork would copy the threads of DuckDB.
            pool = ProcessPoolExecutor(count, get_context("spawn"), initializer=_begin)
            # The pool cancels what is left itself: a future that others cancel makes its thread print a traceback.
            ended.callback(pool.shutdown, cancel_futures=True)
            results = [pool.submit(_worked, work, arguments) for arguments in calls]
        for result in results:
            yield result.result()
    except BrokenProcessPool:
        hint = "there may be too little memory: fewer processes"
        raise TrexError("a process was ended from outside", hint) from None
    except BaseException:
        for worker in set(active_children()) - before:
            worker.terminate()
        raise
    finally:
        ended.close()


@contextmanager
def starting_children() -> Iterator[None]:
    """Processes of Python that start inside ``with`` get neither Ctrl-C nor a hang-up of the terminal, from their first
    step on: who started them ends them. Threads that start inside hand it on. Signals of this process wait.
    """
    keep_workers_out()
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    from multiprocessing import resource_tracker

    ours = {signal.SIGINT, signal.SIGHUP}
    with signals_held():
        before = signal.pthread_sigmask(signal.SIG_BLOCK, ours)
        try:
            resource_tracker.ensure_running()  # which lets signals through before Python 3.12
            signal.pthread_sigmask(signal.SIG_BLOCK, ours)
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end(_number: int, _frame: Any) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(128 + signal.SIGTERM)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(_LONGEST_END_S)
        os._exit(1)


def _worked(work: Callable[..., _Result], arguments: tuple[Any, ...]) -> _Result:
    try:
        signal.signal(signal.SIGTERM, _end)
        return work(*arguments)
    except SystemExit as end:  # a pool would take it for a result, and go on
        os._exit(end.code if isinstance(end.code, int) else 1)
    finally:  # between two there is nothing to remove, and the pool would print the exception
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
