"""Document → content of a file, one format a file; ``--format`` and the ending of ``--output`` choose."""
