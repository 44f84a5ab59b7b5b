"""Harbor job folders: names, documents, and the rules that only hold there."""
