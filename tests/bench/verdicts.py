"""Figures as lines of one table; those with a target get a verdict, and are listed once more at the end."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """Something measured. most, least: the target, from whichever side it bounds."""

    name: str
    value: float
    unit: str = ""
    most: float | None = None
    least: float | None = None
    note: str = ""

    @property
    def has_target(self) -> bool:
        return self.most is not None or self.least is not None

    @property
    def is_met(self) -> bool:
        return (self.most is None or self.value <= self.most) and (self.least is None or self.value >= self.least)

    def __str__(self) -> str:
        target = f"<= {_print(self.most)}" if self.most is not None else ""
        target = f">= {_print(self.least)}" if self.least is not None else target
        verdict = ("met" if self.is_met else "NOT MET") if self.has_target else ""
        return f"{self.name:<62}{_print(self.value):>10} {self.unit:<12}{target:<12}{verdict:<9}{self.note}".rstrip()


FIGURES: list[Figure] = []


def report(
    name: str, value: float, unit: str = "", *, most: float | None = None, least: float | None = None, note: str = ""
) -> None:
    figure = Figure(name, value, unit, most, least, note)
    FIGURES.append(figure)
    print(figure, flush=True)


def print_summary() -> None:
    wanted = [figure for figure in FIGURES if figure.has_target]
    if wanted:
        met = sum(figure.is_met for figure in wanted)
        print(f"\n== targets: {met} of {len(wanted)} met", *sorted(wanted, key=lambda f: f.is_met), sep="\n")


def _print(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
