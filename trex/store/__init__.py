"""Wing: runs on disk, as manifests, compressed files and Parquet tables that DuckDB reads."""
