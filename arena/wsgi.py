"""The WSGI entry point of the web server."""

import os

from django.core.wsgi import get_wsgi_application
from django.urls import reverse

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings")
application = get_wsgi_application()
reverse("home")  # loads every view and address now, not with the first visitor of this process
