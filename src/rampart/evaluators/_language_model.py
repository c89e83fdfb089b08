"""Asking py3langid which language a text is in."""

from __future__ import annotations

import re
import threading
from typing import Any

from rampart.core.errors import ConfigurationError
from rampart.evaluators._shown import shown_value

INSTALL = 'LanguageIs needs py3langid, which is not installed: pip install "rampart[language]"'

_CODE = re.compile(r"(?P<language>[A-Za-z]{2,3})(?:[-_][A-Za-z0-9]{2,8})*")
NO_LANGUAGE = "zxx"
"""What the model answers about text that is none."""

_PART_OF = {
    "arz": "ar",
    "ary": "ar",
    "yue": "zh",
    "wuu": "zh",
    "nb": "no",
    "nn": "no",
    "hbo": "he",
    "fil": "tl",
    "iw": "he",
    "in": "id",
}
"""Languages that are told apart by few or not at all, and former codes."""

_loading = threading.Lock()
_loaded: list[Any] = []


def load_model() -> Any:
    """The identifier of languages, with probabilities; loading it takes about half a second, once.

    Raises:
        ConfigurationError: If py3langid is not installed.
    """
    with _loading:
        if not _loaded:
            try:
                from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415 - optional
            except ImportError as error:
                raise ConfigurationError(INSTALL) from error
            _loaded.append(LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True))
        return _loaded[0]


def probabilities(text: str, /) -> dict[str, float]:
    """How probable each language is, by its code; Cantonese counts as Chinese and the like."""
    summed: dict[str, float] = {}
    for code, probability in load_model().rank(text):
        group = _PART_OF.get(code, code)
        summed[group] = summed.get(group, 0.0) + probability
    return summed


def known_code(given: object, /) -> str:
    """The code of a language without its region or script, in small letters: `en` of `en-GB`.

    Raises:
        TypeError: If it is no str.
        ValueError: If the model knows no such language.
    """
    if not isinstance(given, str):
        kind = type(given).__name__
        msg = f"a language is given by its code, such as 'en', got {shown_value(given)} ({kind})"
        raise TypeError(msg)
    match = _CODE.fullmatch(given)
    code = match["language"].lower() if match else ""
    code = _PART_OF.get(code, code)
    known = {_PART_OF.get(label, label) for label in load_model().labels} - {NO_LANGUAGE}
    if code not in known:
        msg = f"{shown_value(given)} is no code of a known language; choose from {', '.join(sorted(known))}"
        raise ValueError(msg)
    return code
