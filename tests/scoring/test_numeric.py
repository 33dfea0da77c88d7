"""Numbers with units: how they are written, how exactly they are given, and what a unit makes of them."""

from __future__ import annotations

from decimal import Decimal

import pytest

from scoring.errors import DeadlineExceeded, ParseError
from scoring.numeric import compare_numeric, read_interval, read_numbers
from scoring.quantity import read_quantity
from scoring.units import read_unit
from scoring.value_text import normalise

SPELLINGS = r"""
1.6\times10^{-19} | 1.6 \times 10^{-19} | 1.6×10⁻¹⁹ | 1.6 x 10^-19 | 1.6X10^-19 | 1.6*10^-19 | 1.6*10**-19
| 1.6\cdot 10^{-19} | 1.6·10^{−19} | 1.6e-19 | 1.6E-19 | 1.6*10^(-19) | $1.6\times 10^{-19}$ | １.６e-19
"""


@pytest.mark.parametrize("text", [spelling.strip() for spelling in SPELLINGS.split("|")])
def test_scientific_notation_in_all_its_spellings(text: str) -> None:
    assert read_quantity(normalise(text)).value == Decimal("1.6e-19")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,000", "1000"),
        ("1{,}000", "1000"),
        (r"1\,000", "1000"),
        ("1\u2009000", "1000"),
        ("12,345,678.5", "12345678.5"),
        ("0,35", "0.35"),
        ("3,14", "3.14"),
        ("½", "0.5"),
        (".5", "0.5"),
        ("5.", "5"),
        ("−3", "-3"),
        ("10⁻³", "0.001"),
        ("10^{2}", "100"),
        ("5!", "120"),
        ("1.672(5)", "1.672"),
        ("14.8 \\pm 0.2", "14.8"),
        ("35 %", "0.35"),
        ("35 percent", "0.35"),
        ("5‰", "5"),
    ],
)
def test_other_spellings_of_numbers(text: str, value: str) -> None:
    assert abs(read_quantity(normalise(text)).value - Decimal(value)) < Decimal("1e-20")


@pytest.mark.parametrize(
    "text", ["", "x", "None", "E", "2x", "x^2", "5 m or 6 m", "1:2", "1 2", "\\frac{1}{0}", "((((", "2+"]
)
def test_other_text_is_no_number(text: str) -> None:
    with pytest.raises(ParseError):
        quantity = read_quantity(normalise(text))
        if quantity.unknown:
            raise ParseError("a symbol follows")


@pytest.mark.parametrize("text", ["10^{10^{10}}", "1e999999999", "10^{999999999}"])
def test_powers_without_bound_are_refused_before_they_are_computed(text: str) -> None:
    with pytest.raises((DeadlineExceeded, ParseError)):
        read_quantity(normalise(text))


@pytest.mark.parametrize(
    ("text", "digits", "half", "is_integer"),
    [
        ("2", 1, "0.5", True),
        ("2.0", 2, "0.05", False),
        ("80600", 3, "50", False),
        ("1.35\\times10^{3}", 3, "5", False),
        ("0.0052", 2, "0.00005", False),
        ("100", 3, "0.5", True),
        ("\\frac{4}{3}", 0, "0", False),
        ("2 m", 1, "0.5", False),
    ],
)
def test_a_number_keeps_how_exactly_it_was_given(text: str, digits: int, half: str, is_integer: bool) -> None:
    quantity = read_quantity(normalise(text))
    assert (quantity.digits, quantity.half_unit, quantity.is_integer) == (digits, Decimal(half), is_integer)


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [
        ("kN", "N", 1e3),
        (r"\mathrm{kg}/\mathrm{m}^3", "g/cm^3", 1e-3),
        (r"\mu m", "m", 1e-6),
        (r"$\mathrm{\mu m}$", "μm", 1),
        (r"k\Omega", "Ω", 1e3),
        ("m s^{-1}", "km/h", 3.6),
        ("N·m", "J", 1),
        ("mm Hg", "torr", 1),
        ("eV", "J", 1.602176634e-19),
        (r"$W/(m^2 \mathrm{K})$", r"W m^{-2} K^{-1}", 1),
        (r"\frac{GV}{m}", "V/m", 1e9),
        (r"$M_{\odot}$", "kg", 1.98841e30),
        ("degrees", "°", 1),
        (r"$^{\circ}$", "degree", 1),
        ("h", "min", 60),
        ("years", "yr", 1),
        ("千克", "kg", 1),
        ("千米/小时", "km/h", 1),
        ("MeV/c^2", "keV/c^2", 1e3),
        (r"\mathrm{m}\,\mathrm{s}^{-2}", "m/s²", 1),
    ],
)
def test_spellings_of_units(one: str, other: str, ratio: float) -> None:
    mine, theirs = read_unit(normalise(one)), read_unit(normalise(other))
    assert mine and theirs and mine.fits(theirs)
    assert mine.factor / theirs.factor == pytest.approx(ratio, rel=1e-6)


@pytest.mark.parametrize(
    "text",
    [
        "n",
        "kn",
        "KN",
        "x",
        "c",
        "e",
        "k",
        "R",
        "pa",
        "hz",
        "Kg",
        "",
        "the",
        "mgx",
        "__import__",
        "b^{13}",
        "Em^{40}",
        "b^9 b^9 b^9",
    ],
)
def test_case_and_symbols_that_are_no_units(text: str) -> None:
    assert read_unit(normalise(text)) is None


def test_equal_dimensions_do_not_make_cycles_of_angles() -> None:
    hertz, angular = read_unit("Hz"), read_unit("rad/s")
    assert hertz and angular and hertz.dimensions == angular.dimensions and not hertz.fits(angular)


def verdict(
    target: str, answer: str, unit: str = "", tolerance: float | None = None
) -> tuple[bool | None, tuple[str, ...]]:
    found = compare_numeric(normalise(target), normalise(answer), normalise(unit), tolerance)
    return found.equal, found.flags


def test_a_bare_number_is_read_in_the_units_of_the_reference_or_in_si_and_says_which() -> None:
    assert verdict("46.3 kN", "46.3") == (True, ("bare number read in kN",))
    assert verdict("46.3 kN", "46300") == (True, ("bare number read in SI",))
    assert verdict("46.3", "46300", "kN") == (True, ("bare number read in SI",))
    assert verdict("1.35e3", "1.35e3 W/m^2") == (True, ("unit not in the reference",))


def test_a_near_number_waits_for_a_judge_and_counts_without_one_if_two_digits_were_given() -> None:
    near = compare_numeric("1.8e-4", "1.83e-4")
    assert near.equal is None and near.flags == ("near",) and near.is_right
    rough = compare_numeric("0.3", "0.31")
    assert rough.equal is None and not rough.is_right
    assert verdict("7.7", "7.9")[0] is False
    assert verdict("2.5e3", "2.63e3")[0] is False


def test_the_tolerance_is_relative_and_can_be_set() -> None:
    assert verdict("1.00e-34", "1.009e-34")[0] is True
    assert verdict("1.00e-34", "1.02e-34")[0] is False
    assert verdict("1.00", "1.04", tolerance=0.05)[0] is True
    assert verdict("1.00", "1.001", tolerance=1e-6)[0] is False
    assert verdict("3", "3.02", tolerance=0.01)[0] is True


def test_intervals_are_closed_and_may_lack_a_bracket() -> None:
    interval = read_interval(normalise(r"[1.7 \times 10^{16} \mathrm{s}, 2.1 \times 10^{16} \mathrm{s}"))
    assert interval and interval.low.unit and interval.low.value == Decimal("1.7e16")
    assert read_interval("[2, 1]") is None
    assert read_interval("(1, 2)") is None
    assert verdict("[14.6, 15]", "15")[0] is True
    assert verdict("[14.6, 15]", "15.01")[0] is False


def test_a_chain_states_its_last_member_and_the_one_before_rounding() -> None:
    assert [number.value for number in read_numbers(normalise(r"a = b = 1.333 \approx 1.3"))] == [
        Decimal("1.3"),
        Decimal("1.333"),
    ]
    assert [number.value for number in read_numbers("a = 2 = 3")] == [Decimal(3)]


def test_a_number_of_too_many_digits_is_refused_by_its_length() -> None:
    with pytest.raises(DeadlineExceeded, match="number of 5000 digits"):
        read_quantity("9" * 5000)
    with pytest.raises(DeadlineExceeded, match="a power of ten of 999999999"):
        read_quantity("1e999999999")
