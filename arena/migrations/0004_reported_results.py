"""Published numbers with their source, and what strategies without a model get."""

import django.db.models.deletion
from django.db import migrations, models

from arena.models.base import MakeAppendOnly


class Migration(migrations.Migration):

    dependencies = [
        ('arena', '0003_groups'),
    ]

    operations = [
        migrations.CreateModel(
            name='BaselineScore',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('split', models.CharField(max_length=30)),
                ('subset', models.CharField(default='overall', max_length=100)),
                ('metric', models.CharField(max_length=30)),
                ('value', models.FloatField(null=True)),
                ('is_expected', models.BooleanField(default=False)),
                ('entrant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='baseline_scores', to='arena.entrant')),
                ('revision', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='baseline_scores', to='arena.datasetrevision')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('entrant', 'revision', 'split', 'subset', 'metric'), name='baseline_once')],
            },
        ),
        migrations.CreateModel(
            name='ReportedResult',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(auto_now_add=True, db_index=True)),
                ('split', models.CharField(default='test', max_length=30)),
                ('subset', models.CharField(default='overall', max_length=100)),
                ('metric', models.CharField(max_length=30)),
                ('value', models.FloatField()),
                ('low', models.FloatField(blank=True, null=True)),
                ('high', models.FloatField(blank=True, null=True)),
                ('style', models.CharField(blank=True, max_length=40)),
                ('repeats', models.PositiveIntegerField(blank=True, null=True)),
                ('judge', models.CharField(blank=True, max_length=200)),
                ('temperature', models.FloatField(blank=True, null=True)),
                ('setting', models.CharField(blank=True, max_length=300)),
                ('source', models.CharField(max_length=300)),
                ('source_url', models.URLField(blank=True, max_length=500)),
                ('date', models.CharField(max_length=10)),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('benchmark', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reported', to='arena.benchmark')),
                ('entrant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reported', to='arena.entrant')),
                ('supersedes', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='superseded_by', to='arena.reportedresult')),
            ],
            options={
                'indexes': [models.Index(fields=['benchmark', 'split', 'subset', 'metric'], name='reported_column')],
            },
        ),
        MakeAppendOnly("arena_reportedresult"),
    ]
