"""What decides which message the agent gets next."""

from rampart.drivers.static import StaticDriver

__all__ = ["StaticDriver"]
