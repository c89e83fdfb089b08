"""What an A2A agent's messages, tasks and updates say, each thing once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rampart.adapters.a2a_calls import calls_in
from rampart.adapters.a2a_errors import A2ATaskError, status_told
from rampart.core.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rampart.adapters.turn_log import TurnLog

_STATES = (
    "unspecified",
    "submitted",
    "working",
    "completed",
    "failed",
    "canceled",
    "input_required",
    "rejected",
    "auth_required",
)  # by their numbers in the protocol
_OVER = frozenset({"completed", "failed", "canceled", "rejected"})
_AGENT = 2  # the number of ROLE_AGENT


class A2AReader:
    """Reads what comes in a session into the turn of the moment.

    An update and the task that follows it repeat one another, and a task that goes on repeats earlier turns:
    messages are told by their id, and artifacts by theirs and what was read of them.

    Args:
        label: The agent as messages name it.
        tool_calls: Where tool calls are in data parts; None if nowhere.
    """

    def __init__(self, *, label: str, tool_calls: str | Callable[[Any], Any] | None) -> None:
        self._label = label
        self._tool_calls = tool_calls
        self._turn: TurnLog | None = None
        self._read: set[object] = set()
        self._artifacts: dict[str, list[Any]] = {}
        self._said_before: dict[str, str] = {}
        self._status: Any = None
        self._messages: list[str] = []
        self._state = ""
        self.task_id = ""
        self.context_id = ""

    @property
    def working(self) -> bool:
        """Whether the agent still works on a task."""
        return bool(self.task_id) and self._state in {"unspecified", "submitted", "working"}

    @property
    def waits_for_input(self) -> bool:
        """Whether the next message belongs to the task of the last one."""
        return self._state == "input_required"

    def begin(self, turn: TurnLog) -> None:
        """Read into this turn from now on."""
        self._turn = turn
        self._said_before = {key: _text(parts) for key, parts in self._artifacts.items()}
        self._status, self._messages = None, []
        if not self.waits_for_input:
            self.task_id, self._state, self._artifacts, self._said_before = "", "", {}, {}

    def event(self, event: Any) -> None:
        """Read one event of the answer."""
        kind = event.WhichOneof("payload")
        if kind == "message":
            self.context_id = event.message.context_id or self.context_id
            self._message(event.message, reply=True, once=True)
        elif kind == "task":
            self.task(event.task)
        elif kind == "status_update":
            self._belongs(event.status_update.task_id, event.status_update.context_id)
            self._take_status(event.status_update.status)
        elif kind == "artifact_update":
            self._belongs(event.artifact_update.task_id, event.artifact_update.context_id)
            update = event.artifact_update
            self._artifact(update.artifact, append=update.append)

    def task(self, task: Any) -> None:
        """Read a task as it is now."""
        self._belongs(task.id, task.context_id)
        for message in task.history:
            if message.role == _AGENT:
                self._message(message, reply=False)
        for artifact in task.artifacts:
            self._artifact(artifact, append=False)
        self._take_status(task.status)

    def conclude(self) -> None:
        """Make the reply.

        Raises:
            A2ATaskError: If the task failed or was cancelled.
            ConfigurationError: If the agent asks for credentials.
        """
        if self._turn is None:
            return
        self._write()
        progress = self._turn.metadata.get("progress")
        if progress and not self._turn.text:  # servers may keep the reply in the history alone
            self._turn.text = progress[-1]
        if not self.task_id:
            return
        self._turn.metadata["task_state"] = self._state
        if self._state in {"failed", "canceled"}:
            told = self._turn.text
            raise A2ATaskError(self._state, told, status_code=status_told(self._status))
        if self._state == "auth_required":
            msg = f"{self._label} asks for credentials before it goes on; give the HTTP client what it needs"
            raise ConfigurationError(msg)

    def _belongs(self, task_id: str, context_id: str) -> None:
        self.task_id = task_id or self.task_id
        self.context_id = context_id or self.context_id

    def _take_status(self, status: Any) -> None:
        self._state = _STATES[status.state] if 0 <= status.state < len(_STATES) else "unspecified"
        self._status = status
        if status.HasField("message"):
            self._message(status.message, reply=self._state in _OVER or not self.working)
        self._write()

    def _message(self, message: Any, *, reply: bool, once: bool = False) -> None:
        """Read a message, unless it is one of a task that was read before; one without a task comes once."""
        content = tuple(part.SerializeToString(deterministic=True) for part in message.parts)
        key = object() if once else (self.task_id, message.message_id, content)
        if (key, reply) in self._read or (key, True) in self._read:
            return
        known = (key, False) in self._read
        self._read.add((key, reply))
        if not known:
            self._calls(message.parts)
        text = _text(message.parts)
        if self._turn is None or not text:
            return
        if reply:
            self._messages.append(text)
            self._write()
        elif not known:
            self._turn.metadata.setdefault("progress", []).append(text)

    def _artifact(self, artifact: Any, *, append: bool) -> None:
        key = artifact.artifact_id
        parts = list(artifact.parts)
        known = self._artifacts.get(key, [])
        self._artifacts[key] = [*known, *parts] if append else parts
        for place, part in enumerate(parts, len(known) if append else 0):
            mark = (self.task_id, key, place, part.SerializeToString(deterministic=True))
            if mark not in self._read:
                self._read.add(mark)
                self._calls([part])
        self._write()

    def _calls(self, parts: Iterable[Any]) -> None:
        if self._turn is None or self._tool_calls is None:
            return
        for part in parts:
            if part.HasField("data"):
                for call in calls_in(part.data, self._tool_calls, source=self._label):
                    self._turn.told(call)

    def _write(self) -> None:
        """The reply so far: artifacts, then messages that say something else than those."""
        if self._turn is None:
            return
        texts = [self._news(key) for key in self._artifacts]
        for text in self._messages:
            if text not in texts:
                texts.append(text)
        self._turn.text = "\n".join(text for text in texts if text)

    def _news(self, key: str) -> str:
        """What an artifact says that it did not say in an earlier turn."""
        return _text(self._artifacts[key]).removeprefix(self._said_before.get(key, ""))


def _text(parts: Iterable[Any]) -> str:
    return "".join(part.text for part in parts if part.HasField("text"))
