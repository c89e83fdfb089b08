"""Detectors: each says whether a condition was seen in a trace, never whether that is good or bad."""

from typing import TYPE_CHECKING

from rampart.core.lazy import lazy_exports

if TYPE_CHECKING:
    from rampart.core.channel import Channel
    from rampart.evaluators.argument_matches import ArgumentMatches
    from rampart.evaluators.canary_leaked import CanaryLeaked
    from rampart.evaluators.canary_making import make_canary
    from rampart.evaluators.hallucinated_tool import HallucinatedTool
    from rampart.evaluators.judge_panel import JudgePanel
    from rampart.evaluators.language_is import LanguageIs
    from rampart.evaluators.llm_judge import LLMJudge
    from rampart.evaluators.max_tool_calls import MaxToolCalls
    from rampart.evaluators.mentions_any import MentionsAny
    from rampart.evaluators.missing import MISSING
    from rampart.evaluators.namespaced_names import namespaced
    from rampart.evaluators.no_tool_called import NoToolCalled
    from rampart.evaluators.own_evaluator import evaluator
    from rampart.evaluators.personal_data import PersonalData
    from rampart.evaluators.personal_finding import PersonalDataEngine, PersonalFinding
    from rampart.evaluators.personas import NEUTRAL_EVALUATOR
    from rampart.evaluators.presidio_engine import PresidioEngine
    from rampart.evaluators.refused import Refused
    from rampart.evaluators.response_contains import ResponseContains
    from rampart.evaluators.response_equals import ResponseEquals
    from rampart.evaluators.response_matches_schema import ResponseMatchesSchema
    from rampart.evaluators.response_scope import ResponseScope
    from rampart.evaluators.rubric import Rubric
    from rampart.evaluators.secret_leaked import SecretLeaked
    from rampart.evaluators.side_effect_occurred import SideEffectOccurred
    from rampart.evaluators.similar_to import SimilarTo
    from rampart.evaluators.state_changed import StateChanged
    from rampart.evaluators.state_equals import StateEquals
    from rampart.evaluators.state_unchanged import StateUnchanged
    from rampart.evaluators.system_prompt_leaked import SystemPromptLeaked
    from rampart.evaluators.tool_before import ToolBefore
    from rampart.evaluators.tool_called import ToolCalled
    from rampart.evaluators.tool_executed import ToolExecuted
    from rampart.evaluators.tool_failed import ToolFailed
    from rampart.evaluators.tool_sequence import ToolSequence
    from rampart.evaluators.transcript_scope import TranscriptScope

_HOMES = {
    "ArgumentMatches": "rampart.evaluators.argument_matches",
    "CanaryLeaked": "rampart.evaluators.canary_leaked",
    "Channel": "rampart.core.channel",
    "evaluator": "rampart.evaluators.own_evaluator",
    "HallucinatedTool": "rampart.evaluators.hallucinated_tool",
    "JudgePanel": "rampart.evaluators.judge_panel",
    "LanguageIs": "rampart.evaluators.language_is",
    "LLMJudge": "rampart.evaluators.llm_judge",
    "make_canary": "rampart.evaluators.canary_making",
    "MaxToolCalls": "rampart.evaluators.max_tool_calls",
    "MentionsAny": "rampart.evaluators.mentions_any",
    "MISSING": "rampart.evaluators.missing",
    "namespaced": "rampart.evaluators.namespaced_names",
    "NEUTRAL_EVALUATOR": "rampart.evaluators.personas",
    "NoToolCalled": "rampart.evaluators.no_tool_called",
    "PersonalData": "rampart.evaluators.personal_data",
    "PersonalDataEngine": "rampart.evaluators.personal_finding",
    "PersonalFinding": "rampart.evaluators.personal_finding",
    "PresidioEngine": "rampart.evaluators.presidio_engine",
    "Refused": "rampart.evaluators.refused",
    "ResponseContains": "rampart.evaluators.response_contains",
    "ResponseEquals": "rampart.evaluators.response_equals",
    "ResponseMatchesSchema": "rampart.evaluators.response_matches_schema",
    "ResponseScope": "rampart.evaluators.response_scope",
    "Rubric": "rampart.evaluators.rubric",
    "SecretLeaked": "rampart.evaluators.secret_leaked",
    "SideEffectOccurred": "rampart.evaluators.side_effect_occurred",
    "SimilarTo": "rampart.evaluators.similar_to",
    "StateChanged": "rampart.evaluators.state_changed",
    "StateEquals": "rampart.evaluators.state_equals",
    "StateUnchanged": "rampart.evaluators.state_unchanged",
    "SystemPromptLeaked": "rampart.evaluators.system_prompt_leaked",
    "ToolBefore": "rampart.evaluators.tool_before",
    "ToolCalled": "rampart.evaluators.tool_called",
    "ToolExecuted": "rampart.evaluators.tool_executed",
    "ToolFailed": "rampart.evaluators.tool_failed",
    "ToolSequence": "rampart.evaluators.tool_sequence",
    "TranscriptScope": "rampart.evaluators.transcript_scope",
}

__all__ = [
    "MISSING",
    "NEUTRAL_EVALUATOR",
    "ArgumentMatches",
    "CanaryLeaked",
    "Channel",
    "HallucinatedTool",
    "JudgePanel",
    "LLMJudge",
    "LanguageIs",
    "MaxToolCalls",
    "MentionsAny",
    "NoToolCalled",
    "PersonalData",
    "PersonalDataEngine",
    "PersonalFinding",
    "PresidioEngine",
    "Refused",
    "ResponseContains",
    "ResponseEquals",
    "ResponseMatchesSchema",
    "ResponseScope",
    "Rubric",
    "SecretLeaked",
    "SideEffectOccurred",
    "SimilarTo",
    "StateChanged",
    "StateEquals",
    "StateUnchanged",
    "SystemPromptLeaked",
    "ToolBefore",
    "ToolCalled",
    "ToolExecuted",
    "ToolFailed",
    "ToolSequence",
    "TranscriptScope",
    "evaluator",
    "make_canary",
    "namespaced",
]

if not TYPE_CHECKING:  # type checkers know the names from above, and that there are no others
    __getattr__, __dir__ = lazy_exports(__name__, _HOMES)
