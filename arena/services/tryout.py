"""Try it: a pasted reply against one problem, by rule alone and at once. Nothing is stored and no model is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django.utils.translation import gettext as _

from arena.benchmarks import BENCHMARKS
from arena.errors import ArenaError, Refused
from arena.models import Problem
from arena.services.prompts import to_reference
from arena.services.samples import levels_of
from arena.services.texts import clean_text
from arena.services.throttling import site_throttle
from scoring import pool

LONGEST = 200_000  # characters of a pasted reply
TRIES, TRIES_S = 20, 60.0  # from one address
ALL_TRIES = 240  # from all addresses together, in the same time: scoring has few processes


class TooMany(ArenaError):
    """Too many tries; `retry_after_s` says when to come back."""

    def __init__(self, retry_after_s: float) -> None:
        super().__init__(_("too many tries: come back in %(n)d s") % {"n": max(1, round(retry_after_s))})
        self.retry_after_s = retry_after_s


def can_try(problem: Problem) -> bool:
    """Whether the problem can be scored by rule in the open: it has answers, and none of them is withheld."""
    return "answer" in levels_of(problem) and not any(answer.is_hidden for answer in problem.answers.all())


def score_pasted(problem: Problem, text: str, *, address: str) -> Mapping[str, Any]:
    """The outcome in the shape of `python -m scoring`. Raises Refused, TooMany.

    problem: loaded by `services.samples.with_references`. address: of the visitor, for the throttle alone.
    """
    if not can_try(problem):
        raise Refused("", _("the reference answer of this problem is withheld"))
    if not text.strip():
        raise Refused("reply", _("paste a reply first"))
    if len(text) > LONGEST:
        raise Refused("reply", _("is longer than %(most)s characters") % {"most": f"{LONGEST:,}"})
    for key, most in ((f"try:{address}", TRIES), ("try-all", ALL_TRIES)):
        allowance = site_throttle().allow(key, most, TRIES_S)
        if not allowance:
            raise TooMany(allowance.retry_after_s)
    adapter = BENCHMARKS[problem.subset.benchmark.adapter]
    request = {
        "scorer": adapter.scorer,
        "reference": asdict(to_reference(problem)),
        "reply": clean_text(text),
        "policy": "corrected",
    }
    return pool.get_pool().score(request)
