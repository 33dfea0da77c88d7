"""Units by pint: what a text after a number says, as a factor and dimensions. Symbols are case-bearing.

Only the names listed here are units: pint also knows `c`, `e`, `k` and `R`, which in an answer are symbols. The
registry is built once, on first use.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from scoring.unit_names import ALONE, CHINESE, JOINED, PREFIX_WORDS, PREFIXES, WITH_PREFIX, WORDS, WORDS_ALONE


@dataclass(frozen=True, slots=True)
class Unit:
    """factor and offset turn a number in this unit into coherent SI. name: as written, for explanations.

    turns: how far the unit counts angle (rad/s: 1) or cycles (Hz: -1 in `cycles`); equal dimensions do not make
    50 Hz of 50 rad/s.
    """

    name: str
    factor: float
    dimensions: tuple[tuple[str, float], ...]
    offset: float = 0.0
    turns: float = 0.0
    cycles: float = 0.0
    alternatives: tuple[Unit, ...] = field(default=(), compare=False)

    def fits(self, other: Unit) -> bool:
        """Whether both measure the same kind of quantity."""
        mixed = (self.cycles and other.turns) or (self.turns and other.cycles)
        return self.dimensions == other.dimensions and not mixed

    def readings(self) -> tuple[Unit, ...]:
        return (self, *self.alternatives)


@lru_cache(maxsize=1)
def _registry() -> Any:
    import pint

    registry: Any = pint.UnitRegistry()
    registry.define("solar_mass = 1.98841e30 * kilogram")
    registry.define("solar_radius = 6.957e8 * meter")
    registry.define("solar_luminosity = 3.828e26 * watt")
    registry.define("earth_mass = 5.9722e24 * kilogram")
    registry.define("earth_radius = 6.371e6 * meter")
    registry.define("si_gauss = 1e-4 * tesla")  # pint's own gauss has the dimensions of the Gaussian system
    registry.define("metric_ton = 1000 * kilogram")
    return registry


@lru_cache(maxsize=1024)
def _named(name: str, power_of_ten: int, symbol: str) -> Unit:
    """The unit pint knows by this name, as a Unit."""
    registry = _registry()
    if name == "permille":
        return Unit(symbol, 1e-3, ())
    zero = registry.Quantity(0.0, name).to_base_units()
    one = registry.Quantity(1.0, name).to_base_units()
    base = {str(key): float(value) for key, value in one.dimensionality.items()}
    turns = 1.0 if name in ("radian", "degree", "turn", "arcminute", "arcsecond", "rpm") else 0.0
    factor = float(one.magnitude - zero.magnitude) * 10.0**power_of_ten
    return Unit(symbol, factor, tuple(sorted(base.items())), float(zero.magnitude), turns, float(name == "hertz"))


def _find(symbol: str) -> Unit | None:
    """The unit of one symbol or word, with its prefix."""
    if symbol in ALONE:
        return _named(ALONE[symbol], 0, symbol)
    if symbol in WITH_PREFIX:
        return _named(WITH_PREFIX[symbol], 0, symbol)
    if symbol in CHINESE:
        return _named(CHINESE[symbol], 0, symbol)
    for size in (2, 1):
        prefix, rest = symbol[:size], symbol[size:]
        if prefix in PREFIXES and rest in WITH_PREFIX:
            return _named(WITH_PREFIX[rest], PREFIXES[prefix], symbol)
    return _find_word(symbol)


def _find_word(symbol: str) -> Unit | None:
    word = symbol.lower()
    if len(word) < 3 or (symbol.isupper() and len(word) < 5):
        return None
    for spelling in (word, word.removesuffix("s")):
        if spelling in WORDS or spelling in WORDS_ALONE:
            return _named(WORDS.get(spelling) or WORDS_ALONE[spelling], 0, symbol)
        for prefix, ten in PREFIX_WORDS.items():
            if spelling.startswith(prefix) and spelling[len(prefix) :].lstrip("-") in WORDS:
                return _named(WORDS[spelling[len(prefix) :].lstrip("-")], ten, symbol)
    return None


def _times(one: Unit, other: Unit, power: float) -> Unit:
    dimensions = dict(one.dimensions)
    for name, value in other.dimensions:
        dimensions[name] = dimensions.get(name, 0.0) + power * value
    kept = tuple(sorted((name, value) for name, value in dimensions.items() if value))
    factor = one.factor * other.factor**power
    return Unit(one.name, factor, kept, 0.0, one.turns + power * other.turns, one.cycles + power * other.cycles)


NO_UNIT = Unit("", 1.0, ())
_DEGREE = math.pi / 180
MINUTE_MARKS = {"'": Unit("'", _DEGREE / 60, (), turns=1.0), "''": Unit("''", _DEGREE / 3600, (), turns=1.0)}

_SUN = r"\{?\s?\\?(?:odot|bigodot|sun|⊙|☉)\s?\}?"
_EARTH = r"\{?\s?\\?(?:oplus|earth|⊕)\s?\}?"
_MULTI_WORD = re.compile(
    r"(?i:light[ -]years?|electron volts?|degrees? (?:celsius|fahrenheit)|solar (?:mass(?:es)?|radi(?:us|i))"
    r"|astronomical units?|earth masses|deg(?:rees?)?\.? ?[cfk])(?![A-Za-z])"
    r"|[kMGT]?eV ?/ ?c(?![A-Za-z])(?: ?\^ ?(?:\{ ?2 ?\}|2))?"
    rf"|mm ?Hg(?![A-Za-z])|[MRL] ?_ ?{_SUN}|[MR] ?_ ?{_EARTH}"
)
_NAME = re.compile(r"° ?[CFK](?![A-Za-z])|[A-Za-zμΩÅ]+|°|[\u4e00-\u9fff]+")
_POWER = re.compile(
    r" ?(?:\^|\*\*) ?(?:\{ ?([+-]?\d{1,2}(?: ?/ ?\d)?) ?\}|\(([+-]?\d{1,2}(?:/\d)?)\)|([+-]?\d{1,2}))"
    r"|([2-4])(?!\d|\.)|(-[1-4])(?!\d|\.)"
)
_MULTIPLY = re.compile(r" ?(?:\\cdot|\\times|\*|\.(?=[A-Za-zμΩ])|-(?=[A-Za-zμΩ])) ?| (?=[A-Za-zμΩÅ°(\\])|(?=[(\\μΩ°])")
_DIVIDE = re.compile(r" ?(?:/|÷|\bper\b) ?|每")
_INVERSE = re.compile(r" ?(?:1 ?)?(?=/)")
# Words of prose that are also unit symbols: units only directly behind the number and before nothing else.
_PROSE = frozenset({"in", "a", "as", "at", "are", "h", "d", "u", "min", "day", "b", "t", "l"})


class UnitParser:
    """Reads `factor (· factor | / factor)*`; a factor is a name with a power, a group or a fraction."""

    def __init__(self, text: str, at: int) -> None:
        self.text, self.at, self.depth = text, at, 0
        self.joined_at = -1  # where a product without a sign goes on

    def parse_product(self, *, slash_binds_all: bool = False) -> Unit | None:
        begin = self.at
        unit = self.parse_factor(is_first=True)
        sign = 1.0
        if unit is None and (inverse := _INVERSE.match(self.text, self.at)):
            unit, self.at = NO_UNIT, inverse.end()
        while unit is not None:
            start = self.at
            if divide := _DIVIDE.match(self.text, self.at):
                self.at, sign = divide.end(), -1.0
            elif self.at == self.joined_at:
                sign = sign if slash_binds_all else 1.0
            elif multiply := _MULTIPLY.match(self.text, self.at):
                self.at = multiply.end()
                sign = sign if slash_binds_all else 1.0
            else:
                break
            factor = self.parse_factor()
            if factor is None:
                self.at = start
                break
            unit = _times(unit, factor, sign)
        if unit is NO_UNIT:
            self.at = begin
            return None
        return unit

    def parse_factor(self, *, is_first: bool = False) -> Unit | None:
        start = self.at
        unit = self._parse_base(is_first)
        if unit is None:
            self.at = start
            return None
        if power := _POWER.match(self.text, self.at):
            self.at = power.end()
            spelled = next(group for group in power.groups() if group)
            top, _, bottom = spelled.replace(" ", "").partition("/")
            exponent = float(top) / float(bottom or 1)
            return _times(NO_UNIT, unit, exponent) if exponent != 1 else unit
        return unit

    def _parse_base(self, is_first: bool) -> Unit | None:
        self._skip_space()
        if self.text.startswith("\\frac", self.at):
            return self._parse_fraction()
        if self.text.startswith(("(", "{"), self.at):
            return self._parse_group()
        if match := _MULTI_WORD.match(self.text, self.at):
            self.at = match.end()
            return self._named_group(match[0])
        match = _NAME.match(self.text, self.at)
        if match is None:
            return None
        name = match[0].replace(" ", "")
        if name in JOINED:
            self.at = self.joined_at = self.at + len(JOINED[name])
            return _find(JOINED[name])
        unit = _find(name)
        if unit is None and "\u4e00" <= name[0] <= "\u9fff":
            name = next((name[:size] for size in range(min(4, len(name)), 0, -1) if name[:size] in CHINESE), name)
            unit = _find(name)
            match = re.compile(re.escape(name)).match(self.text, self.at) or match
        if unit is not None and name in _PROSE and not is_first and self._is_in_prose(match.end()):
            return None
        if unit is not None:
            self.at = match.end()
        return unit

    def _is_in_prose(self, end: int) -> bool:
        """A word like `in` behind another unit and before a further word is no unit."""
        return self.text[self.at - 1 : self.at] == " " and re.compile(r"\s+[A-Za-z]").match(self.text, end) is not None

    def _named_group(self, text: str) -> Unit | None:
        compact = text.lower().replace(" ", "")
        if re.fullmatch(r"deg(?:rees?)?\.?[cfk]", compact):
            return _find(f"°{compact[-1].upper()}")
        if compact == "mmhg":
            return _find("mmHg")
        if "ev/c" in compact:
            return self._electron_volt_over_c(text)
        if "_" in compact:
            body = "earth" if re.search(r"oplus|earth|⊕", compact) else "sun"
            return _find(f"{text[0].upper()}_{body}")
        return _find_word(text.lower())

    def _electron_volt_over_c(self, text: str) -> Unit | None:
        """Particle physics writes masses in eV/c^2 and momenta in eV/c."""
        energy = _find(text[: text.index("eV") + 2].strip())
        speed = _named("speed_of_light", 0, "c")
        return _times(energy, speed, -2.0 if "2" in text else -1.0) if energy else None

    def _parse_group(self) -> Unit | None:
        close = ")" if self.text[self.at] == "(" else "}"
        self.at += 1
        self.depth += 1
        unit = self.parse_product() if self.depth < 8 else None
        self._skip_space()
        if unit is None or not self.text.startswith(close, self.at):
            return None
        self.at += 1
        return unit

    def _parse_fraction(self) -> Unit | None:
        self.at += len("\\frac")
        self._skip_space()
        parts: list[Unit] = []
        for _ in range(2):
            if self.text.startswith("{1}", self.at):
                self.at += 3
                parts.append(NO_UNIT)
                continue
            if not self.text.startswith("{", self.at) or (part := self._parse_group()) is None:
                return None
            parts.append(part)
            self._skip_space()
        return _times(parts[0], parts[1], -1.0)

    def _skip_space(self) -> None:
        while self.text.startswith(" ", self.at):
            self.at += 1


@lru_cache(maxsize=4096)
def parse_unit(text: str, at: int = 0) -> tuple[Unit, int] | None:
    """The longest unit that starts at `at` of a normalised text, with its end; None where there is none.

    `J/kg K` and `ms^{-1}` have two readings: the second is among the alternatives.
    """
    parser = UnitParser(text, at)
    try:
        unit = parser.parse_product()
    except OverflowError:
        return None
    if unit is None or not (0 < unit.factor < math.inf):  # barn^{13} is no unit but an attack
        return None
    alternatives: tuple[Unit, ...] = ()
    name = text[at : parser.at].strip()
    if "/" in name:
        other = UnitParser(text, at)
        bound = other.parse_product(slash_binds_all=True)
        if bound is not None and other.at == parser.at and bound.dimensions != unit.dimensions:
            alternatives = (_renamed(bound, name),)
    if _MILLI_OR_METER.search(name) and (apart := _read_whole(_MILLI_OR_METER.sub("m s", name))):
        alternatives = (*alternatives, _renamed(apart, name))
    return _renamed(unit, name, alternatives), parser.at


_MILLI_OR_METER = re.compile(r"(?<![A-Za-z])ms(?= ?\^ ?\{? ?-|-\d)")  # ms^{-1} is often meant as m s^{-1}


def _read_whole(text: str) -> Unit | None:
    parser = UnitParser(text, 0)
    unit = parser.parse_product()
    return unit if parser.at == len(text) else None


def _renamed(unit: Unit, name: str, alternatives: tuple[Unit, ...] = ()) -> Unit:
    return Unit(name, unit.factor, unit.dimensions, unit.offset, unit.turns, unit.cycles, alternatives)


@lru_cache(maxsize=1024)
def read_unit(text: str) -> Unit | None:
    """The unit that a normalised text holds and nothing else; `%` is 0.01."""
    text = text.strip().rstrip(".,;").strip()
    if text in ("%", "percent", "per cent"):
        return Unit("%", 0.01, ())
    found = parse_unit(text)
    return found[0] if found and found[1] == len(text) else None


__all__ = ["MINUTE_MARKS", "NO_UNIT", "Unit", "parse_unit", "read_unit"]
