"""Who sits the exam: entrants, where they are reached, and what a person handed in."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models


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

    def __str__(self) -> str:
        return self.name


class Endpoint(models.Model):
    """An OpenAI-compatible address. The key is ciphertext, write-only, and purged when the run ends."""

    base_url = models.URLField(max_length=500)
    api_model = models.CharField(max_length=200)
    key_ciphertext = models.TextField(blank=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.api_model} at {self.base_url}"


class Submission(models.Model):
    """What a person handed in. State moves only in `services.submissions`."""

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

    def __str__(self) -> str:
        return str(self.uuid)
