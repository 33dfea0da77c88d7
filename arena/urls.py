"""All addresses."""

from django.contrib import admin
from django.urls import include, path
from django.views.decorators.csrf import csrf_exempt
from django.views.i18n import set_language

urlpatterns = [
    path("admin/", admin.site.urls),
    path("accounts/", include("allauth.urls")),
    # Exempt, as the form stands on stored pages, equal for all visitors; a forged post could only change a language.
    path("", include("leaderboard.urls")),
]
