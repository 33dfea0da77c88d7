"""Published runs with known replies, made without a model; voters with names."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib.auth.models import AnonymousUser
from django.utils import timezone

from arena.models import Benchmark, Entrant, Problem, Reply, Run
from arena.services.entrants import get_entrant
from arena.services.samples import entries_of
from arena.services.voters import Voter, identify
from tests.factories import import_samples

Words = Callable[[str, Problem], str]


def solution(name: str, problem: Problem) -> str:
    return f"Step by step, variant {len(name)}: the coin is turned.\n\nANSWER: {'YES' if name < 'B' else 'NO'}"


def publish_run(name: str, slug: str = "coin_flip", words: Words = solution, **fields: object) -> Run:
    """A finished, published run of this model on the benchmark's samples, one reply a problem."""
    benchmark = Benchmark.objects.filter(slug=slug).first()
    if benchmark is None:
        import_samples(slug)
        benchmark = Benchmark.objects.get(slug=slug)
    revision = benchmark.current_revision
    assert revision is not None
    split = revision.entries.exclude(split="validation").values_list("split", flat=True)[0]
    now = timezone.now()
    scorer = fields.pop("scorer", benchmark.scorer)
    run = Run.objects.create(
        entrant=get_entrant(name, str(fields.pop("organisation", ""))),
        revision=revision,
        split=split,
        scorer=scorer,
        state=Run.State.FINISHED,
        finished_at=now,
        **{"published_at": now, **fields},
    )
    entries = list(entries_of(revision, split))
    Reply.objects.bulk_create(Reply(run=run, problem=e.problem, text=words(name, e.problem)) for e in entries)
    return run


def visitor(cookie: str, address: str = "192.0.2.1") -> Voter:
    return identify(AnonymousUser(), cookie, address)


def entrant(name: str) -> Entrant:
    return Entrant.objects.get(name=name)
