"""Pure rules: observations in, findings out; the registry of findings; levels and their configuration."""
