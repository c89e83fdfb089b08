"""rampart.pytest_plugin."""
