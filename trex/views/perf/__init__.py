"""Reading of performance → sections of text and tables."""
