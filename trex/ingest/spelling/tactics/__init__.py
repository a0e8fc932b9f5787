"""Grammar of kernel names; each file of ``families`` decodes one family of names."""
