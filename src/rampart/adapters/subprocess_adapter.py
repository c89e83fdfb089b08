"""An adapter for agents that are run from the command line."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from rampart.adapters.framework_adapter import FrameworkAdapter, check_level
from rampart.adapters.subprocess_command import checked_command
from rampart.adapters.subprocess_reply import Output, ReplyReader
from rampart.adapters.subprocess_session import SubprocessPlan, SubprocessSession
from rampart.core.types import ObservabilityLevel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rampart.core.manifest import AppManifest

DEFAULT_MAX_OUTPUT_BYTES = 10 * 1024 * 1024


class SubprocessAdapter(FrameworkAdapter):
    """Runs a command, hands it the message, and takes what it prints for the reply.

    No shell is involved. Each process has a process group of its own, and all of it is killed when the turn
    or the session is over, out of time or cancelled. Needs a system with process groups, so not Windows.

    JSON that the agent prints has the keys of `Response` (`text`, and where there are any `tool_calls`,
    `side_effects`, `usage`, `metadata`), or is made such by `read`. With `output="json_lines"` each line may
    tell a part, such as a call as soon as it is made, so that it is known even if the agent then fails; the
    line that has `text` ends the turn. A later line about a call with the same id adds its result.

    Args:
        command: The program and its arguments. An argument that is `{prompt}` becomes the message, and so
            does the value in `--option={prompt}`; without either the message is the last argument.
            `{session_id}` within any argument becomes an id that each session has of its own, for agents
            that keep conversations themselves.
        prompt: How the message is handed over: `"argument"`; or `"stdin"`, as the whole of standard input, or
            as a line of it where a process serves a session.
        output: How the agent prints, in UTF-8 and to standard output: `"text"`, `"json"` or `"json_lines"`.
            Colours are removed from text.
        per: `"turn"` runs a process for each message; `"session"` runs one for all of a session, which gets a
            line for each message: the text, or `{"prompt": "..."}` with `output="json_lines"`.
        end_of_reply: For `per="session"` with text: the line by which the agent says that its reply is over.
        read: Makes a reply of each JSON value that is printed; None for values that say nothing.
        env: Variables beside those of this process, all of which the agent sees; None as a value removes one.
            Values of variables named like `..._KEY`, `..._TOKEN`, `..._SECRET` or `..._PASSWORD` are hidden
            in whatever rampart prints and records from then on.
        cwd: The folder in which the command runs.
        max_output_bytes: The most that may be printed for one message, to standard output or to standard
            error; more ends the process.
        observability: What the printed JSON tells completely; text tells replies only.
        manifest: What the application declares; None declares the program's name only.
        timeout_s: Seconds that one message may take; None for no limit of the adapter's own.
        max_concurrent_sessions: The most sessions that trials keep open at once; None for no cap.

    Raises:
        TypeError: If an argument is of a wrong type.
        ValueError: If arguments do not go together.
    """

    def __init__(
        self,
        command: Sequence[str],
        /,
        *,
        prompt: Literal["argument", "stdin"] = "argument",
        output: Output = "text",
        per: Literal["turn", "session"] = "turn",
        end_of_reply: str | None = None,
        read: Callable[[Any], Any] | None = None,
        env: Mapping[str, str | None] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        max_output_bytes: int = DEFAULT_MAX_OUTPUT_BYTES,
        observability: ObservabilityLevel | None = None,
        manifest: AppManifest | None = None,
        timeout_s: float | None = None,
        max_concurrent_sessions: int | None = None,
    ) -> None:
        _check_choices(prompt=prompt, output=output, per=per)
        words = checked_command(command, by_argument=prompt == "argument")
        _check_together(prompt=prompt, output=output, per=per, end_of_reply=end_of_reply, read=read)
        _check_level(observability, output)
        _check_limits(max_output_bytes, env)
        super().__init__(
            name=Path(words[0]).name,
            framework="command-line",
            level=observability or ObservabilityLevel.RESPONSE_ONLY,
            manifest=manifest,
            timeout_s=timeout_s,
            max_concurrent_sessions=max_concurrent_sessions,
        )
        self._plan = SubprocessPlan(
            command=words,
            prompt_by_argument=prompt == "argument",
            one_process=per == "session",
            end_of_reply=None if end_of_reply is None else end_of_reply.strip(),
            reader=ReplyReader(label=self.label, output=output, read=read),
            env=None if env is None else dict(env),
            cwd=None if cwd is None else os.fspath(cwd),
            max_output_bytes=max_output_bytes,
        )

    async def create_session_async(self) -> SubprocessSession:
        """A session with an id, and with `per="session"` a process, of its own."""
        return SubprocessSession(self._plan, label=self.label, level=self._level, timeout_s=self._timeout_s)


def _check_choices(*, prompt: str, output: str, per: str) -> None:
    for name, value, known in (
        ("prompt", prompt, ("argument", "stdin")),
        ("output", output, get_args(Output)),
        ("per", per, ("turn", "session")),
    ):
        if value not in known:
            msg = f"{name} must be one of {', '.join(map(repr, known))}, got {value!r}"
            raise ValueError(msg)


def _check_together(
    *,
    prompt: str,
    output: str,
    per: str,
    end_of_reply: str | None,
    read: object,
) -> None:
    if per == "session" and prompt != "stdin":
        msg = 'per="session" hands several messages to one process, so it needs prompt="stdin"'
        raise ValueError(msg)
    if per == "session" and output == "json":
        msg = (
            'per="session" needs to know where a reply ends; use output="json_lines", or output="text" with '
            "end_of_reply"
        )
        raise ValueError(msg)
    if (per == "session" and output == "text") != (end_of_reply is not None):
        msg = (
            'per="session" with output="text" needs end_of_reply, the line that ends a reply; nothing else '
            f"takes it, got {end_of_reply!r}"
        )
        raise ValueError(msg)
    if end_of_reply is not None and not _is_line(end_of_reply):
        msg = f"end_of_reply must be one line that is not blank, got {end_of_reply!r}"
        raise ValueError(msg)
    if read is not None and (output == "text" or not callable(read)):
        msg = f'read must be a function and goes with output="json" or "json_lines", got {read!r}'
        raise ValueError(msg)


def _is_line(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and not {"\n", "\r"} & set(value)


def _check_level(observability: ObservabilityLevel | None, output: str) -> None:
    check_level(observability)
    if output == "text" and observability not in {None, ObservabilityLevel.RESPONSE_ONLY}:
        msg = f"plain text tells replies only, so observability cannot be {observability!r}"
        raise ValueError(msg)


def _check_limits(max_output_bytes: object, env: object) -> None:
    if isinstance(max_output_bytes, bool) or not isinstance(max_output_bytes, int):
        msg = f"max_output_bytes must be an int, got {type(max_output_bytes).__name__}"
        raise TypeError(msg)
    if max_output_bytes < 1:
        msg = f"max_output_bytes must be 1 or more, got {max_output_bytes}"
        raise ValueError(msg)
    if env is None:
        return
    is_right = isinstance(env, Mapping) and all(
        isinstance(name, str) and (value is None or isinstance(value, str)) for name, value in env.items()
    )
    if not is_right:
        msg = "env must map names to str, or to None to remove a variable"
        raise TypeError(msg)
