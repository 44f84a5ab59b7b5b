"""The vocabulary: pure, frozen values that every stage shares. Nothing here reads, writes or judges."""
