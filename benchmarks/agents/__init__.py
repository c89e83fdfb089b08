"""Agents of the frameworks whose adapters are measured."""
