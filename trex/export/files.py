"""Picture → file, whole or not at all: the name by which the exporters know it."""

from trex.core.whole_file import write_whole as write_file

__all__ = ["write_file"]
