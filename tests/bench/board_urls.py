"""The project's addresses and a constant view."""

from django.http import HttpRequest, HttpResponse
from django.urls import include, path


def constant(request: HttpRequest) -> HttpResponse:
    return HttpResponse("constant")


urlpatterns = [path("constant/", constant), path("", include("arena.urls"))]
