"""Where the engines of a site come from, one file each."""
