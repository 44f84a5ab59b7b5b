"""Every byte that comes in: rows, documents, hashes, folders, links. Nothing here judges."""
