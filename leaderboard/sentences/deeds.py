"""Why a run ended early and why a reply waits for people: the words of arena.services."""

from __future__ import annotations

from django.utils.translation import gettext_noop

DEEDS = (
    # Why a run ended (services/runs.py, engine.py, budgets.py)
    gettext_noop("cancelled"),
    gettext_noop("cancelled by %(name)s"),
    gettext_noop("the account was deleted"),
    gettext_noop("the budget of %(n)s tokens is spent"),
    gettext_noop("the budget of %(n)s US dollars is spent"),
    gettext_noop("the engine failed on this run several times; see the log"),
    gettext_noop("no endpoint is known for the judge %(names)s"),
    gettext_noop("the judge: %(reason)s"),
    gettext_noop("the key cannot be stored: %(reason)s"),
    # Why a reply waits for people (services/review_policies.py, review_queue.py, doubts.py)
    gettext_noop("%(target)s: %(share)s apart"),
    gettext_noop("verdict: %(share)s apart"),
    gettext_noop("answer-level of two scorers: %(share)s apart"),
    gettext_noop("step-level of two scorers: %(share)s apart"),
    gettext_noop("a quote is not in the reply"),
    gettext_noop("a verdict was asked for more than once"),
    gettext_noop("the judge accepted what the rule refused"),
    gettext_noop("final answer and steps contradict each other"),
    gettext_noop("%(exam)s: %(n)s, gold from %(most)s"),
    gettext_noop("%(exam)s: %(n)s, silver from %(most)s"),
    gettext_noop("%(exam)s: %(n)s, bronze from %(most)s"),
    gettext_noop("line between tier %(n)s and tier %(of)s"),
    gettext_noop("%(target)s of %(problem)s"),
    gettext_noop("unparseable"),
    gettext_noop("timeout"),
    # Attempts to instruct the grader (scoring/injection.py)
    gettext_noop("voids instructions"),
    gettext_noop("orders points"),
    gettext_noop("addresses the grader"),
    gettext_noop("poses as the system"),
    gettext_noop("poses as a verdict"),
    gettext_noop("claims approval"),
)
