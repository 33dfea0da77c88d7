"""What the admin calls the tables. No table changes."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('arena', '0011_billed_failures'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='auditevent',
            options={'verbose_name': 'entry of the audit log', 'verbose_name_plural': 'audit log'},
        ),
        migrations.AlterModelOptions(
            name='benchmark',
            options={'ordering': ['position', 'slug'], 'verbose_name': 'benchmark', 'verbose_name_plural': 'benchmarks'},
        ),
        migrations.AlterModelOptions(
            name='callerror',
            options={'verbose_name': 'failed call', 'verbose_name_plural': 'failed calls'},
        ),
        migrations.AlterModelOptions(
            name='canaryreply',
            options={'verbose_name': 'canary reply', 'verbose_name_plural': 'canary replies'},
        ),
        migrations.AlterModelOptions(
            name='datasetrevision',
            options={'verbose_name': 'dataset revision', 'verbose_name_plural': 'dataset revisions'},
        ),
        migrations.AlterModelOptions(
            name='endpoint',
            options={'verbose_name': 'endpoint', 'verbose_name_plural': 'endpoints'},
        ),
        migrations.AlterModelOptions(
            name='entrant',
            options={'verbose_name': 'entrant', 'verbose_name_plural': 'entrants'},
        ),
        migrations.AlterModelOptions(
            name='judge',
            options={'verbose_name': 'judge', 'verbose_name_plural': 'judges'},
        ),
        migrations.AlterModelOptions(
            name='judgeerror',
            options={'verbose_name': 'failed judge call', 'verbose_name_plural': 'failed judge calls'},
        ),
        migrations.AlterModelOptions(
            name='judgereply',
            options={'verbose_name': 'reply of a judge', 'verbose_name_plural': 'replies of judges'},
        ),
        migrations.AlterModelOptions(
            name='judgment',
            options={'verbose_name': 'judgment', 'verbose_name_plural': 'judgments'},
        ),
        migrations.AlterModelOptions(
            name='price',
            options={'ordering': ['model', '-valid_from'], 'verbose_name': 'price', 'verbose_name_plural': 'prices'},
        ),
        migrations.AlterModelOptions(
            name='problem',
            options={'verbose_name': 'problem', 'verbose_name_plural': 'problems'},
        ),
        migrations.AlterModelOptions(
            name='quotaentry',
            options={'verbose_name': 'quota entry', 'verbose_name_plural': 'quota entries'},
        ),
        migrations.AlterModelOptions(
            name='reply',
            options={'verbose_name': 'reply', 'verbose_name_plural': 'replies'},
        ),
        migrations.AlterModelOptions(
            name='reportedresult',
            options={'verbose_name': 'published result', 'verbose_name_plural': 'published results'},
        ),
        migrations.AlterModelOptions(
            name='review',
            options={'verbose_name': 'review', 'verbose_name_plural': 'reviews'},
        ),
        migrations.AlterModelOptions(
            name='run',
            options={'verbose_name': 'run', 'verbose_name_plural': 'runs'},
        ),
        migrations.AlterModelOptions(
            name='scoreerror',
            options={'verbose_name': 'scoring error', 'verbose_name_plural': 'scoring errors'},
        ),
        migrations.AlterModelOptions(
            name='scorer',
            options={'verbose_name': 'scorer', 'verbose_name_plural': 'scorers'},
        ),
        migrations.AlterModelOptions(
            name='submission',
            options={'verbose_name': 'submission', 'verbose_name_plural': 'submissions'},
        ),
        migrations.AlterModelOptions(
            name='subset',
            options={'ordering': ['position', 'slug'], 'verbose_name': 'subset', 'verbose_name_plural': 'subsets'},
        ),
        migrations.AlterModelOptions(
            name='withdrawal',
            options={'verbose_name': 'withdrawal', 'verbose_name_plural': 'withdrawals'},
        ),
    ]
