"""The two groups that carry rights."""

from django.db import migrations

from arena.models.users import MAINTAINER, REVIEWER


def make_groups(apps, schema_editor):
    for name in (REVIEWER, MAINTAINER):
        apps.get_model("auth", "Group").objects.get_or_create(name=name)


class Migration(migrations.Migration):
    dependencies = [("arena", "0002_append_only"), ("auth", "0012_alter_user_first_name_max_length")]

    operations = [migrations.RunPython(make_groups, migrations.RunPython.noop)]
