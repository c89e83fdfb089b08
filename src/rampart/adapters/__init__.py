"""rampart.adapters."""
