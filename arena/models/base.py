"""What all tables of truth share, and the triggers that hold them append-only on both engines."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


class AppendOnlyModel(models.Model):
    """A row of truth: written once, never changed or deleted. Database triggers hold it, not `save()`."""

    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        abstract = True


class Billed(models.Model):
    """What the endpoint said a call took; null where it said nothing."""

    prompt_tokens = models.PositiveIntegerField(null=True, blank=True)
    completion_tokens = models.PositiveIntegerField(null=True, blank=True)
    cost_usd = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)

    class Meta:
        abstract = True


class Guard(models.Model):
    """One row: whether the append-only triggers are on. Only a test's flush switches them off."""

    enforced = models.BooleanField(default=True)

    class Meta:
        db_table = "arena_guard"

    def __str__(self) -> str:
        return "enforced" if self.enforced else "off"


_SQLITE = """CREATE TRIGGER {name} BEFORE {act} ON {table}
WHEN (SELECT enforced FROM arena_guard LIMIT 1)
BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"""
_POSTGRES_FUNCTION = """CREATE OR REPLACE FUNCTION arena_refuse_change() RETURNS trigger AS $$
BEGIN
  IF (SELECT enforced FROM arena_guard LIMIT 1) THEN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  IF TG_OP = 'TRUNCATE' THEN RETURN NULL; END IF;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  RETURN NEW;
END $$ LANGUAGE plpgsql"""


def _statements(vendor: str, table: str) -> Iterable[tuple[str, str]]:
    """(create, drop) SQL of each trigger of one table."""
    if vendor == "sqlite":
        for act in ("UPDATE", "DELETE"):
            name = f"{table}_no_{act.lower()}"
            yield _SQLITE.format(name=name, act=act, table=table), f"DROP TRIGGER IF EXISTS {name}"
    else:
        for act, scope in (("UPDATE OR DELETE", "ROW"), ("TRUNCATE", "STATEMENT")):
            name = f"{table}_no_{'change' if scope == 'ROW' else 'truncate'}"
            yield (
                f"CREATE TRIGGER {name} BEFORE {act} ON {table} "
                f"FOR EACH {scope} EXECUTE FUNCTION arena_refuse_change()",
                f"DROP TRIGGER IF EXISTS {name} ON {table}",
            )


class MakeAppendOnly(migrations.RunPython):
    """Migration step that puts the triggers on `tables`, and takes them off again when reversed.

    A later migration that alters such a table on SQLite must repeat the step: a rebuilt table has no triggers.
    """

    def __init__(self, *tables: str) -> None:
        self.tables = tables
        super().__init__(self._create, self._drop)

    def deconstruct(self) -> tuple[str, tuple[str, ...], dict[str, object]]:
        return self.__class__.__name__, self.tables, {}

    def _create(self, apps: object, schema_editor: BaseDatabaseSchemaEditor) -> None:
        vendor = schema_editor.connection.vendor
        if vendor == "postgresql":
            schema_editor.execute(_POSTGRES_FUNCTION, None)
        for table in self.tables:
            for create, drop in _statements(vendor, table):
                schema_editor.execute(drop, None)
                schema_editor.execute(create, None)

    def _drop(self, apps: object, schema_editor: BaseDatabaseSchemaEditor) -> None:
        for table in self.tables:
            for _, drop in _statements(schema_editor.connection.vendor, table):
                schema_editor.execute(drop, None)
