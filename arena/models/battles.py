"""Battles: two replies to one problem, who was shown them, and what was voted. Names of voters are never stored."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models

from arena.models.base import AppendOnlyModel


class Pool(models.TextChoices):
    """Who voted. Each pool is rated on its own; `people` is the union of the first three."""

    ANONYMOUS = "anonymous"
    SIGNED_IN = "signed-in"
    REVIEWER = "reviewer"
    JUDGE = "judge"
    IMPORTED_PEOPLE = "imported-people"
    IMPORTED_JUDGE = "imported-judge"


PEOPLE = (Pool.ANONYMOUS, Pool.SIGNED_IN, Pool.REVIEWER)


class Battle(AppendOnlyModel):
    """Two replies of two entrants to one problem. `entrant_a`, `entrant_b` in order of primary key; sides are a
    serving's or a vote's business.

    key: what makes it unique (both replies and the origin, or an imported record's contents).
    style: {"a": [characters, formulas, list items], "b": ...} of the texts as shown.
    leaks_a, leaks_b: how many times a name was masked. source: of an imported battle, which collection it came from.
    """

    class Origin(models.TextChoices):
        PEOPLE = "people"
        JUDGE = "judge"
        IMPORTED = "imported"

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    key = models.CharField(max_length=80, unique=True)
    origin = models.CharField(max_length=10, choices=Origin.choices)
    entrant_a = models.ForeignKey("Entrant", on_delete=models.PROTECT, related_name="+")
    entrant_b = models.ForeignKey("Entrant", on_delete=models.PROTECT, related_name="+")
    reply_a = models.ForeignKey("Reply", null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    reply_b = models.ForeignKey("Reply", null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    benchmark = models.ForeignKey("Benchmark", null=True, blank=True, on_delete=models.PROTECT, related_name="battles")
    problem = models.ForeignKey("Problem", null=True, blank=True, on_delete=models.PROTECT, related_name="battles")
    source = models.CharField(max_length=100, blank=True)
    question = models.CharField(max_length=200)  # the official id, or an imported question's id
    field = models.CharField(max_length=100, blank=True)
    language = models.CharField(max_length=20, blank=True)
    seed = models.CharField(max_length=64, blank=True)
    style = models.JSONField(default=dict)
    leaks_a = models.PositiveIntegerField(default=0)
    leaks_b = models.PositiveIntegerField(default=0)

    class Meta:
        indexes = [
            models.Index(fields=["origin", "benchmark"], name="battle_scope"),
            models.Index(fields=["entrant_a", "entrant_b"], name="battle_pair"),
        ]
        constraints = [
            models.CheckConstraint(condition=~models.Q(entrant_a=models.F("entrant_b")), name="battle_of_two")
        ]

    def __str__(self) -> str:
        return str(self.uuid)


class BattleServing(models.Model):
    """A battle as one voter was shown it. swapped: reply B stood left.

    pairing: entrants and problem, so that nobody is ever shown the same pair on the same problem twice.
    shown_at: when it came to the top; a preloaded battle is served earlier.
    """

    battle = models.ForeignKey(Battle, on_delete=models.PROTECT, related_name="servings")
    voter = models.CharField(max_length=64)
    pairing = models.CharField(max_length=64)
    swapped = models.BooleanField(default=False)
    served_at = models.DateTimeField(auto_now_add=True)
    shown_at = models.DateTimeField(null=True, blank=True)
    answer_opened_at = models.DateTimeField(null=True, blank=True)
    skipped_at = models.DateTimeField(null=True, blank=True)
    revealed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["battle", "voter"], name="serving_once"),
            models.UniqueConstraint(fields=["voter", "pairing"], name="serving_pairing"),
        ]

    def __str__(self) -> str:
        return f"{self.battle_id} to {self.voter[:8]}"


class Vote(AppendOnlyModel):
    """One voter's word on one battle. outcome speaks of the battle's a and b, whatever side they stood on.

    voter: a keyed hash of the cookie or account. address: a hash under a key that changes every day, for caps alone.
    seconds: from showing to voting. games: of a judge or an imported pair of games, the winner in each order.
    """

    class Outcome(models.TextChoices):
        A = "a"
        B = "b"
        TIE = "tie"
        BOTH_BAD = "both_bad"

    battle = models.ForeignKey(Battle, on_delete=models.PROTECT, related_name="votes")
    voter = models.CharField(max_length=64, db_index=True)
    pool = models.CharField(max_length=20, choices=Pool.choices)
    outcome = models.CharField(max_length=10, choices=Outcome.choices)
    swapped = models.BooleanField(default=False)
    seconds = models.FloatField(null=True, blank=True)
    answer_opened = models.BooleanField(default=False)
    address = models.CharField(max_length=32, blank=True)
    games = models.CharField(max_length=40, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["battle", "voter"], name="vote_once")]
        indexes = [
            models.Index(fields=["pool", "created_at"], name="vote_pool"),
            models.Index(fields=["address", "created_at"], name="vote_address"),
        ]

    def __str__(self) -> str:
        return f"{self.battle_id}: {self.outcome}"


class VoteExclusion(AppendOnlyModel):
    """Takes a vote out of the ratings, or back in; the newest row of a vote holds, and all are listed."""

    vote = models.ForeignKey(Vote, on_delete=models.PROTECT, related_name="exclusions")
    is_excluded = models.BooleanField(default=True)
    reason = models.CharField(max_length=300)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")

    def __str__(self) -> str:
        return self.reason


class LeakCheck(models.Model):
    """What was found when a reply was first about to fight: a note that may be dropped and made again.

    words: what would have told the model's name. is_left_out: too many to mask.
    """

    reply = models.ForeignKey("Reply", on_delete=models.CASCADE, related_name="leak_checks")
    version = models.CharField(max_length=16)  # digest of the word list and the entrant's names
    n_hits = models.PositiveIntegerField(default=0)
    words = models.JSONField(default=list)
    is_left_out = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["reply", "version"], name="leak_check_once")]

    def __str__(self) -> str:
        return f"{self.reply_id}: {self.n_hits}"
