"""Who sits the exam: entrants, where they are reached, what a person handed in, what was published elsewhere."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.utils.translation import pgettext_lazy

from arena.models.base import AppendOnlyModel


class Entrant(models.Model):
    """A model, human group or baseline with a row on the boards ("Model" on pages)."""

    class Kind(models.TextChoices):
        MODEL = "model"
        HUMAN = "human"
        BASELINE = "baseline"

    slug = models.SlugField(max_length=120, unique=True)
    name = models.CharField(max_length=200)
    organisation = models.CharField(max_length=200, blank=True)
    kind = models.CharField(max_length=20, choices=Kind.choices, default=Kind.MODEL)
    release_date = models.DateField(null=True, blank=True)
    open_weights = models.BooleanField(null=True, blank=True)
    links = models.JSONField(default=dict, blank=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = pgettext_lazy("table", "entrant")
        verbose_name_plural = pgettext_lazy("table", "entrants")

    def __str__(self) -> str:
        return self.name


class Endpoint(models.Model):
    """An OpenAI-compatible address. The key is ciphertext, write-only, and purged when the run ends."""

    base_url = models.URLField(max_length=500)
    api_model = models.CharField(max_length=200)
    key_ciphertext = models.TextField(blank=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = pgettext_lazy("table", "endpoint")
        verbose_name_plural = pgettext_lazy("table", "endpoints")

    def __str__(self) -> str:
        return f"{self.api_model} at {self.base_url}"


class Submission(models.Model):
    """What a person handed in. Its state follows its run's; visibility moves in `services.submissions`."""

    class State(models.TextChoices):
        ACCEPTED = "accepted"
        RUNNING = "running"
        FINISHED = "finished"
        CANCELLED = "cancelled"
        FAILED = "failed"

    class Visibility(models.TextChoices):
        PRIVATE = "private"
        PUBLISHED = "published"

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    entrant = models.ForeignKey(Entrant, on_delete=models.PROTECT, related_name="submissions")
    endpoint = models.ForeignKey(Endpoint, null=True, blank=True, on_delete=models.SET_NULL)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    state = models.CharField(max_length=20, choices=State.choices, default=State.ACCEPTED)
    visibility = models.CharField(max_length=20, choices=Visibility.choices, default=Visibility.PRIVATE)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = pgettext_lazy("table", "submission")
        verbose_name_plural = pgettext_lazy("table", "submissions")

    def __str__(self) -> str:
        return str(self.uuid)


class ReportedResult(AppendOnlyModel):
    """A number published elsewhere, with the settings it was made under; it belongs to no run.

    subset: a slug or `overall`, as text, since published subsets may not be imported here.
    value: a rate in 0-1, or points (eed, exam_score, medal counts). supersedes: the same cell as read before.
    """

    entrant = models.ForeignKey(Entrant, on_delete=models.PROTECT, related_name="reported")
    benchmark = models.ForeignKey("Benchmark", on_delete=models.PROTECT, related_name="reported")
    split = models.CharField(max_length=30, default="test")
    subset = models.CharField(max_length=100, default="overall")
    metric = models.CharField(max_length=30)
    value = models.FloatField()
    low = models.FloatField(null=True, blank=True)
    high = models.FloatField(null=True, blank=True)
    style = models.CharField(max_length=40, blank=True)
    repeats = models.PositiveIntegerField(null=True, blank=True)
    judge = models.CharField(max_length=200, blank=True)
    temperature = models.FloatField(null=True, blank=True)
    setting = models.CharField(max_length=300, blank=True)
    source = models.CharField(max_length=300)
    source_url = models.URLField(max_length=500, blank=True)
    date = models.CharField(max_length=10)  # as published: 2025-12-05, or 2025-05 where no day is known
    digest = models.CharField(max_length=64, unique=True)  # of all the above: importing twice adds nothing
    supersedes = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="superseded_by"
    )

    class Meta:
        verbose_name = pgettext_lazy("table", "published result")
        verbose_name_plural = pgettext_lazy("table", "published results")
        indexes = [models.Index(fields=["benchmark", "split", "subset", "metric"], name="reported_column")]

    def __str__(self) -> str:
        return f"{self.metric} {self.value:g} ({self.source})"


class QuotaEntry(AppendOnlyModel):
    """What a person used up of one day's allowance; a negative amount gives back what a run did not use.

    day: the UTC date it counts for, also for what is given back later.
    """

    class Kind(models.TextChoices):
        RUN = "run"
        JUDGED = "judged"  # replies graded by the official judge

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="quota_entries")
    run = models.ForeignKey("Run", null=True, blank=True, on_delete=models.PROTECT, related_name="quota_entries")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    amount = models.IntegerField()
    day = models.DateField()

    class Meta:
        verbose_name = pgettext_lazy("table", "quota entry")
        verbose_name_plural = pgettext_lazy("table", "quota entries")
        indexes = [models.Index(fields=["user", "day", "kind"], name="quota_day")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.day} {self.kind} {self.amount:+d}"


class BaselineScore(models.Model):
    """What a strategy without any model gets on one revision: computed from the data on import, never run."""

    entrant = models.ForeignKey(Entrant, on_delete=models.CASCADE, related_name="baseline_scores")
    revision = models.ForeignKey("DatasetRevision", on_delete=models.CASCADE, related_name="baseline_scores")
    split = models.CharField(max_length=30)
    subset = models.CharField(max_length=100, default="overall")
    metric = models.CharField(max_length=30)
    value = models.FloatField(null=True)  # null: undefined, e.g. the precision of who never says YES
    is_expected = models.BooleanField(default=False)  # the exact expectation of a random strategy

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["entrant", "revision", "split", "subset", "metric"], name="baseline_once")
        ]

    def __str__(self) -> str:
        return f"{self.metric} {self.value}"
