"""Libraries that can copy, multiply and time on a GPU: one library, one file."""
