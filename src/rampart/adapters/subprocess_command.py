"""The command of a command-line agent, and its places for the message and the session's id."""

from __future__ import annotations

import re

from rampart.core.errors import ConfigurationError
from rampart.text.oneline import quote

PROMPT, SESSION = "{prompt}", "{session_id}"
"""Parts of a command that are filled in: the message, and an id that each session has of its own."""

_OPTIONS_END = "--"
_VALUE_OF_OPTION = re.compile(r"--?[\w.-]+=\{prompt\}")
_USE_STDIN = 'use prompt="stdin"'


def checked_command(command: object, *, by_argument: bool) -> tuple[str, ...]:
    """The command as a tuple, with a place for the message if that is an argument.

    Raises:
        TypeError: If it is no list of str that begins with a program.
        ValueError: If the message has no place, several, or one in which it could do more than be a value.
    """
    if isinstance(command, str) or not isinstance(command, list | tuple):
        msg = (
            f"the command must be a list of str, such as ['my-agent', '--', '{PROMPT}'], got "
            f"{type(command).__name__}; there is no shell that would split it"
        )
        raise TypeError(msg)
    if not command or not all(isinstance(part, str) for part in command) or not command[0]:
        msg = f"the command must be a list of str that begins with a program, got {command!r}"
        raise TypeError(msg)
    if any("\0" in part for part in command):
        msg = "an argument of a command cannot have a NUL character"
        raise ValueError(msg)
    words = tuple(command)
    _check_places(words, by_argument=by_argument)
    return (*words, PROMPT) if by_argument and not any(PROMPT in word for word in words) else words


def _check_places(words: tuple[str, ...], *, by_argument: bool) -> None:
    count = sum(word.count(PROMPT) for word in words)
    if count > (1 if by_argument else 0):
        msg = f"the command has {PROMPT} {count} times; once with prompt='argument', else never"
        raise ValueError(msg)
    if PROMPT in words[0]:
        msg = f"the command begins with {words[0]!r}: the message would choose the program that is run"
        raise ValueError(msg)
    for word in words:
        if PROMPT in word and word != PROMPT and _VALUE_OF_OPTION.fullmatch(word) is None:
            msg = (
                f"{PROMPT} must be a whole argument, or the value of an option as in '--message={PROMPT}', "
                f"got {word!r}: within other text, such as a script, the message could do more than be read"
            )
            raise ValueError(msg)


def filled_command(words: tuple[str, ...], *, prompt: str, session_id: str, label: str) -> list[str]:
    """The command with the message, which stays one argument that is no option, and the session's id.

    Raises:
        ConfigurationError: If the message cannot be an argument as it is.
    """
    command = [word.replace(SESSION, session_id) for word in words]
    place = next((index for index, word in enumerate(command) if PROMPT in word), None)
    if place is None:
        return command
    if "\0" in prompt:
        msg = f"{label} cannot be given a NUL character in an argument; {_USE_STDIN}"
        raise ConfigurationError(msg)
    encoded(prompt, label=label)
    is_option = command[place] == PROMPT and prompt.startswith("-") and command[place - 1] != _OPTIONS_END
    if is_option:
        msg = (
            f"the message {quote(prompt, 60)} begins with '-', so {label} would take it for an option; put "
            f"'--' right before '{PROMPT}' or write '--message={PROMPT}', if the program knows that, or "
            f"{_USE_STDIN}"
        )
        raise ConfigurationError(msg)
    command[place] = command[place].replace(PROMPT, prompt)
    return command


def encoded(prompt: str, *, label: str) -> bytes:
    """The message in UTF-8.

    Raises:
        ConfigurationError: If it has halves of characters, which would arrive as something else.
    """
    try:
        return prompt.encode()
    except UnicodeEncodeError as error:
        msg = f"{label} cannot be given {quote(prompt, 60)}: it has a lone surrogate, which UTF-8 has not"
        raise ConfigurationError(msg) from error
