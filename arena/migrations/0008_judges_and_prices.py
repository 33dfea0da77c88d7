"""Official judges' endpoints, measurements of their leniency, and dated prices."""

import uuid

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from arena.models.base import MakeAppendOnly


class Migration(migrations.Migration):

    dependencies = [
        ('arena', '0007_battles'),
    ]

    operations = [
        migrations.CreateModel(
            name='CanaryReply',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(auto_now_add=True, db_index=True)),
                ('check_id', models.UUIDField(db_index=True, default=uuid.uuid4)),
                ('purpose', models.CharField(max_length=20)),
                ('request_digest', models.CharField(max_length=64)),
                ('text', models.TextField(blank=True)),
                ('awarded', models.DecimalField(blank=True, decimal_places=4, max_digits=9, null=True)),
                ('max_points', models.DecimalField(decimal_places=4, max_digits=9)),
                ('kind', models.CharField(blank=True, max_length=40)),
                ('prompt_tokens', models.PositiveIntegerField(blank=True, null=True)),
                ('completion_tokens', models.PositiveIntegerField(blank=True, null=True)),
                ('latency_ms', models.PositiveIntegerField(blank=True, null=True)),
                ('cost_usd', models.DecimalField(blank=True, decimal_places=6, max_digits=12, null=True)),
            ],
        ),
        migrations.CreateModel(
            name='JudgeSeat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('set_at', models.DateTimeField(auto_now=True)),
            ],
        ),
        migrations.CreateModel(
            name='Price',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('model', models.CharField(help_text='As the endpoint names it.', max_length=200)),
                ('valid_from', models.DateField()),
                ('input_usd', models.DecimalField(decimal_places=6, help_text='US dollars a million input tokens.', max_digits=12, validators=[django.core.validators.MinValueValidator(0)])),
                ('output_usd', models.DecimalField(decimal_places=6, help_text='US dollars a million output tokens, reasoning included.', max_digits=12, validators=[django.core.validators.MinValueValidator(0)])),
                ('source', models.CharField(blank=True, max_length=300)),
            ],
            options={
                'ordering': ['model', '-valid_from'],
            },
        ),
        migrations.AddField(
            model_name='canaryreply',
            name='benchmark',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='canaries', to='arena.benchmark'),
        ),
        migrations.AddField(
            model_name='canaryreply',
            name='judge',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='canaries', to='arena.judge'),
        ),
        migrations.AddField(
            model_name='canaryreply',
            name='problem',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='arena.problem'),
        ),
        migrations.AddField(
            model_name='judgeseat',
            name='benchmark',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='judge_seats', to='arena.benchmark'),
        ),
        migrations.AddField(
            model_name='judgeseat',
            name='endpoint',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='arena.endpoint'),
        ),
        migrations.AddField(
            model_name='judgeseat',
            name='judge',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='seats', to='arena.judge'),
        ),
        migrations.AddField(
            model_name='judgeseat',
            name='set_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddConstraint(
            model_name='price',
            constraint=models.UniqueConstraint(fields=('model', 'valid_from'), name='price_dated'),
        ),
        migrations.AddConstraint(
            model_name='price',
            constraint=models.CheckConstraint(condition=models.Q(('input_usd__gte', 0), ('output_usd__gte', 0)), name='price_not_negative'),
        ),
        migrations.AddConstraint(
            model_name='canaryreply',
            constraint=models.UniqueConstraint(fields=('check_id', 'judge', 'problem'), name='canary_once'),
        ),
        migrations.AddConstraint(
            model_name='judgeseat',
            constraint=models.UniqueConstraint(fields=('benchmark', 'judge'), name='judge_seat_once'),
        ),
        MakeAppendOnly("arena_canaryreply"),
    ]
