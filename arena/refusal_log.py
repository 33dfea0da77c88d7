"""Logging: a refused request is one line. Its traceback would only show the line of ours that refused it."""

from __future__ import annotations

import logging


class BareRefusals(logging.Filter):
    """Takes the traceback off what was answered with a status below 500."""

    def filter(self, record: logging.LogRecord) -> bool:
        if getattr(record, "status_code", 500) < 500:
            record.exc_info = record.exc_text = None
        return True
