"""Charts, one file each: what a person sees of an engine at a glance."""
