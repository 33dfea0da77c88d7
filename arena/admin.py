"""The admin: truth can be looked at and never changed; what maintainers may say anew can be edited."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.http import HttpRequest

from arena import models
from arena.signals import catalog_changed


class MaintainersAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Open to maintainers by their role. Accounts are not: roles are given on the page of people alone."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return is_maintainer(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_maintainer(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_maintainer(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return is_maintainer(request)


def is_maintainer(request: HttpRequest) -> bool:
    return bool(getattr(request.user, "is_maintainer", False))


class ReadOnlyAdmin(MaintainersAdmin):
    """Tables of truth, and rows that only services write."""

    list_per_page = 50
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def show(model: type[Any], *columns: str, search: tuple[str, ...] = (), filters: tuple[str, ...] = ()) -> None:
    """Register a read-only table."""
    options = {"list_display": columns or ("pk", "__str__"), "search_fields": search, "list_filter": filters}
    admin.site.register(model, type(f"{model.__name__}Admin", (ReadOnlyAdmin,), options))


show(models.Problem, "external_id", "subset", "max_points", search=("external_id",))
show(models.DatasetRevision, "label", "benchmark", "origin", "is_current", filters=("benchmark",))
show(
    models.Run,
    "uuid",
    "entrant",
    "revision",
    "state",
    "scorer",
    "created_at",
    search=("uuid", "entrant__name"),
    filters=("state",),
)
show(models.Reply, "uuid", "run", "problem", "repeat", "finish_reason", search=("uuid",))
show(models.CallError, "run", "kind", "is_final", "created_at", filters=("kind", "is_final"))
show(models.Judge, "model", "endpoint_host", "digest", search=("model", "digest"))
show(models.Scorer, "name", "version", "digest", search=("name", "digest"))
show(
    models.Judgment,
    "uuid",
    "scorer",
    "level",
    "status",
    "points",
    "max_points",
    "injection",
    search=("uuid",),
    filters=("level", "status", "injection"),
)
show(models.JudgeReply, "reply", "judge", "purpose", "target", "attempt", filters=("purpose",))
show(models.JudgeError, "reply", "judge", "purpose", "kind", "is_final", filters=("kind", "is_final"))
show(models.CanaryReply, "judge", "benchmark", "awarded", "max_points", "kind", "created_at", filters=("benchmark",))
show(models.ScoreError, "reply", "scorer", "kind", "created_at", filters=("kind",))
show(models.Review, "uuid", "judgment", "reviewer", "decision", "points", "created_at")
show(
    models.ReportedResult, "entrant", "benchmark", "metric", "value", "source", "date", filters=("benchmark", "source")
)
show(models.AuditEvent, "created_at", "actor", "act", "target", search=("target",), filters=("act",))
show(models.Withdrawal, "run", "reply", "reason", "created_at")
show(models.Submission, "uuid", "entrant", "owner", "state", "visibility", filters=("state", "visibility"))
show(models.QuotaEntry, "user", "kind", "amount", "day", filters=("kind",))


@admin.register(models.Price)
class PriceAdmin(MaintainersAdmin):
    """A new price is a new row with its day; a wrong one is corrected."""

    list_display = ("model", "valid_from", "input_usd", "output_usd", "source")
    list_filter = ("model",)
    search_fields = ("model",)


@admin.register(models.Benchmark)
class BenchmarkAdmin(MaintainersAdmin):
    """Texts and visibility. Which scorer ranks is chosen on the judges' page, where both columns are compared."""

    list_display = ("slug", "title", "scorer", "is_public", "figures_public")
    readonly_fields = ("slug", "adapter", "headline_metric", "scorer", "judge_endpoint", "created_at")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(models.Subset)
class SubsetAdmin(MaintainersAdmin):
    list_display = ("benchmark", "slug", "title", "gold", "silver", "bronze", "best_human")
    list_filter = ("benchmark",)
    readonly_fields = ("benchmark", "slug", "kind")

    def save_model(self, request: HttpRequest, obj: models.Subset, form: Any, change: bool) -> None:
        """Medals stand with the numbers: an edited threshold makes the benchmark's boards anew."""
        super().save_model(request, obj, form, change)
        for pk in models.DatasetRevision.objects.filter(benchmark=obj.benchmark).values_list("pk", flat=True):
            catalog_changed.send(sender=models.Subset, revision_id=pk)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(models.Entrant)
class EntrantAdmin(MaintainersAdmin):
    list_display = ("name", "organisation", "kind", "release_date", "open_weights", "owner")
    list_filter = ("kind",)
    search_fields = ("name", "organisation")
    readonly_fields = ("slug",)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(models.Endpoint)
class EndpointAdmin(ReadOnlyAdmin):
    """Addresses without their keys: a key is written once and shown nowhere."""

    list_display = ("base_url", "api_model", "owner", "created_at")
    exclude = ("key_ciphertext",)


admin.site.register(models.User, UserAdmin)
