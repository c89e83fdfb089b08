"""What `AdapterConformance` checks, one question a function."""
