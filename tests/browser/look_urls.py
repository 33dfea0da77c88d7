"""Our addresses and, for browser tests, the style page without a sign-in and a page that breaks."""

from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.generic import TemplateView

from arena.urls import urlpatterns as ours


def break_down(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("this page breaks")


urlpatterns = [
    path("look/", TemplateView.as_view(template_name="leaderboard/style.html")),
    path("broken/", break_down),
    *ours,
]
