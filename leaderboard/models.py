"""Derived tables: they may be dropped and are rebuilt from the records of truth."""

from __future__ import annotations

from django.db import models


class Standing(models.Model):
    """One number of one run in one column of a board."""

    class Basis(models.TextChoices):
        MACHINE = "machine"
        EFFECTIVE = "effective"
        ESTIMATED = "estimated"

    benchmark = models.ForeignKey("arena.Benchmark", on_delete=models.CASCADE, related_name="standings")
    revision = models.ForeignKey("arena.DatasetRevision", on_delete=models.CASCADE, related_name="standings")
    split = models.CharField(max_length=30)
    subset = models.ForeignKey("arena.Subset", on_delete=models.CASCADE, related_name="standings")
    entrant = models.ForeignKey("arena.Entrant", on_delete=models.CASCADE, related_name="standings")
    run = models.ForeignKey("arena.Run", on_delete=models.CASCADE, related_name="standings")
    scorer = models.ForeignKey("arena.Scorer", on_delete=models.CASCADE, related_name="+")
    metric = models.CharField(max_length=30)
    basis = models.CharField(max_length=10, choices=Basis.choices, default=Basis.MACHINE)
    value = models.FloatField(null=True)
    se = models.FloatField(null=True)
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    interval_kind = models.CharField(max_length=40, blank=True)
    bound_low = models.FloatField(null=True)  # unscored counted as nothing
    bound_high = models.FloatField(null=True)  # unscored counted in full
    is_ranked = models.BooleanField(default=False)
    unranked_reason = models.CharField(max_length=60, blank=True)
    rank = models.PositiveIntegerField(null=True)
    rank_low = models.PositiveIntegerField(null=True)
    rank_high = models.PositiveIntegerField(null=True)
    tier = models.PositiveIntegerField(null=True)
    n_problems = models.PositiveIntegerField(default=0)
    n_scored = models.PositiveIntegerField(default=0)
    n_unscored = models.PositiveIntegerField(default=0)
    details = models.JSONField(default=dict)  # medal, sittings, counts of outcomes, tokens, cost

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "scorer", "subset", "split", "metric", "basis"], name="standing_once")
        ]
        indexes = [models.Index(fields=["revision", "split", "metric", "basis"], name="standing_board")]

    def __str__(self) -> str:
        return f"{self.metric} {self.value}"
