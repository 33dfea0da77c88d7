"""Our addresses and, for the browser tests of the look, the style page without a sign-in."""

from django.urls import path
from django.views.generic import TemplateView

from arena.urls import urlpatterns as ours

urlpatterns = [path("look/", TemplateView.as_view(template_name="leaderboard/style.html")), *ours]
