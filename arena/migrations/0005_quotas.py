"""What people use up of their daily allowance."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from arena.models.base import MakeAppendOnly


class Migration(migrations.Migration):

    dependencies = [
        ('arena', '0004_reported_results'),
    ]

    operations = [
        migrations.CreateModel(
            name='QuotaEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(auto_now_add=True, db_index=True)),
                ('kind', models.CharField(choices=[('run', 'Run'), ('judged', 'Judged')], max_length=10)),
                ('amount', models.IntegerField()),
                ('day', models.DateField()),
                ('run', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='quota_entries', to='arena.run')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='quota_entries', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['user', 'day', 'kind'], name='quota_day')],
            },
        ),
        MakeAppendOnly("arena_quotaentry"),
    ]
