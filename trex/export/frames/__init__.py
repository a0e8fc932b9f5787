"""DataFrame → bytes — one file, one format; ``trex layers --format`` lists them."""
