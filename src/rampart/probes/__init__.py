"""rampart.probes."""
