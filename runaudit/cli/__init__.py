"""The command line: options, exit codes, printing. The only place that knows click."""
