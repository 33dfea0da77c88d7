"""How intervals and tests are made, and why one is missing: the words of leaderboard.statistics."""

from __future__ import annotations

from django.utils.translation import gettext_noop

METHODS = (
    # Intervals (statistics/intervals.py)
    gettext_noop("cluster bootstrap"),
    gettext_noop("jackknife t"),
    gettext_noop("t over sittings"),
    gettext_noop("prediction-powered"),
    gettext_noop("sandwich"),
    gettext_noop("as published"),
    # Tests (statistics/comparisons.py, placing.py)
    gettext_noop("exact McNemar"),
    gettext_noop("paired difference, clustered, t"),
    gettext_noop("paired bootstrap error, normal"),
    gettext_noop("Welch's t over sittings"),
    # Why there is no interval, or none to trust
    gettext_noop("no scored problem"),
    gettext_noop("no problems"),
    gettext_noop("no items"),
    gettext_noop("undefined"),
    gettext_noop("undefined in %(n)s of %(of)s draws"),
    gettext_noop("undefined where one cluster is left out"),
    gettext_noop("all clusters agree: resampling cannot show the uncertainty"),
    gettext_noop("one sitting"),
    gettext_noop("all sittings agree"),
    gettext_noop("exact expectation"),
    gettext_noop("some samples are unscored"),
    gettext_noop("unscored: between %(n)s and %(of)s"),
    gettext_noop("%(n)s random reviews, %(of)s needed"),
    gettext_noop("shift %(size)s from %(n)s random reviews"),
    gettext_noop("n = %(n)s problem"),
    gettext_noop("n = %(n)s problems"),
    gettext_noop("n = %(n)s problem (%(of)s parts)"),
    gettext_noop("n = %(n)s problems (%(of)s parts)"),
    gettext_noop("n = %(n)s item"),
    gettext_noop("n = %(n)s items"),
    gettext_noop("n = %(n)s item (%(of)s parts)"),
    gettext_noop("n = %(n)s items (%(of)s parts)"),
    # Ratings of the arena (statistics/ratings.py)
    gettext_noop("no votes"),
    gettext_noop("won every battle: no finite rating, a lower bound only"),
    gettext_noop("lost every battle: no finite rating, an upper bound only"),
    # Medals over sittings (statistics/exams.py)
    gettext_noop("gold in %(n)s of %(of)s sittings"),
    gettext_noop("silver in %(n)s of %(of)s sittings"),
    gettext_noop("bronze in %(n)s of %(of)s sittings"),
    gettext_noop("no medal in %(n)s sittings"),
)
