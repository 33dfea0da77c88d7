"""The arena's derived ratings."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('arena', '0007_battles'),
        ('leaderboard', '0002_run_vectors_and_board_states'),
    ]

    operations = [
        migrations.CreateModel(
            name='Rating',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('pool', models.CharField(max_length=20)),
                ('benchmark', models.SlugField(blank=True)),
                ('rating', models.FloatField(null=True)),
                ('low', models.FloatField(null=True)),
                ('high', models.FloatField(null=True)),
                ('rank', models.PositiveIntegerField(null=True)),
                ('rank_upper', models.PositiveIntegerField(null=True)),
                ('n_votes', models.PositiveIntegerField(default=0)),
                ('wins', models.PositiveIntegerField(default=0)),
                ('losses', models.PositiveIntegerField(default=0)),
                ('ties', models.PositiveIntegerField(default=0)),
                ('is_preliminary', models.BooleanField(default=False)),
                ('note', models.CharField(blank=True, max_length=100)),
                ('entrant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='ratings', to='arena.entrant')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('pool', 'benchmark', 'entrant'), name='rating_once')],
            },
        ),
    ]
