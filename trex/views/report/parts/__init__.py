"""Parts of the report, one file each."""
