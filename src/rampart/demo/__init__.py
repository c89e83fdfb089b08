"""rampart.demo."""
