"""Loopback servers and proxies that surfaces, adapters and fixtures share."""
