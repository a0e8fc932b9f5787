"""trtexec: where it is, what it takes, how it is run."""
