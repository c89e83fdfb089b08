"""An endpoint that agents take for their model."""

from __future__ import annotations

import secrets
import threading
from collections import deque
from typing import TYPE_CHECKING, Self

from rampart.core.errors import ConfigurationError, InfrastructureError
from rampart.servers.http_server import HttpServer
from rampart.servers.llm_gateway.address import GatewayAddress
from rampart.servers.llm_gateway.endpoint import SESSION_PREFIX, GatewayEndpoint
from rampart.servers.llm_gateway.scripted_model import ScriptedModel
from rampart.servers.llm_gateway.session import GatewaySession
from rampart.servers.llm_gateway.upstream import Upstream
from rampart.servers.llm_gateway.watch import GatewayWatch

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from rampart.servers.llm_gateway.steps import GatewayRequest, Script

_MAX_BODY_BYTES = 64 * 1024 * 1024
_KEPT_REQUESTS = 200
_LABEL = "the LLM gateway"


class LlmGateway:
    """Stands between agents and their model on the loopback interface, and records what they ask and do.

    It speaks OpenAI's chat completions and responses, and Anthropic's messages, streamed or not. An agent is
    pointed at it by the base URL of its client, in whatever language or framework it is written. It either
    passes everything on to a real endpoint, with the key that the agent brings, or replies by a script. Tool
    calls come from the replies, what became of them from the next request.

    It is a source of tool calls: `with_tools_from(lambda address: ..., gateway)` gives each session an
    address of its own, `address.base_url`, and any number of sessions at once.

    It is a context manager, and may be entered several times at once: it starts with the first user and stops
    when the last one leaves. It runs in threads of its own, so that an agent that blocks its event loop is
    served too.

    Args:
        upstream: The real endpoint, as a client's `base_url`: `https://api.openai.com/v1`,
            `https://api.anthropic.com`. Keys are passed on, and kept nowhere.
        script: What to reply in its place: a function of a `GatewayRequest`, called in threads of the
            gateway, or the replies of one session in order; each session begins anew. A reply is a str, a
            `ToolCall` or a list of them, a `GatewayReply` or a `GatewayFailure`.
        models: The names that a scripted gateway lists at `/v1/models`; it answers to any name.
        silent_turns: Whether a turn without a request to the model is taken for one without tool calls. By
            default it is reported as not fully observed.
        upstream_timeout_s: Seconds of silence after which the real endpoint counts as gone.
        port: Where to listen on 127.0.0.1; 0 takes a free port.

    Raises:
        ConfigurationError: If there is neither an upstream nor a script, or both.
        TypeError: If the script is none.
        ValueError: If the upstream is no URL, or a number is out of range.
    """

    def __init__(
        self,
        upstream: str | None = None,
        *,
        script: Script | None = None,
        models: Sequence[str] = ("scripted",),
        silent_turns: bool = False,
        upstream_timeout_s: float = 600.0,
        port: int = 0,
    ) -> None:
        if (upstream is None) == (script is None):
            msg = "LlmGateway takes either the URL of a real endpoint or a script, not both and not none"
            raise ConfigurationError(msg)
        if not upstream_timeout_s > 0:
            msg = f"upstream_timeout_s must be above 0, got {upstream_timeout_s:g}"
            raise ValueError(msg)
        self.silent_turns = silent_turns
        self._requests: deque[GatewayRequest] = deque(maxlen=_KEPT_REQUESTS)
        self._upstream = None if upstream is None else Upstream(upstream, timeout_s=upstream_timeout_s)
        self._endpoint = GatewayEndpoint(
            session_of=self._session_of,
            model=None if script is None else ScriptedModel(script, on_request=self._requests.append),
            upstream=self._upstream,
            models=tuple(models),
        )
        self._port = port
        self._server: HttpServer | None = None
        self._users = 0
        self._shared = GatewaySession("")
        self._sessions: dict[str, GatewaySession] = {}
        self._watches: list[GatewayWatch] = []
        self._lock = threading.RLock()

    @property
    def label(self) -> str:
        """The source as messages name it."""
        return _LABEL

    @property
    def tells_sessions_apart(self) -> bool:
        """Whether sessions that share the address may overlap: nothing in their requests tells them apart."""
        return False

    @property
    def running(self) -> bool:
        """Whether somebody uses the gateway."""
        return self._server is not None

    @property
    def address(self) -> GatewayAddress:
        """The address that everybody shares.

        Raises:
            InfrastructureError: If the gateway is not running.
        """
        return self.address_of(self._shared)

    @property
    def base_url(self) -> str:
        """What clients that speak OpenAI's formats take as `base_url`, the same for everybody."""
        return self.address.base_url

    @property
    def anthropic_base_url(self) -> str:
        """What Anthropic's clients take as `base_url`, the same for everybody."""
        return self.address.anthropic_base_url

    @property
    def requests(self) -> list[GatewayRequest]:
        """What a scripted gateway was asked, in order; the last 200 are kept."""
        return list(self._requests)

    def start(self) -> None:
        """Count one user more, and listen with the first.

        Raises:
            InfrastructureError: If the port cannot be had.
        """
        with self._lock:
            if self._users == 0:
                server = HttpServer(
                    port=self._port, fallback=self._endpoint.answer, max_body_bytes=_MAX_BODY_BYTES
                )
                server.start()
                self._server = server
                self._shared = GatewaySession("")
            self._users += 1

    def stop(self) -> None:
        """Count one user less, and end with the last; doing so once more does nothing."""
        with self._lock:
            if self._users == 0:
                return
            self._users -= 1
            if self._users:
                return
            server, self._server = self._server, None
            for session in (self._shared, *self._sessions.values()):
                session.over.set()
            self._sessions.clear()
        if self._upstream is not None:
            self._upstream.close()
        if server is not None:
            server.stop()

    def __enter__(self) -> Self:
        """Start it."""
        self.start()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop it."""
        self.stop()

    async def watch_async(self, *, own_address: bool) -> GatewayWatch:
        """Begin to watch a session.

        Args:
            own_address: Whether the session's agent will use the address of the watch, and nobody else will.

        Raises:
            ConfigurationError: If another session is watched at the address that everybody shares.
            InfrastructureError: If the gateway is not running.
        """
        _ = self.address  # or it is not running
        with self._lock:
            session = self._shared
            if own_address:
                session = GatewaySession(secrets.token_urlsafe(12))
                self._sessions[session.token] = session
            elif self.is_watched(self._shared):
                msg = (
                    "another session is watched at the address of the gateway that everybody shares, and "
                    "nothing tells their requests apart; have one open at a time, or give with_tools_from a "
                    "function (address) that makes the adapter, so that each session has its own address"
                )
                raise ConfigurationError(msg)
            else:
                session.traffic.take()  # what nobody watched is nobody's
            watch = GatewayWatch(self, session=session, shared=self._shared)
            self._watches.append(watch)
            return watch

    def address_of(self, session: GatewaySession) -> GatewayAddress:
        """The address of a session.

        Raises:
            InfrastructureError: If the gateway is not running.
        """
        server = self._server
        if server is None:
            msg = "the gateway is not running; enter it first: with LlmGateway(...) as gateway"
            raise InfrastructureError(msg)
        return GatewayAddress(root=server.url + (SESSION_PREFIX + session.token if session.token else ""))

    def is_watched(self, session: GatewaySession) -> bool:
        """Whether a session is being watched."""
        with self._lock:
            return any(watch.session is session for watch in self._watches)

    def end_watch(self, watch: GatewayWatch) -> None:
        """Forget a watch and the address of its own, if it has one; doing so again does nothing."""
        with self._lock:
            self._watches = [one for one in self._watches if one is not watch]
            if self._sessions.pop(watch.session.token, None) is not None:
                watch.session.over.set()

    def _session_of(self, token: str) -> GatewaySession | None:
        return self._sessions.get(token) if token else self._shared
