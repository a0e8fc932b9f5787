"""Settings of lint and compare: the file that ``--config`` names, else the nearest trex.toml or pyproject.toml."""

from __future__ import annotations

from trex.core.configuration import CompareConfiguration, LintConfiguration

CONFIG_HELP = "settings (default: the nearest trex.toml or pyproject.toml)"


def lint_settings(path: str = "") -> LintConfiguration:
    """For every command that shows findings. Raises TrexError for a file that cannot be read or understood."""
    from trex.ingest.config_toml import find_configuration, read_configuration

    file = path or find_configuration()
    return read_configuration(file) if file else LintConfiguration()


def compare_settings(path: str = "") -> CompareConfiguration:
    """For every command that compares. Raises TrexError for a file that cannot be read or understood."""
    from trex.ingest.config_toml import find_configuration, read_compare_configuration

    file = path or find_configuration()
    return read_compare_configuration(file) if file else CompareConfiguration()


def baselines_folder(folder: str = "", path: str = "") -> str:
    """The folder of kept runs: as asked, else as configured, else ``baselines`` in the working directory."""
    from trex.plan.baselines import FOLDER

    return folder or compare_settings(path).baselines or FOLDER
