"""Fakes for the tests of others, and checks that users run on their own adapters."""

from rampart.testing.adapter_conformance import AdapterConformance
from rampart.testing.conformance_outcome import ConformanceError
from rampart.testing.script import HANG, ScriptExhaustedError
from rampart.testing.scripted_agent import ScriptedAgent
from rampart.testing.scripted_chat_model import ChatCall, ScriptedChatModel
from rampart.testing.surface_conformance import SurfaceConformance

__all__ = [
    "HANG",
    "AdapterConformance",
    "ChatCall",
    "ConformanceError",
    "ScriptExhaustedError",
    "ScriptedAgent",
    "ScriptedChatModel",
    "SurfaceConformance",
]
