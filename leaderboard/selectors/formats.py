"""Numbers as they are printed: one decimal more than the interval justifies is never shown."""

from __future__ import annotations

import math
from decimal import Decimal

from django.utils.formats import number_format
from django.utils.translation import gettext as _

POINTS = frozenset({"exam_score", "eed"})
RATES = frozenset({"f1_score", "precision", "recall"})


def print_metric(metric: str, value: float | None, *, with_unit: bool = True) -> str:
    """`61.4 %` for a rate, `0.824` for an F1, `22.7` for points; a dash for what is missing."""
    if value is None:
        return "–"
    if metric in POINTS:
        return number_format(round(value, 1), 1)
    if metric in RATES:
        return number_format(round(value, 3), 3)
    return f"{number_format(round(100 * value, 1), 1)}{chr(8239) + '%' if with_unit else ''}"


def metric_label(metric: str) -> str:
    labels = {
        "exam_score": _("Exam points"),
        "eed": _("EED"),
        "accuracy": _("Accuracy"),
        "accuracy_macro": _("Macro accuracy"),
        "f1_score": _("F1"),
        "precision": _("Precision"),
        "recall": _("Recall"),
        "yes_ratio": _("Says YES"),
        "no_answer": _("No answer"),
        "gold": _("Gold medals"),
        "silver": _("Silver medals"),
        "bronze": _("Bronze medals"),
        "string_match": _("String match"),
    }
    return labels.get(metric, metric)


def print_points(value: object) -> str:
    """Points without trailing zeros: `0.2`, `1`, `29.4`."""
    text = f"{value:.4f}".rstrip("0").rstrip(".") if value is not None else "–"
    return text or "0"


def print_share(value: float | None) -> str:
    """A share of samples: `0 %`, `0.4 %`, `12 %`; a dash for what is missing."""
    if value is None:
        return "–"
    percent = 100 * value
    digits = 0 if percent >= 10 or percent == 0 or percent == 100 else 1
    return f"{number_format(round(percent, digits), digits)}\u202f%"


def print_count(value: float | None) -> str:
    """A whole number with thin spaces between its thousands; a dash for what is missing."""
    return "–" if value is None else f"{round(value):,}".replace(",", "\u202f")


def print_cost(usd: float | None) -> str:
    """US dollars with two significant digits: `$0.042`, `$0.000066`, `$1.20`."""
    if usd is None:
        return "–"
    if usd >= 1:
        return f"${usd:.2f}"
    return f"${Decimal(f'{usd:.2g}'):f}"


def print_signed(metric: str, value: float) -> str:
    """A difference with its sign, the minus as printers set it; a dash for what is undefined."""
    if math.isnan(value):
        return "–"
    return f"{'−' if value < 0 else '+'}{print_metric(metric, abs(value))}"


def print_points_gap(gap: float, low: float | None = None, high: float | None = None) -> str:
    """A difference of rates in points of per cent, with its interval: `−3.8 [−8.0, +0.4]`."""
    ends = [end for end in (low, high) if end is not None]
    interval = f" [{', '.join(map(_signed_points, ends))}]" if len(ends) == 2 else ""
    return _signed_points(gap) + interval


def _signed_points(value: float) -> str:
    text = f"{100 * value:+.1f}".replace("-", "−")
    return "0.0" if text in ("+0.0", "−0.0") else text
