"""rampart.testing."""
