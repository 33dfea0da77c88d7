"""Scores. A judgment is a function of a reply, bought judge replies and one named, hashed scorer."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.utils.translation import pgettext_lazy

from arena.models.base import AppendOnlyModel, Billed
from scoring.score import Status

if TYPE_CHECKING:
    from arena.models.runs import Run


class Judge(AppendOnlyModel):
    """A model that grades, under one prompt and one set of parameters."""

    model = models.CharField(max_length=200)
    params = models.JSONField(default=dict)
    prompt_sha256 = models.CharField(max_length=64)
    endpoint_host = models.CharField(max_length=200, blank=True)
    digest = models.CharField(max_length=64, unique=True)

    class Meta:
        verbose_name = pgettext_lazy("table", "judge")
        verbose_name_plural = pgettext_lazy("table", "judges")

    def __str__(self) -> str:
        return self.model


class JudgeAttempt(AppendOnlyModel):
    """What a judge reply and a judge failure have in common."""

    reply = models.ForeignKey("Reply", on_delete=models.PROTECT, related_name="%(class)ss")
    judge = models.ForeignKey(Judge, on_delete=models.PROTECT, related_name="%(class)ss")
    purpose = models.CharField(max_length=20)  # criterion, scheme, answer, verdict, process, error_class
    target = models.CharField(max_length=20, blank=True)  # s0c3, s1, a2 or empty
    request_digest = models.CharField(max_length=64)
    repeat = models.PositiveIntegerField(default=0)
    attempt = models.PositiveIntegerField(default=1)

    class Meta:
        abstract = True


_ATTEMPT_KEY = ["reply", "judge", "purpose", "target", "request_digest", "repeat", "attempt"]


class JudgeReply(JudgeAttempt, Billed):
    """A judge's words, bought once; every scorer reads them."""

    text = models.TextField(blank=True)
    latency_ms = models.PositiveIntegerField(null=True, blank=True)
    raw = models.JSONField(default=dict)

    class Meta:
        verbose_name = pgettext_lazy("table", "reply of a judge")
        verbose_name_plural = pgettext_lazy("table", "replies of judges")
        constraints = [models.UniqueConstraint(fields=_ATTEMPT_KEY, name="judge_reply_once")]

    def __str__(self) -> str:
        return f"{self.purpose} {self.target}"


class JudgeError(JudgeAttempt, Billed):
    """A call that failed, or a reply that holds no verdict (its bill stands at the reply). Never a zero."""

    round = models.PositiveIntegerField(default=1)
    kind = models.CharField(max_length=40)
    message = models.TextField(blank=True)
    is_final = models.BooleanField(default=False)

    class Meta:
        verbose_name = pgettext_lazy("table", "failed judge call")
        verbose_name_plural = pgettext_lazy("table", "failed judge calls")
        indexes = [models.Index(fields=["reply", "is_final", "round"], name="judge_error_final")]

    def __str__(self) -> str:
        return f"{self.kind}: {self.message[:60]}"


class Scorer(AppendOnlyModel):
    """A named rule with its version, parameters and judges: the ruler a number was measured with."""

    name = models.CharField(max_length=80)
    version = models.CharField(max_length=20)
    params = models.JSONField(default=dict)
    judges = models.ManyToManyField(Judge, blank=True, related_name="scorers")
    digest = models.CharField(max_length=64, unique=True)

    class Meta:
        verbose_name = pgettext_lazy("table", "scorer")
        verbose_name_plural = pgettext_lazy("table", "scorers")

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


class Level(models.TextChoices):
    ANSWER = "answer"
    STEP = "step"


class Judgments(models.QuerySet["Judgment"]):
    def of_run(self, run: Run, scorer: Scorer) -> Judgments:
        """One run's under one scorer. Found by the replies: joined, SQLite looks through all that the scorer judged."""
        return self.filter(reply__in=run.replies.all(), scorer=scorer)


class Judgment(AppendOnlyModel):
    """A final outcome of one level of one reply. A missing row is "unscored"."""

    FINAL = tuple(status.value for status in Status if status.has_points)

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    reply = models.ForeignKey("Reply", on_delete=models.PROTECT, related_name="judgments")
    scorer = models.ForeignKey(Scorer, on_delete=models.PROTECT, related_name="judgments")
    level = models.CharField(max_length=10, choices=Level.choices, default=Level.ANSWER)
    status = models.CharField(max_length=20)
    points = models.DecimalField(max_digits=9, decimal_places=4)
    max_points = models.DecimalField(max_digits=9, decimal_places=4)
    answer = models.TextField(blank=True)
    answer_class = models.CharField(max_length=64, blank=True)
    counted_scheme = models.PositiveIntegerField(null=True, blank=True)
    details = models.JSONField(default=dict)
    explanation = models.TextField(blank=True)
    injection = models.CharField(max_length=200, blank=True, default="")  # kinds of attempts to instruct the grader

    objects = Judgments.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("table", "judgment")
        verbose_name_plural = pgettext_lazy("table", "judgments")
        indexes = [
            models.Index(fields=["scorer", "injection"], name="judgment_injection", condition=~models.Q(injection=""))
        ]
        constraints = [
            models.UniqueConstraint(fields=["reply", "scorer", "level"], name="judgment_once"),
            models.CheckConstraint(
                condition=models.Q(points__gte=0) & models.Q(points__lte=models.F("max_points")),
                name="judgment_points_bounded",
            ),
            models.CheckConstraint(
                condition=models.Q(status__in=["scored", "no_answer", "unparseable", "refused", "cut", "timeout"]),
                name="judgment_status_final",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.level} {self.points}/{self.max_points}"


class CriterionScore(AppendOnlyModel):
    """Points of one criterion with the words they rest on."""

    judgment = models.ForeignKey(Judgment, on_delete=models.PROTECT, related_name="criterion_scores")
    criterion = models.ForeignKey("Criterion", on_delete=models.PROTECT, related_name="scores")
    points = models.DecimalField(max_digits=9, decimal_places=4)
    evidence = models.TextField(blank=True)
    evidence_start = models.PositiveIntegerField(null=True, blank=True)  # offsets in the reply's text
    evidence_end = models.PositiveIntegerField(null=True, blank=True)
    reason = models.TextField(blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["judgment", "criterion"], name="criterion_score_once")]

    def __str__(self) -> str:
        return f"{self.criterion_id}: {self.points}"


class AnswerScore(AppendOnlyModel):
    """Points of one reference answer and what decided them."""

    judgment = models.ForeignKey(Judgment, on_delete=models.PROTECT, related_name="answer_scores")
    answer = models.ForeignKey("Answer", on_delete=models.PROTECT, related_name="scores")
    extracted = models.TextField(blank=True)
    matched_by = models.CharField(max_length=10, blank=True)  # rule, judge or empty
    points = models.DecimalField(max_digits=9, decimal_places=4)
    reason = models.TextField(blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["judgment", "answer"], name="answer_score_once")]

    def __str__(self) -> str:
        return f"{self.answer_id}: {self.points}"


class ScoreError(AppendOnlyModel):
    """Our own code failed on a reply: counted, shown, retried, never a zero."""

    reply = models.ForeignKey("Reply", on_delete=models.PROTECT, related_name="score_errors")
    scorer = models.ForeignKey(Scorer, on_delete=models.PROTECT, related_name="+")
    round = models.PositiveIntegerField(default=1)
    kind = models.CharField(max_length=40)
    message = models.TextField(blank=True)
    code_version = models.CharField(max_length=60, blank=True)

    class Meta:
        verbose_name = pgettext_lazy("table", "scoring error")
        verbose_name_plural = pgettext_lazy("table", "scoring errors")

    def __str__(self) -> str:
        return f"{self.kind}: {self.message[:60]}"


class Review(AppendOnlyModel):
    """A person's decision on one part of a judgment, beside the machine's and never over it.

    item: the queue item it answers; none for an override made on the reply's page. is_blind: the machine's points
    and the model's name were hidden when it was made. role: what the reviewer was when they decided.
    """

    class Decision(models.TextChoices):
        UPHOLD = "uphold"
        OVERRIDE = "override"

    class Verdict(models.TextChoices):
        RIGHT = "right"
        WRONG = "wrong"
        UNREADABLE = "unreadable"

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    judgment = models.ForeignKey(Judgment, on_delete=models.PROTECT, related_name="reviews")
    criterion_score = models.ForeignKey(
        CriterionScore, null=True, blank=True, on_delete=models.PROTECT, related_name="reviews"
    )
    answer_score = models.ForeignKey(
        AnswerScore, null=True, blank=True, on_delete=models.PROTECT, related_name="reviews"
    )
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="reviews")
    decision = models.CharField(max_length=10, choices=Decision.choices)
    points = models.DecimalField(max_digits=9, decimal_places=4)
    reason = models.TextField()
    item = models.ForeignKey("ReviewItem", null=True, blank=True, on_delete=models.PROTECT, related_name="reviews")
    role = models.CharField(max_length=10, blank=True)  # reviewer, senior or maintainer
    verdict = models.CharField(max_length=10, choices=Verdict.choices, blank=True)  # where the whole answer was decided
    is_blind = models.BooleanField(default=False)
    evidence = models.TextField(blank=True)
    evidence_start = models.PositiveIntegerField(null=True, blank=True)  # offsets in the reply's text
    evidence_end = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        verbose_name = pgettext_lazy("table", "review")
        verbose_name_plural = pgettext_lazy("table", "reviews")
        constraints = [
            models.CheckConstraint(
                condition=models.Q(criterion_score__isnull=True) ^ models.Q(answer_score__isnull=True),
                name="review_of_one_part",
            )
        ]

    def __str__(self) -> str:
        return f"{self.decision} {self.points}"
