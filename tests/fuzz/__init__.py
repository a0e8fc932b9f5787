"""Strange input: the doors it comes in by, mutations that make it, and a coverage-guided fuzzer over all readers."""
