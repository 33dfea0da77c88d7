"""Public pages: how far judges can be trusted, and where wrong replies go wrong."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict, fields, is_dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from arena.csv_cells import guard_cell
from arena.models import Benchmark
from leaderboard.selectors.agreement import STEPS, Cell, read_agreement, read_known
from leaderboard.selectors.taxonomy import read_taxonomy

TABLES = (
    "judges", "kinds", "languages", "points", "models", "families", "months", "reviewers", "reviewer_pairs", "panels",
)  # fmt: skip


def agreement(request: HttpRequest) -> HttpResponse:
    """Judge against people, reviewers and judges among themselves."""
    slug, sample = request.GET.get("benchmark", ""), request.GET.get("sample", "")
    page = read_agreement(slug, sample)
    context = {
        "page": page,
        "benchmarks": Benchmark.objects.filter(is_public=True),
        "slug": slug,
        "steps": STEPS,
        "known": read_known(request.user),
        "tables": TABLES,
    }
    return render(request, "leaderboard/review/agreement.html", context)


def export(request: HttpRequest, table: str, form: str) -> HttpResponse:
    """One table of the agreement page as CSV or JSON."""
    if table not in TABLES or form not in ("csv", "json"):
        raise Http404
    rows = [
        _flat(row)
        for row in getattr(read_agreement(request.GET.get("benchmark", ""), request.GET.get("sample", "")), table)
    ]
    if form == "json":
        return JsonResponse({"table": table, "rows": rows})
    text = io.StringIO()
    if rows:
        writer = csv.DictWriter(text, rows[0].keys())
        writer.writeheader()
        writer.writerows({name: guard_cell(value) for name, value in row.items()} for row in rows)
    response = HttpResponse(text.getvalue(), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="agreement-{table}.csv"'
    return response


def _flat(row: Any) -> dict[str, Any]:
    """A row as plain columns: a coefficient gives its value, low and high as numbers."""
    found: dict[str, Any] = {}
    for field in fields(row):
        value = getattr(row, field.name)
        if isinstance(value, Cell):
            found |= {field.name: value.number, f"{field.name}_low": value.low, f"{field.name}_high": value.high}
        else:
            found[field.name] = asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
    return found


def errors(request: HttpRequest) -> HttpResponse:
    """The error taxonomy."""
    page = read_taxonomy(request.GET.get("benchmark", ""))
    return render(request, "leaderboard/review/errors.html", {"page": page})
