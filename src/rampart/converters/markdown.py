"""Converters that put the content into a Markdown link or image."""

from __future__ import annotations

import re
from typing import ClassVar, Literal, get_args
from urllib.parse import urlsplit

from rampart.converters._options import require_one_line, require_one_of
from rampart.converters.text_converter import TextConverter
from rampart.core.types import PayloadFormat
from rampart.text.encodings import to_url

MarkdownPlacement = Literal["label", "title", "query"]

# What would begin another element inside of a label or a title (CommonMark 0.31, 2.4: any ASCII punctuation
# may be escaped, and then stands for itself); `~` and `|` belong to GitHub's dialect.
_ACTIVE = re.compile(r"[\\`*_\[\]<>&\"~|]")
_BREAKS_A_URL = re.compile(r"[\s<>()\[\]\\\x00-\x1f\x7f]")


class _MarkdownConverter(TextConverter):
    output_format: ClassVar[PayloadFormat] = PayloadFormat.MARKDOWN
    _mark: ClassVar[str]

    def __init__(self, *, address: str, placement: MarkdownPlacement, label: str, parameter: str) -> None:
        name = type(self).__name__
        self._placement = require_one_of(placement, get_args(MarkdownPlacement), what=f"placement of {name}")
        self._address = _require_address(address, converter=name)
        self._label = require_one_line(label, what=f"label of {name}")
        self._parameter = to_url(require_one_line(parameter, what=f"parameter of {name}"))

    def transform(self, *, text: str) -> str:
        """The element that holds `text`."""
        if self._placement == "query":
            return self._element(label=self._label, address=self._with_query(text))
        words = " ".join(text.split())
        if not words:
            msg = f"a blank content cannot be the {self._placement} of a Markdown element"
            raise ValueError(msg)
        if self._placement == "label":
            return self._element(label=words, address=self._address)
        return self._element(label=self._label, address=f'{self._address} "{_escaped(words)}"')

    def _with_query(self, text: str) -> str:
        address, mark, fragment = self._address.partition("#")
        joint = "&" if urlsplit(address).query else "?"
        return f"{address.rstrip('?')}{joint}{self._parameter}={to_url(text)}{mark}{fragment}"

    def _element(self, *, label: str, address: str) -> str:
        return f"{self._mark}[{_escaped(label)}]({address})"


class MarkdownLinkConverter(_MarkdownConverter):
    """A Markdown link that carries the content; the result is MARKDOWN.

    Args:
        address: Where the link leads: an absolute http or https address.
        placement: `label`: the content is the text of the link. `title`: it is the title, which shows only
            when pointed at. `query`: it is a parameter of the address, as where data is carried off.
        label: The text of the link where the content is not the label.
        parameter: The name of the query parameter.

    In label and title, each run of white space becomes one space, and what is Markdown itself is escaped.

    Raises:
        ValueError: If the address is no such address, or an argument is blank or of several lines.
    """

    _mark = ""

    def __init__(
        self,
        *,
        address: str,
        placement: MarkdownPlacement = "label",
        label: str = "Details",
        parameter: str = "q",
    ) -> None:
        super().__init__(address=address, placement=placement, label=label, parameter=parameter)


class MarkdownImageConverter(_MarkdownConverter):
    """A Markdown image that carries the content, fetched by whatever displays it; the result is MARKDOWN.

    Args:
        address: Where the image is fetched from: an absolute http or https address.
        placement: `label`: the content is the alternative text. `title`: it is the title. `query`: it is a
            parameter of the address, so that displaying the image sends it there.
        label: The alternative text where the content is not the label.
        parameter: The name of the query parameter.

    In label and title, each run of white space becomes one space, and what is Markdown itself is escaped.

    Raises:
        ValueError: If the address is no such address, or an argument is blank or of several lines.
    """

    _mark = "!"

    def __init__(
        self,
        *,
        address: str,
        placement: MarkdownPlacement = "query",
        label: str = "image",
        parameter: str = "q",
    ) -> None:
        super().__init__(address=address, placement=placement, label=label, parameter=parameter)


def _escaped(text: str) -> str:
    return _ACTIVE.sub(r"\\\g<0>", text)


def _require_address(address: str, *, converter: str) -> str:
    problem = None
    try:
        parts = urlsplit(address)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            problem = "it is no absolute http or https address"
    except ValueError as error:
        problem = str(error)
    found = _BREAKS_A_URL.search(address)
    if problem is None and found:
        problem = f"{found[0]!r} must be percent-encoded"
    if problem is not None:
        msg = f"the address of {converter} cannot be {address!r}: {problem}"
        raise ValueError(msg)
    return address
