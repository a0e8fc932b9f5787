"""Memory: what an engine must hold while it runs, and what it stores."""
