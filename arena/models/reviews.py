"""Human review: what is queued, who holds it, what was decided. Decisions are append-only, places in a queue not."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from arena.models.base import AppendOnlyModel


class Policy(models.TextChoices):
    """Why an item stands in the queue. Only `random` may speak for the replies nobody looked at."""

    RANDOM = "random", _("random sample")
    DISAGREEMENT = "disagreement", _("judges disagree")
    LOW_CONFIDENCE = "low_confidence", _("low confidence")
    RULE_VS_JUDGE = "rule_vs_judge", _("rule against judge")
    INJECTION = "injection", _("may instruct the grader")
    BOUNDARY = "boundary", _("near a boundary")
    REPORTED = "reported", _("reported by a reader")
    OVERTURNED = "overturned", _("same criterion was overturned")
    CALIBRATION = "calibration", _("calibration")


class ErrorClass(models.TextChoices):
    """The first error of a wrong reply, after PHYBench (arXiv:2504.16074)."""

    PERCEPTION = "physical_perception", _("Physical Perception")
    SEMANTIC = "robust_semantic", _("Robust Reasoning: semantic")
    SYMBOLIC = "robust_symbolic", _("Robust Reasoning: symbolic")


class ReviewItem(models.Model):
    """One reply under one scorer, to be decided by `needed` people. Both levels are read together, as both may count.

    focus: the one criterion to decide, where the rest is not in question. inclusion_probability: the chance with which
    the random sample took the reply; null where it did not. threshold: the share of a part's maximum beyond which two
    reviewers disagree. known: of a calibration item, part key -> points.
    """

    class State(models.TextChoices):
        OPEN = "open", _("open")
        DISPUTED = "disputed", _("disputed")
        DONE = "done", _("done")

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    reply = models.ForeignKey("Reply", on_delete=models.PROTECT, related_name="review_items")
    scorer = models.ForeignKey("Scorer", on_delete=models.PROTECT, related_name="review_items")
    focus = models.ForeignKey("Criterion", null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    inclusion_probability = models.FloatField(null=True, blank=True)
    sample_seed = models.PositiveIntegerField(null=True, blank=True)
    needed = models.PositiveSmallIntegerField(default=2)
    threshold = models.FloatField(default=0.0)
    priority = models.IntegerField(default=0)
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    is_calibration = models.BooleanField(default=False)
    known = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["reply", "scorer", "is_calibration"], name="review_item_once"),
            models.CheckConstraint(
                condition=models.Q(inclusion_probability__isnull=True)
                | (models.Q(inclusion_probability__gt=0) & models.Q(inclusion_probability__lte=1)),
                name="review_item_probability",
            ),
        ]
        indexes = [models.Index(fields=["state", "-priority", "id"], name="review_queue_order")]

    def __str__(self) -> str:
        return str(self.uuid)


class ReviewReason(models.Model):
    """One reason why an item is in the queue; a second policy that finds the same reply adds a reason, not an item."""

    item = models.ForeignKey(ReviewItem, on_delete=models.CASCADE, related_name="reasons")
    policy = models.CharField(max_length=20, choices=Policy.choices)
    detail = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["created_at", "pk"]
        constraints = [models.UniqueConstraint(fields=["item", "policy"], name="review_reason_once")]

    def __str__(self) -> str:
        return self.policy


class ReviewSlot(models.Model):
    """One of an item's `needed` places. The rows are there from the start: a claim is one conditional UPDATE.

    A place is free while it has no reviewer or its claim has run out, and taken for good once submitted.
    """

    item = models.ForeignKey(ReviewItem, on_delete=models.CASCADE, related_name="slots")
    position = models.PositiveSmallIntegerField()
    reviewer = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="review_slots"
    )
    claimed_at = models.DateTimeField(null=True, blank=True)
    claimed_until = models.DateTimeField(null=True, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    seconds = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["item", "position"], name="review_slot_position"),
            # Free places have no reviewer: NULLs do not meet here, which is what is wanted.
            models.UniqueConstraint(fields=["item", "reviewer"], name="review_slot_reviewer"),
        ]
        indexes = [models.Index(fields=["reviewer", "submitted_at"], name="review_slot_mine")]

    def __str__(self) -> str:
        return f"{self.item_id}/{self.position}"


class ReviewDraft(models.Model):
    """What a reviewer has typed so far. revised_ms: the browser's clock, so that an older tab never wins."""

    item = models.ForeignKey(ReviewItem, on_delete=models.CASCADE, related_name="drafts")
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    data = models.JSONField(default=dict)
    revised_ms = models.BigIntegerField(default=0)
    saved_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "reviewer"], name="review_draft_once")]

    def __str__(self) -> str:
        return f"draft {self.item_id}"


class ReviewSkip(models.Model):
    """A reviewer who passed an item on, and why; it is not offered to them again."""

    item = models.ForeignKey(ReviewItem, on_delete=models.CASCADE, related_name="skips")
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    reason = models.CharField(max_length=300)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "reviewer"], name="review_skip_once")]

    def __str__(self) -> str:
        return self.reason


class Adjudication(AppendOnlyModel):
    """A senior reviewer's decision on one part where reviewers disagreed; the newest one counts."""

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    item = models.ForeignKey(ReviewItem, on_delete=models.PROTECT, related_name="adjudications")
    criterion_score = models.ForeignKey(
        "CriterionScore", null=True, blank=True, on_delete=models.PROTECT, related_name="adjudications"
    )
    answer_score = models.ForeignKey(
        "AnswerScore", null=True, blank=True, on_delete=models.PROTECT, related_name="adjudications"
    )
    adjudicator = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="adjudications")
    points = models.DecimalField(max_digits=9, decimal_places=4)
    reason = models.TextField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(criterion_score__isnull=True) ^ models.Q(answer_score__isnull=True),
                name="adjudication_of_one_part",
            )
        ]

    def __str__(self) -> str:
        return f"adjudicated {self.points}"


class ErrorLabel(AppendOnlyModel):
    """The class of a wrong reply's first error with the step where it happens; the newest by a person counts."""

    reply = models.ForeignKey("Reply", on_delete=models.PROTECT, related_name="error_labels")
    item = models.ForeignKey(ReviewItem, null=True, blank=True, on_delete=models.PROTECT, related_name="error_labels")
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    error_class = models.CharField(max_length=30, choices=ErrorClass.choices)
    step = models.TextField(blank=True)
    step_start = models.PositiveIntegerField(null=True, blank=True)  # offsets in the reply's text
    step_end = models.PositiveIntegerField(null=True, blank=True)

    def __str__(self) -> str:
        return self.error_class


class Erratum(models.Model):
    """A claim that a problem's reference or marking scheme is wrong, and what became of it."""

    class State(models.TextChoices):
        OPEN = "open", _("open")
        ACCEPTED = "accepted", _("accepted")
        REJECTED = "rejected", _("rejected")

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    problem = models.ForeignKey("Problem", on_delete=models.PROTECT, related_name="errata")
    part = models.CharField(max_length=20, blank=True)  # s0c1, a0, or empty for the whole problem
    item = models.ForeignKey(ReviewItem, null=True, blank=True, on_delete=models.SET_NULL, related_name="errata")
    reporter = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    claim = models.TextField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    resolution = models.TextField(blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.problem_id}: {self.claim[:60]}"


class BenchmarkRole(models.Model):
    """What a person may do on one benchmark. The groups `reviewer` and `maintainer` hold on all of them."""

    class Role(models.TextChoices):
        REVIEWER = "reviewer", _("reviewer")
        SENIOR = "senior", _("senior reviewer")
        MAINTAINER = "maintainer", _("maintainer")

    benchmark = models.ForeignKey("Benchmark", on_delete=models.CASCADE, related_name="roles")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="benchmark_roles")
    role = models.CharField(max_length=10, choices=Role.choices)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["benchmark", "user"], name="benchmark_role_once")]

    def __str__(self) -> str:
        return f"{self.role} of {self.benchmark_id}"


class AuditEvent(AppendOnlyModel):
    """Who did what to which thing, with what stood there before and after."""

    actor = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    benchmark = models.ForeignKey("Benchmark", null=True, on_delete=models.PROTECT, related_name="+")
    act = models.CharField(max_length=30)
    target = models.CharField(max_length=100)
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)

    class Meta:
        verbose_name = pgettext_lazy("table", "entry of the audit log")
        verbose_name_plural = pgettext_lazy("table", "audit log")
        indexes = [models.Index(fields=["target"], name="audit_target")]

    def __str__(self) -> str:
        return f"{self.act} {self.target}"
