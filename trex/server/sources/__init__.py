"""Where the listed engines come from, one file each: root → its entries, none if it has none of that kind."""
