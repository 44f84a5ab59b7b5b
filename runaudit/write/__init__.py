"""Everything that goes out: atomic replacement of one document."""
