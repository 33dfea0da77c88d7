"""Why a judge's reply is no verdict: the words of scoring's verdict reader."""

from __future__ import annotations

from django.utils.translation import gettext_noop

JUDGES = (
    gettext_noop("the judge's reply is empty"),
    gettext_noop("an error text instead of a verdict: %(said)s"),
    gettext_noop("the judge's JSON object is not complete"),
    gettext_noop("the judge's JSON object has no %(key)s"),
    gettext_noop("the only JSON objects are quotations from the candidate's text"),
    gettext_noop("no JSON object in the judge's reply: %(said)s"),
    gettext_noop("%(key)s stands twice in the judge's JSON object"),
    gettext_noop("%(key)s is missing"),
    gettext_noop("%(key)s is missing (criterion %(n)s)"),
    gettext_noop("%(key)s is %(value)s, no number"),
    gettext_noop("%(key)s is %(value)s, no number (criterion %(n)s)"),
    gettext_noop("%(key)s is %(value)s, outside 0..%(most)s"),
    gettext_noop("%(key)s is %(value)s, outside 0..%(most)s (criterion %(n)s)"),
    gettext_noop("%(key)s is %(value)s, neither true nor false"),
    gettext_noop("%(key)s is %(value)s, none of %(known)s"),
    gettext_noop("'criteria' is no list of objects"),
    gettext_noop("criterion %(n)s stands twice"),
    gettext_noop("no verdict for criterion %(known)s"),
    gettext_noop("an item of 'criteria' has the index %(value)s"),
    gettext_noop("there is no criterion %(value)s among %(n)s"),
)
