"""Build logs: what TensorRT's builder timed, chose and skipped, and how long it took, from a verbose log.

NVIDIA's TREx has no such module.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from trex.builder.tactic_changes import TacticChanges
from trex.builder.tactics import Tactics
from trex.export.document_view import DocumentView
from trex.views.document import Document

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["BuildTactics", "ChangedTactics", "tactics", "write_example_log"]


class BuildTactics(DocumentView, Tactics):
    """``.df`` (every timed tactic), ``.choices``, ``.ties(within=0.02)``, ``.by_precision``, ``.skipped``,
    ``.fusions``, ``.build_time``, ``.phases``, ``.builds``, ``.story(node)``, ``.join(plan)``, ``.notes``.

    Frames are copies. Times are in milliseconds, durations in seconds, sizes in bytes; unknown is NaN, None or "".
    """

    @property
    def document(self) -> Document:
        """What ``trex tactics`` shows, with all rows."""
        from trex.views.tactics import tactics_document

        return tactics_document(self, top=_ALL)

    def candidates(self, layer: str, build: int | None = None) -> pd.DataFrame:
        """Rows of ``.df`` of one layer, or of one operation of Myelin, by time within each combination of formats.

        Empty if nothing of that name was timed. build: index of the build in the log, by default the last.
        """
        build = self.log.last_build if build is None else build
        rows: pd.DataFrame = self.df
        rows = rows[(rows["build"] == build) & ((rows["layer"] == layer) | (rows["operation"] == layer))]
        ordered: pd.DataFrame = rows.sort_values(["group", "time_ms"], kind="stable").reset_index(drop=True)
        return ordered

    def compare(self, new: Tactics, build: int | None = None, new_build: int | None = None) -> ChangedTactics:
        """Which choices differ in another log: ``.changes`` (a frame), ``.ties``, ``.words``, ``.input_differences``.

        build, new_build: indexes of the builds, by default the last; the two of one log can be compared, too.
        """
        return ChangedTactics(self, new, build, new_build)

    def __str__(self) -> str:
        """As the command shows it without -v."""
        from trex.export.document import RenderStyle, render_document
        from trex.views.tactics import tactics_document

        document = tactics_document(self, is_short=True)
        return render_document(document, "text", RenderStyle(verbose=False)).decode("utf-8")

    def __repr__(self) -> str:
        timings = len(self.log.times) + len(self.log.myelin_times)
        return f"BuildTactics({self.source!r}, builds={len(self.log.builds)}, timed={timings})"


class ChangedTactics(DocumentView, TacticChanges):
    """Two builds: ``.changes`` is one row per changed choice, ``.is_same``, ``.words`` the answer."""

    @property
    def document(self) -> Document:
        """What ``trex tactics A B`` shows, with all rows."""
        from trex.views.tactic_changes import tactic_changes_document

        return tactic_changes_document(self, top=_ALL)

    def __repr__(self) -> str:
        return f"ChangedTactics({self.words!r})"


def tactics(path: str | os.PathLike[str]) -> BuildTactics:
    """What the builder did, from a verbose log, or from the build log among an engine's files (a folder, ``.tea``).

    Memory is about 50 bytes for each timed tactic, and more for each frame that is used. Raises TrexError without the
    log of a build, and for a folder of several engines.
    """
    from trex.builder.loading import load_tactics

    return BuildTactics(load_tactics(path).log)


def write_example_log(path: str | os.PathLike[str]) -> str:
    """Writes a small verbose log to try ``tactics`` and the report on; returns its path.

    Made by trex after the wording of TensorRT 10.16: no engine was built, and its times are invented.
    """
    from trex.core.whole_file import write_whole
    from trex.examples.verbose_log import verbose_log

    return str(write_whole(path, "".join(verbose_log())))


_ALL = 1 << 30
