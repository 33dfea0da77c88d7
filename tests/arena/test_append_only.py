"""Every table of truth has its triggers, on whichever engine the tests run, and the guard is on."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.db import connection

from arena.models import AppendOnlyModel, Guard

pytestmark = pytest.mark.django_db

TABLES = sorted(m._meta.db_table for m in apps.get_models() if issubclass(m, AppendOnlyModel))
SQL = {
    "sqlite": "SELECT tbl_name, name FROM sqlite_master WHERE type = 'trigger'",
    "postgresql": "SELECT c.relname, t.tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid"
    " WHERE NOT t.tgisinternal",
}
WANTED = {"sqlite": ("_no_update", "_no_delete"), "postgresql": ("_no_change", "_no_truncate")}


@pytest.mark.parametrize("table", TABLES)
def test_table_of_truth_takes_inserts_only(table: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(SQL[connection.vendor])
        found = {name for owner, name in cursor.fetchall() if owner == table}
    assert {f"{table}{suffix}" for suffix in WANTED[connection.vendor]} <= found


def test_guard_is_on() -> None:
    assert list(Guard.objects.values_list("enforced", flat=True)) == [True]
