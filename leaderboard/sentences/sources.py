"""Where published numbers are from and how they were made, as our own tables of them say it."""

from __future__ import annotations

from django.utils.translation import gettext_noop

SOURCES = (
    gettext_noop("%(name)s paper, Table %(n)s"),
    gettext_noop("%(name)s paper, Table %(n)s (%(paper)s)"),
    gettext_noop("%(name)s paper, Figure %(n)s (%(paper)s)"),
    gettext_noop("%(name)s paper, Figure %(n)s"),
    gettext_noop("%(name)s leaderboard"),
    gettext_noop("%(name)s leaderboard (%(place)s)"),
    gettext_noop("evalscope benchmark card"),
    gettext_noop("theory part, mean of %(n)s runs, the better of answer and step level"),
    gettext_noop(
        "the contest's own marking of the whole theory paper, diagrams drawn by hand included; full mark %(n)s"
    ),
    gettext_noop(
        "%(n)s students, %(of)s problems each, %(at)s hours; accuracy %(accuracy)s ± %(size)s, EED %(eed)s ± %(digits)s"
    ),
    gettext_noop("judge %(judge)s"),
    gettext_noop("%(n)s runs"),
    gettext_noop("temperature %(n)s"),
    gettext_noop("figures from textbooks: not redistributed"),
)
