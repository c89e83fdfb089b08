"""What is no text and no format is refused where a payload is made."""

from typing import Any

import pytest

from rampart import Payload, PayloadFormat


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"content": b"x"}, "content of a payload must be a str, got bytes"),
        ({"content": None}, "content of a payload must be a str, got NoneType"),
        ({"content": "x", "format": "pdf"}, r"must be a PayloadFormat, got 'pdf'; write PayloadFormat\.PDF"),
        ({"content": "x", "format": "word"}, "must be a PayloadFormat, got 'word'$"),
        ({"content": "x", "format": PayloadFormat}, "must be a PayloadFormat, got <enum"),
    ],
)
def test_refused(given: dict[str, Any], text: str) -> None:
    with pytest.raises(TypeError, match=text):
        Payload(**given)
