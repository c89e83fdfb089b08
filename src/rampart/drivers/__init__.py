"""rampart.drivers."""
