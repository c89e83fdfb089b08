"""rampart.cli."""
