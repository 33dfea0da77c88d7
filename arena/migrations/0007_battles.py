"""The arena: battles, who was shown them, votes, and which of them do not count."""

import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models

from arena.models.base import MakeAppendOnly


class Migration(migrations.Migration):

    dependencies = [
        ('arena', '0006_human_review'),
    ]

    operations = [
        migrations.CreateModel(
            name='Battle',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(auto_now_add=True, db_index=True)),
                ('uuid', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('key', models.CharField(max_length=80, unique=True)),
                ('origin', models.CharField(choices=[('people', 'People'), ('judge', 'Judge'), ('imported', 'Imported')], max_length=10)),
                ('source', models.CharField(blank=True, max_length=100)),
                ('question', models.CharField(max_length=200)),
                ('field', models.CharField(blank=True, max_length=100)),
                ('language', models.CharField(blank=True, max_length=20)),
                ('seed', models.CharField(blank=True, max_length=64)),
                ('style', models.JSONField(default=dict)),
                ('leaks_a', models.PositiveIntegerField(default=0)),
                ('leaks_b', models.PositiveIntegerField(default=0)),
                ('benchmark', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='battles', to='arena.benchmark')),
                ('entrant_a', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='arena.entrant')),
                ('entrant_b', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='arena.entrant')),
                ('problem', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='battles', to='arena.problem')),
                ('reply_a', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='arena.reply')),
                ('reply_b', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='arena.reply')),
            ],
        ),
        migrations.CreateModel(
            name='BattleServing',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('voter', models.CharField(max_length=64)),
                ('pairing', models.CharField(max_length=64)),
                ('swapped', models.BooleanField(default=False)),
                ('served_at', models.DateTimeField(auto_now_add=True)),
                ('shown_at', models.DateTimeField(blank=True, null=True)),
                ('answer_opened_at', models.DateTimeField(blank=True, null=True)),
                ('skipped_at', models.DateTimeField(blank=True, null=True)),
                ('revealed_at', models.DateTimeField(blank=True, null=True)),
                ('battle', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='servings', to='arena.battle')),
            ],
        ),
        migrations.CreateModel(
            name='LeakCheck',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.CharField(max_length=16)),
                ('n_hits', models.PositiveIntegerField(default=0)),
                ('words', models.JSONField(default=list)),
                ('is_left_out', models.BooleanField(default=False)),
                ('reply', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='leak_checks', to='arena.reply')),
            ],
        ),
        migrations.CreateModel(
            name='Vote',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(auto_now_add=True, db_index=True)),
                ('voter', models.CharField(db_index=True, max_length=64)),
                ('pool', models.CharField(choices=[('anonymous', 'Anonymous'), ('signed-in', 'Signed In'), ('reviewer', 'Reviewer'), ('judge', 'Judge'), ('imported-people', 'Imported People'), ('imported-judge', 'Imported Judge')], max_length=20)),
                ('outcome', models.CharField(choices=[('a', 'A'), ('b', 'B'), ('tie', 'Tie'), ('both_bad', 'Both Bad')], max_length=10)),
                ('swapped', models.BooleanField(default=False)),
                ('seconds', models.FloatField(blank=True, null=True)),
                ('answer_opened', models.BooleanField(default=False)),
                ('address', models.CharField(blank=True, max_length=32)),
                ('games', models.CharField(blank=True, max_length=40)),
                ('battle', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='votes', to='arena.battle')),
            ],
        ),
        migrations.CreateModel(
            name='VoteExclusion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(auto_now_add=True, db_index=True)),
                ('is_excluded', models.BooleanField(default=True)),
                ('reason', models.CharField(max_length=300)),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('vote', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='exclusions', to='arena.vote')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.AddIndex(
            model_name='battle',
            index=models.Index(fields=['origin', 'benchmark'], name='battle_scope'),
        ),
        migrations.AddIndex(
            model_name='battle',
            index=models.Index(fields=['entrant_a', 'entrant_b'], name='battle_pair'),
        ),
        migrations.AddConstraint(
            model_name='battle',
            constraint=models.CheckConstraint(condition=models.Q(('entrant_a', models.F('entrant_b')), _negated=True), name='battle_of_two'),
        ),
        migrations.AddConstraint(
            model_name='battleserving',
            constraint=models.UniqueConstraint(fields=('battle', 'voter'), name='serving_once'),
        ),
        migrations.AddConstraint(
            model_name='battleserving',
            constraint=models.UniqueConstraint(fields=('voter', 'pairing'), name='serving_pairing'),
        ),
        migrations.AddConstraint(
            model_name='leakcheck',
            constraint=models.UniqueConstraint(fields=('reply', 'version'), name='leak_check_once'),
        ),
        migrations.AddIndex(
            model_name='vote',
            index=models.Index(fields=['pool', 'created_at'], name='vote_pool'),
        ),
        migrations.AddIndex(
            model_name='vote',
            index=models.Index(fields=['address', 'created_at'], name='vote_address'),
        ),
        migrations.AddConstraint(
            model_name='vote',
            constraint=models.UniqueConstraint(fields=('battle', 'voter'), name='vote_once'),
        ),
        MakeAppendOnly("arena_battle", "arena_vote", "arena_voteexclusion"),
    ]
