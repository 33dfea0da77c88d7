"""How a number came to stand where it stands, in words: its mark, its basis, its interval, and why it has no rank."""

from __future__ import annotations

from django.utils.translation import gettext as _

from leaderboard.selectors.board_rows import BASELINE, REPORTED, STALE, CellValue
from leaderboard.selectors.formats import print_metric
from leaderboard.sentences import say_sentence


def mark_in_words(mark: str) -> str:
    words = {
        "measured": _("measured"),
        "uploaded": _("uploaded"),
        REPORTED: _("reported"),
        BASELINE: _("baseline"),
        STALE: _("stale"),
    }
    return words.get(mark, mark)


def basis_in_words(basis: str) -> str:
    words = {"machine": _("by machine"), "effective": _("after review"), "estimated": _("estimated from a sample")}
    return words.get(basis, basis)


def reason_in_words(reason: str) -> str:
    words = {
        "sample set": _("sample set"),
        "uploaded": _("uploaded"),
        "limited run": _("limited run"),
        "own judge": _("own judge"),
        "other scorer": _("scored by an older scorer"),
        "some subsets only": _("some subsets only"),
        "some problems only": _("some problems only"),
        "wide bounds": _("what is unscored could change more than the interval shows"),
        "descriptive": _("more of it is neither better nor worse"),
        "string match": _("shown for comparison: it hides right answers"),
        "undefined": _("undefined"),
        "superseded": _("a newer run took its place"),
        "estimate": _("an estimate from the random review sample"),
        REPORTED: _("reported, not measured here"),
        BASELINE: _("a floor, computed from the data"),
    }
    if reason.startswith("coverage "):
        return _("only %(share)s scored") % {"share": reason.removeprefix("coverage ").replace("%", "\u202f%")}
    if reason.startswith("data "):
        return _("measured on older data, %(label)s") % {"label": reason.removeprefix("data ")}
    return words.get(reason, reason)


def interval_in_words(metric: str, cell: CellValue) -> str:
    if cell.low is None or cell.high is None:
        return say_sentence(cell.note)
    return _("95 %% %(low)s to %(high)s (%(kind)s)") % {
        "low": print_metric(metric, cell.low, with_unit=False),
        "high": print_metric(metric, cell.high),
        "kind": say_sentence(cell.interval_kind),
    }
