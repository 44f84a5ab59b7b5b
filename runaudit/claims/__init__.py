"""Claims of a card: quantities, statements, evaluation. Pure."""
