"""pytest-native testing of how AI agents behave."""
