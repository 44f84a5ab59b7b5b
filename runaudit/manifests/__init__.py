"""SHA-256 manifests: formats, parsing, comparing. Pure."""
