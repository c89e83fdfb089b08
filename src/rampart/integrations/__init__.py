"""Bridges to libraries that people use beside rampart; each is imported by its own name."""
