"""What the engine refuses, in words for the person who asked."""

from __future__ import annotations


class ArenaError(Exception):
    """Base of the engine's errors; the message is plain words."""


class Refused(ArenaError):
    """Bad input: `field` names the option, form field, line or record it is about."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}" if field else message)
        self.field = field
        self.message = message


class ImportRefused(ArenaError):
    """Records that cannot be imported; nothing was stored. `faults` has one line each."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("\n".join(faults))
        self.faults = faults
