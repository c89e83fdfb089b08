"""What the libraries below log, which may hold addresses and headers with a secret in them."""

from __future__ import annotations

import logging
import traceback

from rampart.text.secrets import redact

_LOGGERS = (
    "httpx2",
    "httpcore2.connection",
    "httpcore2.http11",
    "httpcore2.http2",
    "httpcore2.proxy",
    "httpcore2.socks",
    "httpx",
    "httpcore.connection",
    "httpcore.http11",
    "httpcore.http2",
    "httpcore.proxy",
    "httpcore.socks",
    "openai",
    "openai._base_client",
    "openai._legacy_response",
    "openai._response",
)
"""A filter of a logger sees what is logged with that very name, not what is logged below it."""


class _Redacting(logging.Filter):
    """Blanks out registered secrets, and leaves every other record as it is."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite a record that holds a secret; every record is let through."""
        try:
            text = record.getMessage()
        except Exception:  # a foreign format may not fit its arguments, which logging itself reports
            return True
        shown = redact(text)
        if shown != text:
            record.msg, record.args = shown, None
        if record.exc_info and record.exc_info[1] is not None:
            told = "".join(traceback.format_exception(*record.exc_info)).rstrip("\n")
            if redact(told) != told:
                record.exc_text, record.exc_info = redact(told), None
        return True


_FILTER = _Redacting()


def keep_secrets_from_logs() -> None:
    """Have registered secrets blanked out in what HTTP libraries log; calling it again changes nothing."""
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_FILTER)
