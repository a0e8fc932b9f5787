"""The patterns of building blocks: a file is a family of them."""
