"""rampart.text."""
