"""What a comparison of two values found."""

from __future__ import annotations

from dataclasses import dataclass, replace

from scoring.score import Status


@dataclass(frozen=True, slots=True)
class ValueVerdict:
    """equal: None where no rule decides, so that a judge may be asked.

    without_judge: what counts then if there is no judge. status: scored, no_answer, unparseable or timeout.
    """

    equal: bool | None
    reason: str
    flags: tuple[str, ...] = ()
    status: Status = Status.SCORED
    without_judge: bool = False

    @property
    def is_right(self) -> bool:
        """The outcome by rule alone."""
        return self.without_judge if self.equal is None else self.equal

    def with_flags(self, *flags: str) -> ValueVerdict:
        return replace(self, flags=tuple(dict.fromkeys((*self.flags, *flags))))


def right(reason: str, *flags: str) -> ValueVerdict:
    return ValueVerdict(True, reason, flags)


def wrong(reason: str, *flags: str) -> ValueVerdict:
    return ValueVerdict(False, reason, flags)


def undecided(reason: str, *flags: str, without_judge: bool = False) -> ValueVerdict:
    return ValueVerdict(None, reason, flags, without_judge=without_judge)


def unreadable(reason: str, *flags: str) -> ValueVerdict:
    return ValueVerdict(None, reason, flags, Status.UNPARSEABLE)
