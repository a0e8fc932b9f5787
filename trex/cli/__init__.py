"""Floor 7 — the command line: options in, words and files out, an exit code at the end."""
