"""Human review: the queue with its places, what reviewers and adjudicators decide, roles and the audit log."""

import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models

from arena.models.base import MakeAppendOnly


class Migration(migrations.Migration):

    dependencies = [
        ('arena', '0005_quotas'),
    ]

    operations = [
        migrations.AddField(
            model_name='review',
            name='evidence',
            field=models.TextField(blank=True),
        ),
        migrations.AddField(
            model_name='review',
            name='evidence_end',
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='review',
            name='evidence_start',
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='review',
            name='is_blind',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='review',
            name='role',
            field=models.CharField(blank=True, max_length=10),
        ),
        migrations.AddField(
            model_name='review',
            name='verdict',
            field=models.CharField(blank=True, choices=[('right', 'Right'), ('wrong', 'Wrong'), ('unreadable', 'Unreadable')], max_length=10),
        ),
        migrations.CreateModel(
            name='ReviewItem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uuid', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('inclusion_probability', models.FloatField(blank=True, null=True)),
                ('sample_seed', models.PositiveIntegerField(blank=True, null=True)),
                ('needed', models.PositiveSmallIntegerField(default=2)),
                ('threshold', models.FloatField(default=0.0)),
                ('priority', models.IntegerField(default=0)),
                ('state', models.CharField(choices=[('open', 'open'), ('disputed', 'disputed'), ('done', 'done')], default='open', max_length=10)),
                ('is_calibration', models.BooleanField(default=False)),
                ('known', models.JSONField(blank=True, default=dict)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('focus', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='arena.criterion')),
                ('reply', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='review_items', to='arena.reply')),
                ('scorer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='review_items', to='arena.scorer')),
            ],
        ),
        migrations.CreateModel(
            name='ReviewDraft',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('data', models.JSONField(default=dict)),
                ('revised_ms', models.BigIntegerField(default=0)),
                ('saved_at', models.DateTimeField(auto_now=True)),
                ('reviewer', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='drafts', to='arena.reviewitem')),
            ],
        ),
        migrations.CreateModel(
            name='ErrorLabel',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(auto_now_add=True, db_index=True)),
                ('error_class', models.CharField(choices=[('physical_perception', 'Physical Perception'), ('robust_semantic', 'Robust Reasoning: semantic'), ('robust_symbolic', 'Robust Reasoning: symbolic')], max_length=30)),
                ('step', models.TextField(blank=True)),
                ('step_start', models.PositiveIntegerField(blank=True, null=True)),
                ('step_end', models.PositiveIntegerField(blank=True, null=True)),
                ('reply', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='error_labels', to='arena.reply')),
                ('reviewer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('item', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='error_labels', to='arena.reviewitem')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Erratum',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uuid', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('part', models.CharField(blank=True, max_length=20)),
                ('claim', models.TextField()),
                ('state', models.CharField(choices=[('open', 'open'), ('accepted', 'accepted'), ('rejected', 'rejected')], default='open', max_length=10)),
                ('resolution', models.TextField(blank=True)),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('problem', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='errata', to='arena.problem')),
                ('reporter', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('item', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='errata', to='arena.reviewitem')),
            ],
        ),
        migrations.CreateModel(
            name='Adjudication',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(auto_now_add=True, db_index=True)),
                ('uuid', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('points', models.DecimalField(decimal_places=4, max_digits=9)),
                ('reason', models.TextField()),
                ('adjudicator', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='adjudications', to=settings.AUTH_USER_MODEL)),
                ('answer_score', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='adjudications', to='arena.answerscore')),
                ('criterion_score', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='adjudications', to='arena.criterionscore')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='adjudications', to='arena.reviewitem')),
            ],
        ),
        migrations.AddField(
            model_name='review',
            name='item',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='reviews', to='arena.reviewitem'),
        ),
        migrations.CreateModel(
            name='ReviewReason',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('policy', models.CharField(choices=[('random', 'random sample'), ('disagreement', 'judges disagree'), ('low_confidence', 'low confidence'), ('rule_vs_judge', 'rule against judge'), ('injection', 'may instruct the grader'), ('boundary', 'near a boundary'), ('reported', 'reported by a reader'), ('overturned', 'same criterion was overturned'), ('calibration', 'calibration')], max_length=20)),
                ('detail', models.CharField(blank=True, max_length=300)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='reasons', to='arena.reviewitem')),
            ],
            options={
                'ordering': ['created_at', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='ReviewSkip',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.CharField(max_length=300)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='skips', to='arena.reviewitem')),
                ('reviewer', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='ReviewSlot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField()),
                ('claimed_at', models.DateTimeField(blank=True, null=True)),
                ('claimed_until', models.DateTimeField(blank=True, null=True)),
                ('submitted_at', models.DateTimeField(blank=True, null=True)),
                ('seconds', models.PositiveIntegerField(blank=True, null=True)),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='slots', to='arena.reviewitem')),
                ('reviewer', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='review_slots', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['position'],
            },
        ),
        migrations.CreateModel(
            name='AuditEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(auto_now_add=True, db_index=True)),
                ('act', models.CharField(max_length=30)),
                ('target', models.CharField(max_length=100)),
                ('before', models.JSONField(default=dict)),
                ('after', models.JSONField(default=dict)),
                ('actor', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('benchmark', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='arena.benchmark')),
            ],
            options={
                'indexes': [models.Index(fields=['target'], name='audit_target')],
            },
        ),
        migrations.CreateModel(
            name='BenchmarkRole',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(choices=[('reviewer', 'reviewer'), ('senior', 'senior reviewer'), ('maintainer', 'maintainer')], max_length=10)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('benchmark', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='roles', to='arena.benchmark')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='benchmark_roles', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('benchmark', 'user'), name='benchmark_role_once')],
            },
        ),
        migrations.AddIndex(
            model_name='reviewitem',
            index=models.Index(fields=['state', '-priority', 'id'], name='review_queue_order'),
        ),
        migrations.AddConstraint(
            model_name='reviewitem',
            constraint=models.UniqueConstraint(fields=('reply', 'scorer', 'is_calibration'), name='review_item_once'),
        ),
        migrations.AddConstraint(
            model_name='reviewitem',
            constraint=models.CheckConstraint(condition=models.Q(('inclusion_probability__isnull', True), models.Q(('inclusion_probability__gt', 0), ('inclusion_probability__lte', 1)), _connector='OR'), name='review_item_probability'),
        ),
        migrations.AddConstraint(
            model_name='reviewdraft',
            constraint=models.UniqueConstraint(fields=('item', 'reviewer'), name='review_draft_once'),
        ),
        migrations.AddConstraint(
            model_name='adjudication',
            constraint=models.CheckConstraint(condition=models.Q(('criterion_score__isnull', True), ('answer_score__isnull', True), _connector='XOR'), name='adjudication_of_one_part'),
        ),
        migrations.AddConstraint(
            model_name='reviewreason',
            constraint=models.UniqueConstraint(fields=('item', 'policy'), name='review_reason_once'),
        ),
        migrations.AddConstraint(
            model_name='reviewskip',
            constraint=models.UniqueConstraint(fields=('item', 'reviewer'), name='review_skip_once'),
        ),
        migrations.AddIndex(
            model_name='reviewslot',
            index=models.Index(fields=['reviewer', 'submitted_at'], name='review_slot_mine'),
        ),
        migrations.AddConstraint(
            model_name='reviewslot',
            constraint=models.UniqueConstraint(fields=('item', 'position'), name='review_slot_position'),
        ),
        migrations.AddConstraint(
            model_name='reviewslot',
            constraint=models.UniqueConstraint(fields=('item', 'reviewer'), name='review_slot_reviewer'),
        ),
        # SQLite rebuilt arena_review, and a rebuilt table has no triggers.
        MakeAppendOnly("arena_review", "arena_adjudication", "arena_errorlabel", "arena_auditevent"),
    ]
