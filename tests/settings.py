"""The project's settings in a world of its own: a fresh folder, own keys, an own embedded broker on a free port.

DATABASE_URL and REDIS_URL switch the same tests to PostgreSQL and Redis.
"""

import os
import tempfile

_VAR = os.environ.setdefault("PROCTOR_VAR", tempfile.mkdtemp(prefix="proctor-test-"))
os.environ["DEMO"] = "0"
os.environ.setdefault("SECRET_KEY", "a key for tests only, long enough for every signer that looks at its length")

from arena.settings import *  # noqa: E402, F403

IS_TEST = True
ALLOWED_HOSTS = ["*"]
ENCRYPTION_KEYS = ["t1:MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="]
ENDPOINT_ALLOWLIST = ["127.0.0.0/8", "::1/128"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
# Tests of pages and services work inline; those of the queue start the real parts as processes.
REDIS_URL = ""

# Tests change rows behind the back of the signals that make stored pages old; those of stored pages switch it on.
STORED_PAGES_S = None
