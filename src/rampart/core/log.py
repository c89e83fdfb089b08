"""The one logger of rampart; nothing that was registered as a secret passes through it."""

from __future__ import annotations

import logging
import traceback

from rampart.text.ansi import strip_ansi
from rampart.text.safe import UNPRINTABLE
from rampart.text.secrets import redact


def _plain(text: str) -> str:
    """Text as a terminal may show it: pytest prints captured log records as they are."""
    # Once more afterwards: a sequence inside a secret hides it from the first search.
    return redact(strip_ansi(redact(text)))


class _Redacting(logging.Filter):
    """Blanks out secrets and control sequences in the message and the text of an attached exception."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite the record; every record is let through."""
        record.msg, record.args = _plain(_message(record)), None
        if record.exc_info and record.exc_info[1] is not None:
            text = "".join(traceback.format_exception(*record.exc_info)).rstrip("\n")
            record.exc_text = _plain(text)
            if record.exc_text != text:
                record.exc_info = None  # a handler that writes exceptions its own way would show the secret
        return True


def _message(record: logging.LogRecord) -> str:
    """The message; a value that cannot be rendered must not fail the run that logs it."""
    try:
        return record.getMessage()
    except KeyboardInterrupt:
        raise
    except BaseException:  # any failure of a foreign `__str__` means the same here
        return f"{record.msg} {UNPRINTABLE}"


log = logging.getLogger("rampart")
log.addFilter(_Redacting())
