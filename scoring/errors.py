"""What can go wrong while scoring; each is translated once, at the edge, into an outcome with a reason."""


class ScoringError(Exception):
    """Base of all errors of this package."""


class ParseError(ScoringError):
    """The text is no expression, value or record that this package reads."""


class DeadlineExceeded(ScoringError):
    """The bound on CPU time or on size was passed before an outcome was known."""


class VerdictError(ScoringError):
    """A judge's reply holds no valid verdict. `kind` is one word for tables and filters."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
