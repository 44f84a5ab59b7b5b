"""Composes documents and encodes their canonical bytes. Pure."""
