"""The Celery application. Tasks carry primary keys; everything else is read from the database."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings")

app = Celery("proctor")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["arena", "leaderboard"])
