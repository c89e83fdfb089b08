"""Microsoft Presidio as an engine for `PersonalData`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rampart.core.errors import ConfigurationError
from rampart.evaluators.personal_finding import PersonalFinding

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_CHARACTERS = 100_000
"""Of longer texts Presidio is given pieces: its language model refuses a million characters."""


class PresidioEngine:
    """Names, places and whatever else an analyzer of Presidio finds.

    Needs `presidio-analyzer` and the language model that it asks for; neither comes with rampart.

    Args:
        analyzer: A `presidio_analyzer.AnalyzerEngine`; one with its defaults if there is none.
        entities: Which of its entities, such as `PERSON` and `LOCATION`; all of them by default.
        language: Of the texts, as Presidio names it.
        threshold: Findings with a lower score, 0 to 1, are left out.

    Raises:
        ConfigurationError: If no analyzer is given and Presidio is not installed.
        ValueError: If the threshold is not between 0 and 1.
    """

    def __init__(
        self,
        *,
        analyzer: Any = None,
        entities: Sequence[str] | None = None,
        language: str = "en",
        threshold: float = 0.6,
    ) -> None:
        if not 0.0 <= threshold <= 1.0:
            msg = f"threshold is {threshold}, expected 0 to 1"
            raise ValueError(msg)
        self._analyzer = _default_analyzer() if analyzer is None else analyzer
        self._entities = None if entities is None else list(entities)
        self._language = language
        self._threshold = threshold

    def find(self, text: str, /) -> Iterator[PersonalFinding]:
        """What the analyzer finds, with the names of its entities in small letters."""
        for begin in range(0, len(text), _CHARACTERS):
            for result in self._analyzer.analyze(
                text=text[begin : begin + _CHARACTERS],
                entities=self._entities,
                language=self._language,
                score_threshold=self._threshold,
            ):
                yield PersonalFinding(
                    kind=str(result.entity_type).lower(), start=begin + result.start, end=begin + result.end
                )


def _default_analyzer() -> Any:
    try:
        library = import_module("presidio_analyzer")  # optional, and slow to import
    except ImportError as error:
        msg = "PresidioEngine needs Presidio: pip install presidio-analyzer, and the model it asks for"
        raise ConfigurationError(msg) from error
    return library.AnalyzerEngine()
