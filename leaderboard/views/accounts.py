from __future__ import annotations

import re

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters

from arena.errors import Refused
from arena.models import User
from arena.services.invitations import MAX_USES, call_back, list_open, make_invitation
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
    link = ""
    if request.method == "POST":
        act = request.POST.get("act")
        try:
            if act != "invite":
                messages.success(request, _call_back(request) if act == "call-back" else _appoint(request))
                return redirect("people")
            token = make_invitation(request.user, _whole(request, "uses"))
            link = f"{settings.SITE_URL}/accounts/signup/?invitation={token}"
        except Refused as refused:
            messages.error(request, capfirst(refused.message))
    context = {"people": list_people(), "link": link, "invitations": list_open(), "most_uses": MAX_USES}
    return render(request, "leaderboard/people.html", context)


def _whole(request: HttpRequest, name: str) -> int:
    """A posted whole number: 1 where nothing is said, 0 where it is none."""
    text = request.POST.get(name, "1")
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else 0


def _call_back(request: HttpRequest) -> str:
    call_back(request.POST.get("invitation", ""), request.user)
    return _("The invitation is void.")


def _appoint(request: HttpRequest) -> str:
    person = get_object_or_404(User, pk=_whole(request, "person"), is_active=True)
    set_roles(person, set(request.POST.getlist("roles")) & set(ROLES), by=request.user)
    return _("%(name)s now has these roles.") % {"name": person.get_username()}
