"""What a service refused, in the words of the page that shows it: a service names a field, a reader sees a label."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from arena.errors import Refused

LABELS = {
    "benchmark": _("Benchmark"),
    "revision": _("Data"),
    "policy": _("Policy"),
    "needed": _("Independent reviewers an item"),
    "threshold": _("Reviewers may differ by"),
    "share": _("Random sample"),
    "percent": _("Share of the replies, in %"),
    "number": _("Or a number of replies"),
    "seed": _("Seed"),
    "limit": _("At most so many items (other policies)"),
    "verdict": _("Or the whole answer"),
    "error_class": _("Error class"),
    "erratum": _("What is wrong with it"),
    "resolution": _("Resolution"),
    "reason": _("Why"),
    "skip_reason": _("Why"),
    "points": _("Points"),
    "username": _("Name"),
    "role": _("Role"),
}


def say_refused(refused: Refused, labels: Mapping[str, str] | None = None) -> str:
    """One line. labels: of fields that this page alone has, before those that many pages share."""
    label = (labels or {}).get(refused.field) or LABELS.get(refused.field, "")
    if label:
        return gettext("%(field)s: %(message)s") % {"field": label, "message": refused.message}
    return refused.message[:1].upper() + refused.message[1:]
