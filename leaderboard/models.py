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
            models.UniqueConstraint(
                fields=["run", "scorer", "subset", "split", "metric", "basis"], name="standing_once"
            )
        ]
        indexes = [models.Index(fields=["revision", "split", "metric", "basis"], name="standing_board")]

    def __str__(self) -> str:
        return f"{self.metric} {self.value}"

    @property
    def n_planned(self) -> int:
        """Problems of the column that the run was to answer: fewer than `n_problems` for a limited run."""
        return int(self.details.get("n_planned", self.n_problems))


class RunVectors(models.Model):
    """One run's samples under one scorer as packed arrays (`leaderboard.vectors`): what ranks and tests are made of."""

    run = models.ForeignKey("arena.Run", on_delete=models.CASCADE, related_name="vectors")
    scorer = models.ForeignKey("arena.Scorer", on_delete=models.CASCADE, related_name="+")
    basis = models.CharField(max_length=10, choices=Standing.Basis.choices)
    data = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "scorer", "basis"], name="vectors_once")]

    def __str__(self) -> str:
        return f"{self.run_id} {self.basis}"


class StaleRun(models.Model):
    """A run whose records changed since its vectors were made. A row a change: what is read is what is removed."""

    run = models.ForeignKey("arena.Run", on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return str(self.run_id)


class BoardStates(models.Manager["BoardState"]):
    """Pages read states often and their history on one page only."""

    def get_queryset(self) -> models.QuerySet[BoardState]:
        return super().get_queryset().defer("history")


class BoardState(models.Model):
    """What a board page needs beside its rows. generation: two rebuilds at a time never write over each other."""

    revision = models.ForeignKey("arena.DatasetRevision", on_delete=models.CASCADE, related_name="board_states")
    split = models.CharField(max_length=30)
    generation = models.PositiveIntegerField(default=0)
    facts = models.JSONField(default=dict)
    # The last snapshot of each day: {"at": ISO time, "rows": {entrant's key: [headline value, rank]}}, oldest first.
    history = models.JSONField(default=list)
    changed_at = models.DateTimeField(null=True)

    objects = BoardStates()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["revision", "split"], name="board_state_once")]

    def __str__(self) -> str:
        return f"{self.revision_id}/{self.split}"


class PageVersion(models.Model):
    """One row with a random token, another one after every change: stored pages belong to one token."""

    token = models.CharField(max_length=32)
    changed_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return self.token


class Rating(models.Model):
    """One model's arena rating in one pool, over everything (benchmark "") or one benchmark; `leaderboard.ratings`."""

    pool = models.CharField(max_length=20)  # people, scores, or one of arena.models.Pool
    benchmark = models.SlugField(blank=True)
    entrant = models.ForeignKey("arena.Entrant", on_delete=models.CASCADE, related_name="ratings")
    rating = models.FloatField(null=True)  # Elo points, mean 1000
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    rank = models.PositiveIntegerField(null=True)
    rank_upper = models.PositiveIntegerField(null=True)
    n_votes = models.PositiveIntegerField(default=0)
    wins = models.PositiveIntegerField(default=0)
    losses = models.PositiveIntegerField(default=0)
    ties = models.PositiveIntegerField(default=0)
    is_preliminary = models.BooleanField(default=False)
    note = models.CharField(max_length=100, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["pool", "benchmark", "entrant"], name="rating_once")]

    def __str__(self) -> str:
        return f"{self.pool} {self.rating}"
