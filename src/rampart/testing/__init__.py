"""Fakes for the tests of others, and checks that users run on their own adapters."""

from rampart.testing.script import HANG, ScriptExhaustedError
from rampart.testing.scripted_agent import ScriptedAgent
from rampart.testing.scripted_chat_model import ChatCall, ScriptedChatModel

__all__ = ["HANG", "ChatCall", "ScriptExhaustedError", "ScriptedAgent", "ScriptedChatModel"]
