"""Checks that an agent does what it should."""

from rampart.probes.behavior import BehaviorExecution
from rampart.probes.consistency import ConsistencyExecution
from rampart.probes.factory import Probes
from rampart.probes.look_alike import LookAlike, shipped_look_alikes
from rampart.probes.over_refusal import OverRefusalExecution
from rampart.probes.variant import Variant, VariantKind
from rampart.probes.variant_writer import Variants

__all__ = [
    "BehaviorExecution",
    "ConsistencyExecution",
    "LookAlike",
    "OverRefusalExecution",
    "Probes",
    "Variant",
    "VariantKind",
    "Variants",
    "shipped_look_alikes",
]
