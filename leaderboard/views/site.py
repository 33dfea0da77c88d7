from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt
from django.views.i18n import set_language as django_set_language


def healthz(request: HttpRequest) -> JsonResponse:
    """Whether the web server and the database answer."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return JsonResponse({"status": "ok"})


@csrf_exempt
def set_language(request: HttpRequest) -> HttpResponse:
    """Remember the language in a cookie. Exempt: stored pages carry no token, and it changes nothing else."""
    return django_set_language(request)


@login_required
def style(request: HttpRequest) -> HttpResponse:
    """Every component in both themes, for maintainers."""
    if not getattr(request.user, "is_maintainer", False):
        raise PermissionDenied
    return render(request, "leaderboard/style.html")
