"""Problems of one kind that are no subset of their board: a field, a type of reasoning, so many flips of a coin.

Addresses name one as `KIND:NAME`. What a table says of it leads to the replies of the run to these problems.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.benchmarks.coin_flip import count_flips
from arena.models import Problem, Run
from leaderboard.problem_index import SEVERAL, Ints, ProblemIndex
from leaderboard.scores import Sheet, measure
from leaderboard.selectors.formats import print_metric
from leaderboard.selectors.wordings import say_group

FLIPS = "flips"
KINDS = frozenset({"modalities", "fields", "subfields", "answer_kinds", "tags", FLIPS})


def group_problems(index: ProblemIndex, kind: str) -> Mapping[str, Ints]:
    """Positions of the problems by what they are like; kind is one of KINDS."""
    return _group_flips(index) if kind == FLIPS else index.group(kind)


def _group_flips(index: ProblemIndex) -> Mapping[str, Ints]:
    """By how often the coin is really flipped, counted from the text; few flips first."""
    texts = dict(Problem.objects.filter(pk__in=index.problem_ids.tolist()).values_list("pk", "statement"))
    groups: dict[int, list[int]] = {}
    for position, pk in enumerate(index.problem_ids.tolist()):
        counted = count_flips(texts[pk])
        if counted is not None:
            groups.setdefault(sum(": it is now " in step for step in counted[0]), []).append(position)
    return {str(n): np.array(groups[n], dtype=np.int64) for n in sorted(groups)}


def pick_group(index: ProblemIndex, name: str) -> Ints | None:
    """Positions of the problems of `KIND:NAME`, None where there are none."""
    kind, _colon, value = name.partition(":")
    return group_problems(index, kind).get(value) if kind in KINDS else None


def title_group(name: str) -> str:
    kind, _colon, value = name.partition(":")
    return ngettext("%(n)d flip", "%(n)d flips", int(value)) % {"n": int(value)} if kind == FLIPS else say_group(value)


def say_overlap(kind: str) -> str:
    """Whether a problem may stand in several groups of this kind."""
    return _("A problem of several kinds stands under each of them.") if kind in SEVERAL else ""


def replies_url(run: Run, split: str, kind: str, value: str) -> str:
    """The replies of a run to the problems of a group."""
    query = urlencode({"split": split, "group": f"{kind}:{value}"})
    return f"{reverse('run', args=[run.uuid])}?{query}#replies"


def print_accuracy(sheet: Sheet) -> str:
    """Mean share of the points, in brackets its interval where it has one."""
    found = measure("accuracy", sheet)
    if found is None or found.interval.value is None:
        return "–"
    text = print_metric("accuracy", found.interval.value)
    if found.interval.low is None:
        return text
    ends = (print_metric("accuracy", end, with_unit=False) for end in (found.interval.low, found.interval.high))
    return f"{text} [{', '.join(ends)}]"
