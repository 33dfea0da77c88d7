"""What a failed call was billed all the same, where the endpoint says so."""

from django.db import migrations, models

from arena.models.base import MakeAppendOnly

TABLES = ("callerror", "judgeerror")
COLUMNS = {
    "prompt_tokens": models.PositiveIntegerField(blank=True, null=True),
    "completion_tokens": models.PositiveIntegerField(blank=True, null=True),
    "cost_usd": models.DecimalField(blank=True, decimal_places=6, max_digits=12, null=True),
}


class Migration(migrations.Migration):
    dependencies = [
        ("arena", "0010_carried_runs"),
    ]

    operations = [
        *(
            migrations.AddField(model_name=table, name=name, field=column.clone())
            for table in TABLES
            for name, column in COLUMNS.items()
        ),
        MakeAppendOnly(*(f"arena_{table}" for table in TABLES)),
    ]
