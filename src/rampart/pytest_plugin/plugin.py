"""The pytest plugin of rampart."""
