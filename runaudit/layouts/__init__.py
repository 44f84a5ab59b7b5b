"""Knowledge of producers, one sub-package each."""
