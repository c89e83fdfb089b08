"""rampart.statistics."""
