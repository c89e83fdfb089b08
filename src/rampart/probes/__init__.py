"""Checks that an agent does what it should."""

from rampart.probes.behavior import BehaviorExecution
from rampart.probes.factory import Probes

__all__ = ["BehaviorExecution", "Probes"]
