"""What maintainers say about judges and prices, and how lenient a judge is found to be."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models
from django.utils.translation import pgettext_lazy

from arena.models.base import AppendOnlyModel, Billed


class JudgeSeat(models.Model):
    """Where an official judge of a benchmark answers. The key lies encrypted in the endpoint."""

    benchmark = models.ForeignKey("Benchmark", on_delete=models.CASCADE, related_name="judge_seats")
    judge = models.ForeignKey("Judge", on_delete=models.PROTECT, related_name="seats")
    endpoint = models.ForeignKey("Endpoint", on_delete=models.PROTECT, related_name="+")
    set_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    set_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["benchmark", "judge"], name="judge_seat_once")]

    def __str__(self) -> str:
        return f"{self.judge} for {self.benchmark}"


class CanaryReply(AppendOnlyModel, Billed):
    """What a judge gave for a solution that is none, where only 0 is right. awarded None: no verdict (`kind` says why).

    check_id: one measurement, over several problems, is one check.
    """

    check_id = models.UUIDField(default=uuid.uuid4, db_index=True)
    benchmark = models.ForeignKey("Benchmark", on_delete=models.PROTECT, related_name="canaries")
    judge = models.ForeignKey("Judge", on_delete=models.PROTECT, related_name="canaries")
    problem = models.ForeignKey("Problem", on_delete=models.PROTECT, related_name="+")
    purpose = models.CharField(max_length=20)
    request_digest = models.CharField(max_length=64)
    text = models.TextField(blank=True)
    awarded = models.DecimalField(max_digits=9, decimal_places=4, null=True, blank=True)
    max_points = models.DecimalField(max_digits=9, decimal_places=4)
    kind = models.CharField(max_length=40, blank=True)  # of the failure; empty where there is a verdict
    latency_ms = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        verbose_name = pgettext_lazy("table", "canary reply")
        verbose_name_plural = pgettext_lazy("table", "canary replies")
        constraints = [models.UniqueConstraint(fields=["check_id", "judge", "problem"], name="canary_once")]

    def __str__(self) -> str:
        return f"{self.judge_id}: {self.awarded}"


class Price(models.Model):
    """What a model's tokens cost from a day on, in US dollars a million. The newest that has begun counts."""

    model = models.CharField(max_length=200, help_text="As the endpoint names it.")
    valid_from = models.DateField()
    input_usd = models.DecimalField(
        max_digits=12,
        decimal_places=6,
        validators=[MinValueValidator(0)],
        help_text="US dollars a million input tokens.",
    )
    output_usd = models.DecimalField(
        max_digits=12,
        decimal_places=6,
        validators=[MinValueValidator(0)],
        help_text="US dollars a million output tokens, reasoning included.",
    )
    source = models.CharField(max_length=300, blank=True)

    class Meta:
        verbose_name = pgettext_lazy("table", "price")
        verbose_name_plural = pgettext_lazy("table", "prices")
        ordering = ["model", "-valid_from"]
        constraints = [
            models.UniqueConstraint(fields=["model", "valid_from"], name="price_dated"),
            models.CheckConstraint(
                condition=models.Q(input_usd__gte=0) & models.Q(output_usd__gte=0), name="price_not_negative"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.model} from {self.valid_from}"
