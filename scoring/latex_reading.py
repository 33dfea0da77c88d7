"""Open questions of notation, and the answers a reading gives to them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reading:
    """How open questions are answered. The default is the usual reading in physics."""

    arguments: str = "usual"  # what belongs to a bare function argument: usual, first, all
    slash: str = "tight"  # a/bc is a/(bc): tight, or (a/b)c: loose
    log_base: str = "ten"  # \log without a base: ten, e
    euler: str = "power"  # e is Euler's number: power (as a base of non-integer powers), always, never
    imaginary: bool = False  # i is the imaginary unit
    degrees: bool = True  # 30^\circ is pi/6; False: 30


USUAL = Reading()
