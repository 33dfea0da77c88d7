"""What maintainers do with judges: give them a place, make scorers of them, choose the one that ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from arena.errors import Refused
from arena.models import Benchmark, Endpoint, Judge, JudgeSeat, Run, Scorer, User
from arena.roles import Rank, require_rank
from arena.services import keys
from arena.services.audit import record_event
from arena.services.catalog import get_adapter
from arena.services.runs import check_base_url
from arena.services.scorers import JudgeSpec, check_params, get_judge, get_scorer, is_judged, rule_of
from arena.services.seats import seat_judge, seats_of
from arena.signals import catalog_changed


def add_judge(benchmark: Benchmark, spec: JudgeSpec, api_key: str, by: User) -> JudgeSeat:
    """Give an official judge its endpoint and key, or move it. Raises Refused, Forbidden."""
    require_rank(by, benchmark, Rank.MAINTAINER)
    if get_adapter(benchmark.slug).judge == "none":
        raise Refused("benchmark", _("%(benchmark)s is scored by rule alone") % {"benchmark": benchmark.slug})
    if not spec.model.strip():
        raise Refused("model", _("name the judge as its endpoint does"))
    check_base_url("base-url", spec.base_url)
    with transaction.atomic():
        judge = get_judge(spec, benchmark.slug)
        endpoint = keys.make_endpoint(spec.base_url, spec.model, api_key, by)
        seat = seat_judge(benchmark, judge, endpoint, by)
        if benchmark.scorer and benchmark.scorer.judges.filter(pk=judge.pk).exists():
            Benchmark.objects.filter(pk=benchmark.pk).update(judge_endpoint=endpoint)
        record_event(
            by, "judge", f"judge:{judge.digest[:12]}", {}, {"model": spec.model, "at": spec.base_url}, benchmark
        )
    return seat


def remove_judge(seat: JudgeSeat, by: User) -> None:
    """Take a judge's place away and forget its key; what it has judged stays. Raises Refused while it ranks."""
    require_rank(by, seat.benchmark, Rank.MAINTAINER)
    scorer = seat.benchmark.scorer
    if scorer is not None and scorer.judges.filter(pk=seat.judge_id).exists():
        raise Refused("judge", _("this judge ranks: make another scorer current first"))
    with transaction.atomic():
        record_event(by, "judge", f"judge:{seat.judge.digest[:12]}", {"model": seat.judge.model}, {}, seat.benchmark)
        endpoint = seat.endpoint
        seat.delete()
        keys.forget(endpoint)


def add_scorer(
    benchmark: Benchmark, rule_name: str, judges: Sequence[Judge], params: Mapping[str, Any], by: User
) -> Scorer:
    """A scorer of judges that have a place; it ranks nothing until it is made current. Raises Refused, Forbidden."""
    require_rank(by, benchmark, Rank.MAINTAINER)
    bare, rule = rule_of(rule_name, benchmark.slug)
    if not is_judged(rule):
        judges, params = (), {}
    elif not judges and get_adapter(benchmark.slug).judge == "required":
        raise Refused("judges", _("choose at least one judge"))
    if len(seats_of(benchmark, judges)) < len(judges):
        raise Refused("judges", _("every judge needs an endpoint first"))
    scorer = get_scorer(bare, rule, check_params(params) if judges else {}, judges)
    record_event(by, "scorer", f"scorer:{scorer.digest[:12]}", {}, {"name": bare, "params": scorer.params}, benchmark)
    return scorer


def make_current(benchmark: Benchmark, scorer: Scorer, by: User) -> None:
    """From now on `scorer` ranks; moving back is the same. Raises Refused, Forbidden."""
    require_rank(by, benchmark, Rank.MAINTAINER)
    if scorer.params.get("benchmark") != benchmark.slug:
        raise Refused(
            "scorer", _("%(scorer)s does not score %(benchmark)s") % {"scorer": scorer, "benchmark": benchmark.slug}
        )
    endpoint = _place_of(benchmark, scorer)
    before = benchmark.scorer
    with transaction.atomic():
        Benchmark.objects.filter(pk=benchmark.pk).update(scorer=scorer, judge_endpoint=endpoint)
        record_event(
            by,
            "current-scorer",
            f"benchmark:{benchmark.slug}",
            {"scorer": before.digest if before else ""},
            {"scorer": scorer.digest},
            benchmark,
        )
    for revision_id in (
        Run.objects.filter(revision__benchmark=benchmark).values_list("revision_id", flat=True).distinct()
    ):
        catalog_changed.send(sender=Benchmark, revision_id=revision_id)


def _place_of(benchmark: Benchmark, scorer: Scorer) -> Endpoint | None:
    judges = list(scorer.judges.order_by("pk"))
    seats = seats_of(benchmark, judges)
    if len(seats) < len(judges):
        raise Refused("scorer", _("a judge of this scorer has no endpoint: add it first"))
    return seats[judges[0].pk] if judges else None
