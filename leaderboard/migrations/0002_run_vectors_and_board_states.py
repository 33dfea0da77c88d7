"""Tables from which boards are rebuilt run by run, and the version of stored pages."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("arena", "0001_initial"), ("leaderboard", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="RunVectors",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "basis",
                    models.CharField(
                        choices=[("machine", "Machine"), ("effective", "Effective"), ("estimated", "Estimated")],
                        max_length=10,
                    ),
                ),
                ("data", models.BinaryField()),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="vectors", to="arena.run"
                    ),
                ),
                (
                    "scorer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="arena.scorer"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("run", "scorer", "basis"), name="vectors_once")],
            },
        ),
        migrations.CreateModel(
            name="StaleRun",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "run",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="arena.run"),
                ),
            ],
        ),
        migrations.CreateModel(
            name="BoardState",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("split", models.CharField(max_length=30)),
                ("generation", models.PositiveIntegerField(default=0)),
                ("facts", models.JSONField(default=dict)),
                ("changed_at", models.DateTimeField(null=True)),
                (
                    "revision",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="board_states",
                        to="arena.datasetrevision",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("revision", "split"), name="board_state_once")],
            },
        ),
        migrations.CreateModel(
            name="PageVersion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("token", models.CharField(max_length=32)),
                ("changed_at", models.DateTimeField(auto_now=True)),
            ],
        ),
    ]
