"""Loops around a client of the anthropic package."""

from __future__ import annotations

from rampart.adapters.recording_transport_adapter import RecordedClientAdapter


class AnthropicClientAdapter(RecordedClientAdapter):
    """Runs your own loop around an Anthropic client, and records what goes over the wire.

    Each session gets a copy of the client with a transport that records messages, streamed or not, also of
    Vertex AI and, where they are not streamed, of Bedrock. Tool calls come from the replies, what became of
    them from the next request; the SDK's tool runner is seen like any other loop. Your client is not changed;
    its connections, proxies and hooks are used.

    Args:
        agent: `(prompt, history, client) -> reply`, sync or async, called once per turn; or
            `(client) -> agent function`, called once per session, whose function `(prompt, history)` may keep
            a conversation of its own. History and replies are those of `CallableAdapter`.
        client: The client, `AsyncAnthropic` or `Anthropic`, or a function without parameters that makes one
            for each session; None for `AsyncAnthropic()` for an async agent, else `Anthropic()`.
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

    _sdk = "anthropic"
    _kinds = ("Anthropic", "AsyncAnthropic")
    _title = "Anthropic client"
