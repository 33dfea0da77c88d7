"""Attempts to instruct the grader as a column of their own, so that reviewers can filter by it."""

from django.db import migrations, models

from arena.models.base import MakeAppendOnly


def fill_from_details(apps, schema_editor):
    """Older judgments hold the kinds in their details; the guard is lifted for this one filling."""
    guard, judgment = apps.get_model("arena", "Guard"), apps.get_model("arena", "Judgment")
    guard.objects.update(enforced=False)
    for pk, details in judgment.objects.values_list("pk", "details").iterator(chunk_size=2000):
        if kinds := details.get("injection"):
            judgment.objects.filter(pk=pk).update(injection=", ".join(kinds)[:200])
    guard.objects.update(enforced=True)


class Migration(migrations.Migration):
    dependencies = [
        ('arena', '0008_judges_and_prices'),
    ]

    operations = [
        migrations.AddField(
            model_name='judgment',
            name='injection',
            field=models.CharField(blank=True, default='', max_length=200),
        ),
        migrations.AddIndex(
            model_name='judgment',
            index=models.Index(condition=models.Q(('injection', ''), _negated=True), fields=['scorer', 'injection'], name='judgment_injection'),
        ),
        MakeAppendOnly("arena_judgment"),  # SQLite rebuilt the table without its triggers
        migrations.RunPython(fill_from_details, migrations.RunPython.noop),
    ]
