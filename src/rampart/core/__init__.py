"""rampart.core."""
