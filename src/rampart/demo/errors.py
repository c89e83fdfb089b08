"""What can keep the demo from using a real model."""

from rampart.core.errors import ConfigurationError


class ModelUnavailableError(ConfigurationError):
    """The model that the demo would use by itself cannot be had here; the scripted one can stand in.

    A model that the user named and that cannot be used is a plain `ConfigurationError`: nothing may stand
    in for it unasked.
    """
