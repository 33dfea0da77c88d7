"""Runs and what came back: replies are bought once and never change."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import pgettext_lazy

from arena.models.base import AppendOnlyModel, Billed


class RunQuerySet(models.QuerySet["Run"]):
    def live(self) -> RunQuerySet:
        return self.filter(state__in=Run.LIVE_STATES)

    def on_board(self) -> RunQuerySet:
        """Published, not withdrawn; whether a run ranks is decided by the board."""
        return self.filter(published_at__isnull=False, withdrawals__isnull=True)

    def visible_to(self, user: object) -> RunQuerySet:
        """What this visitor may open: published runs, their own, and for maintainers all."""
        if getattr(user, "is_maintainer", False):
            return self
        seen = models.Q(published_at__isnull=False, withdrawals__isnull=True)
        if getattr(user, "is_authenticated", False):
            seen |= models.Q(owner=user)
        return self.filter(seen)


class Run(models.Model):
    """One entrant sits one revision of one benchmark under frozen parameters."""

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        FINISHED = "finished"
        CANCELLED = "cancelled"
        FAILED = "failed"

    class Provenance(models.TextChoices):
        MEASURED = "measured"
        UPLOADED = "uploaded"

    LIVE_STATES = (State.QUEUED, State.RUNNING)

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    entrant = models.ForeignKey("Entrant", on_delete=models.PROTECT, related_name="runs")
    submission = models.ForeignKey("Submission", null=True, blank=True, on_delete=models.SET_NULL, related_name="runs")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    endpoint = models.ForeignKey("Endpoint", null=True, blank=True, on_delete=models.SET_NULL, related_name="runs")
    judge_endpoint = models.ForeignKey("Endpoint", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    revision = models.ForeignKey("DatasetRevision", on_delete=models.PROTECT, related_name="runs")
    scorer = models.ForeignKey("Scorer", on_delete=models.PROTECT, related_name="runs")
    # The run on another revision whose stored replies these are; nothing was asked again.
    carried_from = models.ForeignKey("self", null=True, blank=True, on_delete=models.PROTECT, related_name="carried")
    split = models.CharField(max_length=30, default="test")
    subsets = models.JSONField(default=list)  # slugs, frozen at start
    limit = models.PositiveIntegerField(null=True, blank=True)  # problems of each subset
    shots = models.PositiveIntegerField(default=0)
    partial = models.BooleanField(default=False)
    style = models.CharField(max_length=40, blank=True)
    prompt_digest = models.CharField(max_length=64, blank=True)
    params = models.JSONField(default=dict)  # temperature, max_tokens, ...: frozen at start
    concurrency = models.PositiveIntegerField(default=16)
    repeats = models.PositiveIntegerField(default=1)
    planned = models.PositiveIntegerField(default=0)  # problems x repeats
    round = models.PositiveIntegerField(default=1)  # a retry of failed samples starts the next round
    state = models.CharField(max_length=20, choices=State.choices, default=State.QUEUED)
    stop_reason = models.CharField(max_length=300, blank=True)
    budget = models.JSONField(default=dict)
    priority = models.IntegerField(default=0)
    provenance = models.CharField(max_length=20, choices=Provenance.choices, default=Provenance.MEASURED)
    is_own_judge = models.BooleanField(default=False)
    limited_until = models.DateTimeField(null=True, blank=True)
    published_at = models.DateTimeField(null=True, blank=True)
    code_version = models.CharField(max_length=60, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = RunQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("table", "run")
        verbose_name_plural = pgettext_lazy("table", "runs")
        indexes = [models.Index(fields=["revision", "split", "published_at"], name="run_board")]

    def __str__(self) -> str:
        return str(self.uuid)

    @property
    def is_live(self) -> bool:
        return self.state in self.LIVE_STATES

    @property
    def wall_s(self) -> float | None:
        if self.started_at is None:
            return None
        return ((self.finished_at or timezone.now()) - self.started_at).total_seconds()


class RunSlice(models.Model):
    """A lease on some samples of a run. It is gone when the work is done; a stale one is taken up again."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="slices")
    samples = models.JSONField(default=list)  # [[problem pk, repeat], ...]
    worker = models.CharField(max_length=100)
    lease_until = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.run_id}: {len(self.samples)} samples by {self.worker}"


class Reply(AppendOnlyModel, Billed):
    """A model's answer to one problem. A missing row means "not answered yet"."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="replies")
    problem = models.ForeignKey("Problem", on_delete=models.PROTECT, related_name="replies")
    repeat = models.PositiveIntegerField(default=0)  # 0..K-1
    request_digest = models.CharField(max_length=64, blank=True)
    text = models.TextField(blank=True)
    reasoning = models.TextField(blank=True)
    finish_reason = models.CharField(max_length=40, blank=True)
    reasoning_tokens = models.PositiveIntegerField(null=True, blank=True)
    latency_ms = models.PositiveIntegerField(null=True, blank=True)
    tries = models.PositiveIntegerField(default=1)
    raw = models.JSONField(default=dict)

    class Meta:
        verbose_name = pgettext_lazy("table", "reply")
        verbose_name_plural = pgettext_lazy("table", "replies")
        constraints = [models.UniqueConstraint(fields=["run", "problem", "repeat"], name="reply_once")]

    def __str__(self) -> str:
        return str(self.uuid)


class CallError(AppendOnlyModel, Billed):
    """A failed call. The sample has failed only where `is_final`, in the run's current round."""

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="call_errors")
    problem = models.ForeignKey("Problem", on_delete=models.PROTECT, related_name="+")
    repeat = models.PositiveIntegerField(default=0)
    round = models.PositiveIntegerField(default=1)
    attempt = models.PositiveIntegerField(default=1)
    kind = models.CharField(max_length=40)
    message = models.TextField(blank=True)
    is_final = models.BooleanField(default=False)

    class Meta:
        verbose_name = pgettext_lazy("table", "failed call")
        verbose_name_plural = pgettext_lazy("table", "failed calls")
        indexes = [models.Index(fields=["run", "is_final", "round"], name="call_error_final")]

    def __str__(self) -> str:
        return f"{self.kind}: {self.message[:60]}"


class Withdrawal(AppendOnlyModel):
    """Takes a run or one reply off the boards; nothing is deleted."""

    run = models.ForeignKey(Run, null=True, blank=True, on_delete=models.PROTECT, related_name="withdrawals")
    reply = models.ForeignKey(Reply, null=True, blank=True, on_delete=models.PROTECT, related_name="withdrawals")
    reason = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)

    class Meta:
        verbose_name = pgettext_lazy("table", "withdrawal")
        verbose_name_plural = pgettext_lazy("table", "withdrawals")
        constraints = [
            models.CheckConstraint(
                condition=models.Q(run__isnull=True) ^ models.Q(reply__isnull=True), name="withdrawal_of_one"
            )
        ]

    def __str__(self) -> str:
        return self.reason
