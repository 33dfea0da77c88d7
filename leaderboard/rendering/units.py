"""Quantities of the LaTeX package siunitx, `\\SI{9.81}{\\meter\\per\\second\\squared}`, in LaTeX without it."""

from __future__ import annotations

import re

_PREFIXES = (
    r"yotta Y zetta Z exa E peta P tera T giga G mega M kilo k hecto h deca da deka da deci d centi c milli m "
    r"micro \mu nano n pico p femto f atto a zepto z yocto y"
)
_UNITS = (
    r"meter m metre m second s gram g kilogram kg ampere A kelvin K mole mol candela cd hertz Hz newton N pascal Pa "
    r"joule J watt W coulomb C volt V farad F ohm \Omega siemens S weber Wb tesla T henry H lumen lm lux lx "
    r"becquerel Bq gray Gy sievert Sv katal kat radian rad steradian sr minute min hour h day d year yr liter L "
    r"litre L tonne t electronvolt eV dalton Da bar bar atm atm astronomicalunit au parsec pc lightyear ly bel B "
    r"decibel dB byte B bit bit hectare ha calorie cal erg erg gauss G dyne dyn poise P angstrom \mathring{A} "
    r"percent \% degree {}^{\circ} degreeCelsius {}^{\circ}C degC {}^{\circ}C "
    r"celsius {}^{\circ}C arcminute ' arcsecond '' clight c mmHg mmHg bohr a_0 hartree E_h"
)
PREFIXES = dict(zip(_PREFIXES.split()[::2], _PREFIXES.split()[1::2], strict=True))
UNITS = dict(zip(_UNITS.split()[::2], _UNITS.split()[1::2], strict=True))
BEFORE, AFTER = {"square": "2", "cubic": "3"}, {"squared": "2", "cubed": "3"}
STEP = re.compile(r"\\(?P<word>[a-zA-Z]+)(?:\s*\{(?P<power>[^{}]*)\})?|\\(?P<space>[,;:! ])|(?P<other>[^\\]+)")
SCIENTIFIC = re.compile(r"\s*([-+]?[\d.,\s]*(?:\(\d+\))?)[eEdD]\s*([-+]?\d+)\s*")
# `\\kg`, `\\MHz`: a prefix and a unit in one command.
SHORT = re.compile(r"([fpnumcdkMGT]?)(g|m|s|h|mol|A|L|l|Hz|N|Pa|V|W|J|eV|F|H|C|K|T|Wh|ohm|bar|rad|b|B)")
PHYSICAL = re.compile(r"\s*([-+]?\d[\d.,]*(?:\s*(?:[eE]|[x*]\s*10\^)\s*[-+]?\d+)?)?\s*(.*)", re.DOTALL)
EXPONENT = re.compile(r"(?<=[A-Za-z])\^?(-?\d+)")


def write_number(text: str) -> str:
    """`1.5e-10` as a product with a power of ten; anything else as it is, `+-` as a sign."""
    if match := SCIENTIFIC.fullmatch(text):
        power = rf"10^{{{match[2].lstrip('+')}}}"
        return rf"{match[1].strip()}\times {power}" if match[1].strip(" +") else power
    return text.replace("+-", r"\pm ")


def write_unit(text: str) -> str:
    """The unit in upright letters; words that siunitx does not know stay as they are written."""
    out: list[str] = []
    prefix = ""
    is_divided, power = False, ""
    for step in STEP.finditer(text):
        word = step["word"]
        if word is None:
            out.extend(re.split(r"[.~]", step["other"] or ""))
        elif word in PREFIXES:
            prefix += PREFIXES[word] + (" " if word == "micro" else "")
        elif word == "per":
            is_divided = True
        elif word in BEFORE:
            power = BEFORE[word]
        elif word in AFTER or word in ("tothe", "raiseto"):
            _raise_last(out, AFTER.get(word) or step["power"] or "")
        elif word in UNITS:
            name = prefix + UNITS[word]
            out.append(name + ("" if is_divided is False and not power else _exponent(is_divided, power)))
            prefix, power, is_divided = "", "", False
        elif short := SHORT.fullmatch(word):
            mark = {"u": r"\mu ", "": ""}.get(short[1], short[1])
            name = prefix + mark + {"ohm": r"\Omega"}.get(short[2], short[2])
            out.append(name + ("" if is_divided is False and not power else _exponent(is_divided, power)))
            prefix, power, is_divided = "", "", False
        else:
            out.append(step[0])
    return r"\mathrm{" + r"\,".join(part for part in out if part.strip()) + "}"


def _exponent(is_divided: bool, power: str) -> str:
    return f"^{{{'-' if is_divided else ''}{power or '1'}}}"


def _raise_last(out: list[str], power: str) -> None:
    """`\\per\\second\\squared`: the power of what stands last, which keeps its sign."""
    if not out or not power:
        return
    base, _, sign = out[-1].partition("^{-")
    out[-1] = f"{base}^{{{'-' if sign else ''}{power}}}"


def write_quantity(number: str, unit: str) -> str:
    return rf"{write_number(number)}\,{write_unit(unit)}"


def write_range(low: str, high: str, unit: str = "") -> str:
    """`\\SIrange{1}{10}{\\metre}`, `\\numrange{1}{10}`."""
    return rf"{write_number(low)}\text{{–}}{write_number(high)}" + (rf"\,{write_unit(unit)}" if unit else "")


def write_list(numbers: str, unit: str = "") -> str:
    written = r",\ ".join(write_number(number) for number in numbers.split(";"))
    return written + (rf"\,{write_unit(unit)}" if unit else "")


def write_physical(text: str) -> str:
    """`\\pu{9.81 m s-2}` of the package mhchem: a number, and units with their exponents behind them."""
    match = PHYSICAL.fullmatch(text)
    number, unit = (match[1] or "", match[2]) if match else ("", text)
    number = re.sub(r"\s*[x*]\s*10\^\s*", "e", number)
    unit = EXPONENT.sub(r"^{\1}", re.sub(r"[.\s*]+", r"\\,", unit.strip()))
    return r"\,".join(part for part in (number and write_number(number), unit and rf"\mathrm{{{unit}}}") if part)


def write_angle(text: str) -> str:
    """`45` or `45;30;5`: degrees, minutes, seconds."""
    marks = (r"^{\circ}", "'", "''")
    return r"\,".join(write_number(part) + mark for part, mark in zip(text.split(";"), marks, strict=False) if part)
