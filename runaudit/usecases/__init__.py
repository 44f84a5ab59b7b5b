"""The library functions behind the commands; they join the stages."""
