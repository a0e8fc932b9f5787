"""Documents of certain commands → formats of other tools, one format a file."""
