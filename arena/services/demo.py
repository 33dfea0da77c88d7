"""The demo: accounts, our samples, and two models of different strength that sit them."""

from __future__ import annotations

from django.contrib.auth.models import Group
from django.db import transaction

from arena.benchmarks import BENCHMARKS, sample_path
from arena.models import (
    MAINTAINER,
    REVIEWER,
    SAMPLE,
    Benchmark,
    DatasetRevision,
    Endpoint,
    Policy,
    ReviewItem,
    Run,
    User,
)
from arena.services.catalog import import_benchmark
from arena.services.review_policies import QueueRequest, build_queue
from arena.services.runs import Credentials, RunRequest, create_run
from arena.services.scorers import JudgeSpec

DEMO_ACCOUNTS = {"reviewer": REVIEWER, "submitter": "", "maintainer": MAINTAINER}
DEMO_MODELS = {"Demo Steady": "demo-steady", "Demo Hasty": "demo-hasty"}
DEMO_ORGANISATION = "Proctor demonstration"
DEMO_JUDGE = "demo-judge"
DEMO_SAMPLE = 2  # replies of each judged demo run that wait for reviewers


def make_demo_accounts() -> None:
    """The three accounts of the cast; only ever in demo mode. Their passwords are printed by `serve`."""
    for name, group in DEMO_ACCOUNTS.items():
        user, is_new = User.objects.get_or_create(
            username=name, defaults={"email": f"{name}@example.org", "is_staff": group == MAINTAINER}
        )
        if is_new:
            user.set_password(f"{name}-demo")
            user.save()
        if group:
            user.groups.add(Group.objects.get(name=group))


def import_samples() -> list[str]:
    """Our own sample sets, each once; returns the benchmarks that were new."""
    new = []
    for slug in BENCHMARKS:
        if sample_path(slug).exists() and not Benchmark.objects.filter(slug=slug, revisions__label=SAMPLE).exists():
            import_benchmark(slug)
            new.append(slug)
    return new


def start_demo_runs(base_url: str) -> list[Run]:
    """One run of each demo model on each sample set, unless they are there already."""
    # The demo server takes a free port at each start: its judge is found where it is now.
    Endpoint.objects.filter(api_model=DEMO_JUDGE).update(base_url=base_url)
    runs = []
    for slug, adapter in BENCHMARKS.items():
        sample = Benchmark.objects.filter(slug=slug, revisions__label=SAMPLE).first()
        if sample is None:
            continue
        for name, api_model in DEMO_MODELS.items():
            if Run.objects.filter(entrant__name=name, revision__benchmark=sample, revision__label=SAMPLE).exists():
                continue
            is_judged = adapter.judge != "none"
            request = RunRequest(
                benchmark=slug,
                model=name,
                base_url=base_url,
                api_model=api_model,
                organisation=DEMO_ORGANISATION,
                revision=SAMPLE,
                judges=(JudgeSpec(DEMO_JUDGE, base_url),) if is_judged else (),
                judge_base_url=base_url if is_judged else "",
                # The demo judge may rank nothing but the samples.
                is_official_judge=is_judged and _is_only_sample(sample),
                concurrency=8,
                repeats=2 if adapter.judge == "required" else 1,
            )
            with transaction.atomic():
                runs.append(create_run(request, Credentials()))
    return runs


def _is_only_sample(benchmark: Benchmark) -> bool:
    return not benchmark.revisions.exclude(label=SAMPLE).exists()


def queue_demo_reviews() -> int:
    """Queue a small random sample of each demo run that a judge graded, once; returns how many items are new.

    A reviewer's first visit then shows work. Runs that are still under way come with a later call.
    """
    judged = [slug for slug, adapter in BENCHMARKS.items() if adapter.judge != "none"]
    revisions = DatasetRevision.objects.filter(label=SAMPLE, benchmark__slug__in=judged).select_related("benchmark")
    return sum(_queue_sample(revision) for revision in revisions)


def _queue_sample(revision: DatasetRevision) -> int:
    with transaction.atomic():
        Benchmark.objects.select_for_update().get(pk=revision.benchmark_id)  # two runs may end at the same moment
        runs = Run.objects.on_board().filter(revision=revision, state=Run.State.FINISHED, entrant__name__in=DEMO_MODELS)
        sampled = ReviewItem.objects.filter(reply__run__in=runs, inclusion_probability__isnull=False)
        if not runs.exclude(pk__in=sampled.values("reply__run_id")).exists():
            return 0
        request = QueueRequest(revision.benchmark, Policy.RANDOM, revision=revision, number=DEMO_SAMPLE)
        return build_queue(request, None).new
