"""From one reply to its neighbours: other attempts, other models on the same problem, the run's other problems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from arena.models import Reply, RevisionProblem
from arena.problem_results import RunSample
from leaderboard.selectors.problem_parts import outcome_of


@dataclass(frozen=True, slots=True)
class Step:
    """A link to another reply; url is empty where there is none to go to."""

    label: str
    url: str
    outcome: str = ""
    is_here: bool = False


@dataclass(frozen=True, slots=True)
class Stepper:
    """The one before, the one after, and all in order."""

    previous: Step | None = None
    next: Step | None = None
    steps: tuple[Step, ...] = ()


def step_attempts(samples: Sequence[RunSample], here: Reply) -> Stepper:
    """The attempts of this run at this problem; empty where there is one."""
    own = [sample for sample in samples if sample.run.pk == here.run_id]
    if len(own) < 2:
        return Stepper()
    return _stepper(
        [_step(s, _("attempt %(n)d") % {"n": s.result.repeat + 1}, s.result.repeat == here.repeat) for s in own]
    )


def step_models(samples: Sequence[RunSample], here: Reply) -> Stepper:
    """The other models' replies by name: the same attempt where they have it, else their first."""
    chosen: dict[int, RunSample] = {}
    for sample in samples:
        if sample.uuid and (sample.run.pk not in chosen or sample.result.repeat == here.repeat):
            chosen[sample.run.pk] = sample
    ordered = sorted(chosen.values(), key=lambda s: (s.run.entrant.name.casefold(), s.run.pk))
    steps = [_step(s, s.run.entrant.name, s.run.pk == here.run_id) for s in ordered]
    return _stepper(steps) if len(steps) > 1 else Stepper()


def step_problems(entry: RevisionProblem, here: Reply) -> Stepper:
    """The same run's replies to the problems before and after; two queries."""
    return Stepper(_beside(entry, here, is_after=False), _beside(entry, here, is_after=True))


def _beside(entry: RevisionProblem, here: Reply, *, is_after: bool) -> Step | None:
    side = {"position__gt": entry.position} if is_after else {"position__lt": entry.position}
    entries = RevisionProblem.objects.filter(revision_id=entry.revision_id, split=entry.split, **side)
    found = (
        entries.filter(problem__replies__run_id=here.run_id, problem__replies__repeat=here.repeat)
        .order_by("position" if is_after else "-position")
        .values_list("external_id", "problem__replies__uuid")
        .first()
    )
    return Step(found[0], reverse("reply", args=[found[1]])) if found else None


def _step(sample: RunSample, label: str, is_here: bool) -> Step:
    result = sample.result
    url = reverse("reply", args=[sample.uuid]) if sample.uuid else ""
    return Step(label, url, outcome_of(result.status, result.points, result.max_points), is_here)


def _stepper(steps: Sequence[Step]) -> Stepper:
    at = next((index for index, step in enumerate(steps) if step.is_here), 0)
    before = next((step for step in reversed(steps[:at]) if step.url), None)
    after = next((step for step in steps[at + 1 :] if step.url), None)
    return Stepper(before, after, tuple(steps))
