"""Loops around a client of the openai package."""

from __future__ import annotations

from rampart.adapters.recording_transport_adapter import RecordedClientAdapter


class OpenAIClientAdapter(RecordedClientAdapter):
    """Runs your own loop around an OpenAI client, and records what goes over the wire.

    Each session gets a copy of the client with a transport that records: chat completions and responses,
    streamed or not, also of Azure and of any other server that speaks them. Tool calls come from the replies,
    what became of them from the next request. Yours is not changed; its connections, proxies and hooks are
    used.

    Args:
        agent: `(prompt, history, client) -> reply`, sync or async, called once per turn; or
            `(client) -> agent function`, called once per session, whose function `(prompt, history)` may keep
            a conversation of its own. History and replies are those of `CallableAdapter`.
        client: The client, `AsyncOpenAI` or `OpenAI`, or a function without parameters that makes one for
            each session; None for `AsyncOpenAI()` for an async agent, else `OpenAI()`.
        tools: The tools as the SDK takes them, for the manifest; by default they are learned from the first
            requests.
        silent_turns: Whether a turn without a single request to a model is taken for one without tool calls.
            By default it is reported as not fully observed.
        manifest: What the application declares.
        timeout_s: Seconds that one message may take; None for no limit of the adapter's own.
        max_concurrent_sessions: The most sessions that trials keep open at once; None for no cap.

    Raises:
        TypeError: If an argument is of a wrong type, or the function cannot be called either way.
        ValueError: If a number is out of range.
    """

    _sdk = "openai"
    _kinds = ("OpenAI", "AsyncOpenAI")
    _title = "OpenAI client"
