"""What trtexec prints once in a run → whether another run wrote into its log at the same time."""

from __future__ import annotations

from dataclasses import dataclass

BUILT = "Engine built in "
OPTIONS, SUMMARY = "=== Model Options ===", "=== Performance summary ==="


@dataclass(slots=True)
class SingleRun:
    """Takes its events in order. command: with which it began, "" if unknown, None without a sign of trtexec.

    release: of TensorRT by its first banner, "" if unknown. ended: the command of its closing banner, None without one.
    """

    command: str | None = None
    release: str = ""
    ended: str | None = None
    is_mixed: bool = False
    _is_built: bool = False
    _has_summary: bool = False
    _is_followed: bool = False

    def message(self) -> None:
        """Any line of TensorRT or trtexec."""
        self._is_followed = self.ended is not None

    def built(self) -> None:
        """A script may print it again after the end, or of several engines without trtexec."""
        if self.command is not None and self.ended is None:
            self.is_mixed |= self._is_built
            self._is_built = True

    def summary(self) -> None:
        self.is_mixed |= self._has_summary or self.ended is not None
        self._has_summary = True

    def end(self, command: str, release: str) -> bool:
        """Whether this closing banner is of a run: a script may print it again, with no message before it."""
        if self.ended == command and not self._is_followed:
            return False
        self.is_mixed |= self.ended is not None or not _is_one_command(self.command or "", command)
        self.is_mixed |= bool(self.release and release) and self.release != release
        self.ended = command
        return True


def _is_one_command(begun: str, ended: str) -> bool:
    """A terminal or a service may have cut either line."""
    return begun.startswith(ended) or ended.startswith(begun)
