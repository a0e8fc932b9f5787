"""What can make layers belong together; one file, one grouping."""
