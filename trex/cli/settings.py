"""The user's settings of the advisor: those that ``--config`` names, else the nearest trex.toml or pyproject.toml."""

from __future__ import annotations

from trex.core.configuration import LintConfiguration


def lint_settings(path: str = "") -> LintConfiguration:
    """For every command that shows findings. Raises TrexError for a file that cannot be read or understood."""
    from trex.ingest.config_toml import find_configuration, read_configuration

    file = path or find_configuration()
    return read_configuration(file) if file else LintConfiguration()
