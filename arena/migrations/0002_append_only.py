"""Database triggers: tables of truth take inserts only, on SQLite and on PostgreSQL."""

from django.db import migrations

from arena.models.base import MakeAppendOnly


def enforce(apps, schema_editor):
    apps.get_model("arena", "Guard").objects.get_or_create(pk=1, defaults={"enforced": True})


class Migration(migrations.Migration):
    dependencies = [("arena", "0001_initial")]

    operations = [
        migrations.RunPython(enforce, migrations.RunPython.noop),
        MakeAppendOnly(
            "arena_problem",
            "arena_image",
            "arena_figure",
            "arena_answer",
            "arena_criterion",
            "arena_reply",
            "arena_callerror",
            "arena_withdrawal",
            "arena_judge",
            "arena_judgereply",
            "arena_judgeerror",
            "arena_scorer",
            "arena_judgment",
            "arena_criterionscore",
            "arena_answerscore",
            "arena_scoreerror",
            "arena_review",
        ),
    ]
