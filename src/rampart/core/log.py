"""The one logger of rampart; nothing that was registered as a secret passes through it."""

from __future__ import annotations

import logging
import traceback

from rampart.text.secrets import redact


class _Redacting(logging.Filter):
    """Blanks out secrets in the message and in the text of an attached exception."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite the record; every record is let through."""
        record.msg, record.args = redact(record.getMessage()), None
        if record.exc_info and record.exc_info[1] is not None:
            record.exc_text = redact("".join(traceback.format_exception(record.exc_info[1])).rstrip("\n"))
        return True


log = logging.getLogger("rampart")
log.addFilter(_Redacting())
