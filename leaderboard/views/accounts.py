from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters

from arena.accounts import make_invitation
from arena.errors import Refused
from arena.models import User
from arena.services.people import ROLES, close_account, set_roles
from leaderboard.selectors.people import list_people


@login_required
@sensitive_post_parameters("password")
def delete_account(request: HttpRequest) -> HttpResponse:
    """Empty and lock one's own account, after the password."""
    error = ""
    if request.method == "POST":
        if request.user.check_password(request.POST.get("password", "")):
            close_account(request.user)
            logout(request)
            messages.success(request, _("Your account is deleted."))
            return redirect("home")
        error = _("This is not your password.")
    return render(request, "account/delete.html", {"error": error})


@login_required
def people(request: HttpRequest) -> HttpResponse:
    """Everybody with an account, and who may do what; for maintainers."""
    if not request.user.is_maintainer:
        raise PermissionDenied
    invitation = ""
    if request.method == "POST" and request.POST.get("act") == "invite":
        invitation = f"{settings.SITE_URL}/accounts/signup/?invitation={make_invitation()}"
    elif request.method == "POST":
        return _appoint(request)
    return render(request, "leaderboard/people.html", {"people": list_people(), "invitation": invitation})


def _appoint(request: HttpRequest) -> HttpResponse:
    person = get_object_or_404(User, pk=request.POST.get("person"), is_active=True)
    try:
        set_roles(person, set(request.POST.getlist("roles")) & set(ROLES), by=request.user)
    except Refused as refused:
        messages.error(request, refused.message)
    else:
        messages.success(request, _("%(name)s now has these roles.") % {"name": person.get_username()})
    return redirect("people")
