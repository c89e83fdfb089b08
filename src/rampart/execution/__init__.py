"""rampart.execution."""
