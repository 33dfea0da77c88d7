r"""Commands of the packages siunitx and physics, written out in plain LaTeX: `\SI{9.8}{\meter\per\second\squared}`.

`spell_out` touches a text only where it holds such a command; what it cannot read stays as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from scoring.errors import ParseError
from scoring.latex_tokens import find_group_end

MAX_CHARACTERS = 60_000
MAX_COMMANDS = 200

_LONE_SIGN = re.compile(r"(\\[A-Za-z]+\s*|[\^_}\]]\s*)?\{\s?([-+=]|\\(?:cdot|times|pm|mp))\s?\}")
_GREEK_BEFORE = re.compile(
    r"\\(?:alpha|beta|gamma|delta|epsilon|varepsilon|zeta|eta|theta|vartheta|kappa|lambda|mu|nu|xi|pi|rho|sigma|tau|phi"
    r"|varphi|chi|psi|omega|Gamma|Delta|Theta|Lambda|Xi|Pi|Sigma|Phi|Psi|Omega|hbar|ell|infty|cdot|times|pm|mp|approx"
    r"|sim|to|le|leq|ge|geq|propto|equiv)\s*"
)


@lru_cache(maxsize=4096)
def spell_out(text: str) -> str:
    """The text in commands that every reader of formulas knows; as it was, where it holds none of the packages'."""
    if len(text) > MAX_CHARACTERS or _NEEDED.search(text) is None:
        return text
    text = _LONE_SIGN.sub(_open_sign, text)
    position = 0
    for _ in range(MAX_COMMANDS):
        match = _COMMAND.search(text, position)
        if match is None:
            break
        try:
            written, end = _write(text, match)
        except ParseError:
            position = match.end()
            continue
        text = text[: match.start()] + written + text[end:]
        position = match.start()
    return text


def _open_sign(match: re.Match[str]) -> str:
    """`5{-}3` is 5 - 3; a sign in an index, a power or a command's group stays there."""
    before = match[1]
    if before and not _GREEK_BEFORE.fullmatch(before):
        return match[0]
    return f"{before or ''}{match[2]} "


def _write(text: str, match: re.Match[str]) -> tuple[str, int]:
    """What stands for the command at the match, and where it ends. Raises ParseError where it has no such groups."""
    name = match[0].lstrip("\\")
    if name[-1] in "<>":
        return ("\\langle " if name[-1] == "<" else "\\rangle "), match.end()
    return _WRITERS[name](_Reader(text, match.end()))


class _Reader:
    """Reads what follows a command: a star, options, groups."""

    def __init__(self, text: str, position: int) -> None:
        self.text, self.position = text, position
        self.skip()
        if self.text.startswith("*", self.position):
            self.position += 1

    def skip(self) -> None:
        while self.text.startswith(" ", self.position):
            self.position += 1

    def has(self, sign: str) -> bool:
        self.skip()
        return self.text.startswith(sign, self.position)

    def option(self) -> str:
        """`[..]`, empty where there is none."""
        if not self.has("["):
            return ""
        end = self.text.find("]", self.position)
        if end < 0:
            raise ParseError("an option is not closed")
        found, self.position = self.text[self.position + 1 : end], end + 1
        return found

    def group(self) -> str:
        """`{..}` or one sign. Raises ParseError where nothing follows."""
        if self.has("{"):
            end = find_group_end(self.text, self.position)
            found, self.position = self.text[self.position + 1 : end], end + 1
            return found
        match = _ONE.match(self.text, self.position)
        if match is None:
            raise ParseError("an argument is missing")
        self.position = match.end()
        return match[0]

    def groups(self, most: int) -> list[str]:
        """One group or sign, then further groups in braces that touch it."""
        found = [self.group()]
        while len(found) < most and self.text.startswith("{", self.position):
            found.append(self.group())
        return found


_ONE = re.compile(r"\\[A-Za-z]+|[A-Za-z0-9]")
_Written = tuple[str, int]


def _number(reader: _Reader) -> _Written:
    reader.option()
    return _spell_number(reader.group()), reader.position


def _quantity_of(reader: _Reader) -> _Written:
    reader.option()
    number = reader.group()
    reader.option()
    return f"{_spell_number(number)}\\,{_spell_unit(reader.group())}", reader.position


def _unit(reader: _Reader) -> _Written:
    reader.option()
    return _spell_unit(reader.group()), reader.position


def _angle(reader: _Reader) -> _Written:
    reader.option()
    angle = reader.group()
    if ";" in angle:
        raise ParseError("an angle in minutes")
    return f"{_spell_number(angle)}^{{\\circ}}", reader.position


def _quantity(reader: _Reader) -> _Written:
    r"""`\qty{3}{\m}` is siunitx; `\qty(..)`, `\qty[..]`, `\qty{..}` of physics are brackets."""
    if reader.has("("):
        return "", reader.position
    if reader.has("{"):
        first = reader.group()
        if reader.text.startswith("{", reader.position):
            return f"{_spell_number(first)}\\,{_spell_unit(reader.group())}", reader.position
        return f"({first})", reader.position
    option = reader.option()
    if not option:
        raise ParseError("a bracket is missing")
    return _quantity(reader) if reader.has("{") else (f"({option})", reader.position)


_SCIENTIFIC = re.compile(r"([-+]?[\d.,()\s]*)(?:\\times\s*+10\^|[eEdD])\s*+\{?([-+]?\d+)\}?")


def _spell_number(number: str) -> str:
    """`1.2e3` as a power of ten; `e3` alone is one too."""
    number = number.strip().replace("+-", "\\pm ")
    match = _SCIENTIFIC.fullmatch(number)
    if match is None:
        return number
    power = f"10^{{{match[2].lstrip('+')}}}"
    mantissa = match[1].strip()
    return f"{mantissa}\\times {power}" if mantissa.strip("+-") else f"{mantissa}{power}"


_UNIT_PART = re.compile(
    r"\\(?P<name>[A-Za-z]+|%)|(?P<letters>[A-Za-zμµΩ°Å%]+)|\^\s*(?P<power>\{\s*[-+]?\d+\s*\}|[-+]?\d)|(?P<slash>/)"
    r"|(?P<apart>[.~*\s{}()·]|\\[,;:! ])"
)
_PREFIX = {
    "yocto": "y", "zepto": "z", "atto": "a", "femto": "f", "pico": "p", "nano": "n", "micro": "μ", "milli": "m",
    "centi": "c", "deci": "d", "deca": "da", "deka": "da", "hecto": "h", "kilo": "k", "mega": "M", "giga": "G",
    "tera": "T", "peta": "P", "exa": "E",
}  # fmt: skip
_UNIT_NAME = {
    "metre": "m", "meter": "m", "second": "s", "gram": "g", "kilogram": "kg", "ampere": "A", "kelvin": "K",
    "mole": "mol", "candela": "cd", "newton": "N", "joule": "J", "watt": "W", "pascal": "Pa", "hertz": "Hz",
    "coulomb": "C", "volt": "V", "ohm": "Ω", "farad": "F", "henry": "H", "tesla": "T", "weber": "Wb", "siemens": "S",
    "radian": "rad", "steradian": "sr", "lumen": "lm", "lux": "lx", "becquerel": "Bq", "gray": "Gy", "sievert": "Sv",
    "degreeCelsius": "°C", "celsius": "°C", "degree": "°", "arcminute": "'", "arcsecond": "''", "minute": "min",
    "hour": "h", "day": "d", "litre": "L", "liter": "L", "tonne": "t", "electronvolt": "eV", "bar": "bar",
    "astronomicalunit": "au", "parsec": "pc", "angstrom": "Å", "percent": "%", "atomicmassunit": "u", "dalton": "u",
    "decibel": "dB", "um": "μm", "us": "μs", "ug": "μg", "uA": "μA", "uV": "μV", "uF": "μF", "uC": "μC", "uJ": "μJ",
    "uN": "μN", "uW": "μW", "uT": "μT", "cdot": "", "text": "", "mathrm": "", "mu": "μ", "Omega": "Ω",
}  # fmt: skip
_POWER = re.compile(r"\{?\s*([-+]?\d{1,2})\s*\}?")
_POWER_WORDS = {"squared": 2, "cubed": 3}
_POWER_BEFORE = {"square": 2, "cubic": 3}
_MAX_UNITS = 30


def _spell_unit(unit: str) -> str:
    r"""`\kilo\gram\per\cubic\metre`, `kg.m^{-3}` and `kg/m^3` as `\mathrm{kg\cdot m^{-3}}`. Raises ParseError."""
    found: list[tuple[str, int]] = []
    prefix, power, is_per, is_below = "", 1, False, False
    position = 0
    while position < len(unit):
        part = _UNIT_PART.match(unit, position)
        if part is None or len(found) > _MAX_UNITS:
            raise ParseError("no unit")
        position = part.end()
        name = part["name"] or part["letters"]
        if part["apart"]:
            continue
        if part["slash"]:
            is_below = True
        elif part["power"]:
            found = _raise_last(found, _read_power(part["power"]))
        elif name == "per":
            is_per = True
        elif name in ("tothe", "raiseto"):
            end = find_group_end(unit, position)
            number = _read_power(unit[position : end + 1])
            position = end + 1
            power, found = (number, found) if name == "raiseto" else (power, _raise_last(found, number))
        elif name in _POWER_WORDS:
            found = _raise_last(found, _POWER_WORDS[name])
        elif name in _POWER_BEFORE:
            power = _POWER_BEFORE[name]
        elif part["name"] and name in _PREFIX:
            prefix = _PREFIX[name]
        elif symbol := prefix + (_UNIT_NAME.get(name, name) if part["name"] else name):
            found.append((symbol, -power if is_per or is_below else power))
            prefix, power, is_per = "", 1, False
    if not found:
        raise ParseError("no unit")
    return "\\mathrm{" + "\\cdot ".join(s if n == 1 else f"{s}^{{{n}}}" for s, n in found) + "}"


def _read_power(text: str) -> int:
    match = _POWER.fullmatch(text)
    if match is None:
        raise ParseError("no power of a unit")
    return int(match[1])


def _raise_last(found: list[tuple[str, int]], power: int) -> list[tuple[str, int]]:
    if not found:
        raise ParseError("a power without a unit")
    symbol, sign = found[-1]
    return [*found[:-1], (symbol, power * sign)]


def _around(opening: str, closing: str) -> Callable[[_Reader], _Written]:
    def write(reader: _Reader) -> _Written:
        return f"{opening}{reader.group()}{closing}", reader.position

    return write


def _plain(written: str) -> Callable[[_Reader], _Written]:
    return lambda reader: (written, reader.position)


def _derivative(sign: str) -> Callable[[_Reader], _Written]:
    r"""`\dv[2]{x}{t}`, `\dv{t}`, `\pdv{f}{x}{y}`."""

    def write(reader: _Reader) -> _Written:
        order = reader.option().strip()
        first, *below = reader.groups(3)
        if not below:
            first, below = "", [first]
        if len(below) == 2:
            order = "2"
        power = f"^{{{order}}}" if order else ""
        bottom = " ".join(f"{sign}{{{name}}}" for name in below) if len(below) == 2 else f"{sign}{below[0]}{power}"
        return rf"\frac{{{sign}{power}{first}}}{{{bottom}}}", reader.position

    return write


def _differential(reader: _Reader) -> _Written:
    order = reader.option().strip()
    power = f"^{{{order}}}" if order else ""
    if reader.has("("):
        return f"d{power}", reader.position
    return f"d{power}{reader.group()}", reader.position


def _expectation(reader: _Reader) -> _Written:
    first, *state = reader.groups(2)
    return (rf"\langle {state[0]}|{first}|{state[0]}\rangle" if state else rf"\langle {first}\rangle"), reader.position


def _braket(reader: _Reader) -> _Written:
    first, *second = reader.groups(2)
    return rf"\langle {first}|{second[0]}\rangle" if second else rf"\langle {first}\rangle", reader.position


def _flat_fraction(reader: _Reader) -> _Written:
    return rf"\frac{{{reader.group()}}}{{{reader.group()}}}", reader.position


_BOLD, _ARROW, _HAT = _around("\\mathbf{", "}"), _around("\\vec{", "}"), _around("\\hat{", "}")
_TOTAL, _PARTIAL = _derivative("d "), _derivative("\\partial ")
_WRITERS: dict[str, Callable[[_Reader], _Written]] = {
    "num": _number, "SI": _quantity_of, "si": _unit, "unit": _unit, "ang": _angle,
    "qty": _quantity, "quantity": _quantity, "pqty": _around("(", ")"), "bqty": _around("(", ")"),
    "vqty": _around("|", "|"), "flatfrac": _flat_fraction,
    "vb": _BOLD, "vectorbold": _BOLD, "va": _ARROW, "vectorarrow": _ARROW, "vu": _HAT, "vectorunit": _HAT,
    "dv": _TOTAL, "derivative": _TOTAL,
    "pdv": _PARTIAL, "pderivative": _PARTIAL, "partialderivative": _PARTIAL,
    "dd": _differential, "differential": _differential,
    "ev": _expectation, "expval": _expectation, "expectationvalue": _expectation,
    "bra": _around("\\langle ", "|"), "ket": _around("|", "\\rangle "),
    "braket": _braket, "ip": _braket, "innerproduct": _braket,
    "cross": _plain("\\times "), "crossproduct": _plain("\\times "), "vdot": _plain("\\cdot "),
    "dotproduct": _plain("\\cdot "), "grad": _plain("\\nabla "), "gradient": _plain("\\nabla "),
    "laplacian": _plain("\\nabla^{2}"),
}  # fmt: skip
_COMMAND = re.compile(rf"\\(?:{'|'.join(sorted(_WRITERS, key=len, reverse=True))})(?![A-Za-z])|\\(?:left|right)\s?[<>]")
_NEEDED = re.compile(rf"{_COMMAND.pattern}|\{{\s?(?:[-+=]|\\(?:cdot|times|pm|mp))\s?\}}")
