"""rampart.reporting."""
