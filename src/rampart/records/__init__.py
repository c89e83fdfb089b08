"""rampart.records."""
