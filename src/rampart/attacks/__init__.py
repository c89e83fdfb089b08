"""Attacks: checks that an agent cannot be made to do what it must not."""

from rampart.attacks.factory import Attacks
from rampart.attacks.xpia import XPIAExecution

__all__ = ["Attacks", "XPIAExecution"]
