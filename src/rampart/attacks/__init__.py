"""Attacks: checks that an agent cannot be made to do what it must not."""

from rampart.attacks.adaptation import Adaptation
from rampart.attacks.crescendo import CrescendoExecution
from rampart.attacks.direct import PromptExecution
from rampart.attacks.factory import Attacks
from rampart.attacks.goat import GoatExecution
from rampart.attacks.memory import MemoryExecution
from rampart.attacks.pair import PairExecution
from rampart.attacks.recall import Recall
from rampart.attacks.tap import TapExecution
from rampart.attacks.xpia import XPIAExecution
from rampart.core.budget import Budget

__all__ = [
    "Adaptation",
    "Attacks",
    "Budget",
    "CrescendoExecution",
    "GoatExecution",
    "MemoryExecution",
    "PairExecution",
    "PromptExecution",
    "Recall",
    "TapExecution",
    "XPIAExecution",
]
