"""rampart.evaluators."""
