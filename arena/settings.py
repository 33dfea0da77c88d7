"""All settings. Everything that differs between machines comes from the environment (see README, Settings)."""

from __future__ import annotations

from pathlib import Path

from csp.constants import NONE, SELF
from django.utils.translation import gettext_lazy as _

from arena.env import BASE_DIR, VAR, env, kept_key, make_secret_key, read_encryption_keys, read_secret, redis_url

VAR.mkdir(parents=True, exist_ok=True)

# The embedded default keeps its own keys; a deployment hands them in.
IS_EMBEDDED = not read_secret("DATABASE_URL")
DEBUG = env.bool("DEBUG", False)
DEMO = env.bool("DEMO", False)
SECRET_KEY = read_secret("SECRET_KEY") or kept_key("secret_key", make_secret_key)
ENCRYPTION_KEYS = read_encryption_keys(is_kept=IS_EMBEDDED or DEMO)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", [])
SITE_URL = env.str("SITE_URL", f"http://127.0.0.1:{env.str('PORT', '8000')}").rstrip("/")
ENDPOINT_ALLOWLIST = env.list("ENDPOINT_ALLOWLIST", ["127.0.0.0/8", "::1/128"] if IS_EMBEDDED or DEMO else [])
SIGNUP = env.str("SIGNUP", "open" if DEMO else "invite", validate=lambda value: value in {"invite", "open", "closed"})
RUN_LEASE_S = env.int("RUN_LEASE_S", 60)
# What a person may use up in one day (UTC); maintainers are not counted.
QUOTA_RUNS_PER_DAY = env.int("QUOTA_RUNS_PER_DAY", 20)
QUOTA_JUDGED_PER_DAY = env.int("QUOTA_JUDGED_PER_DAY", 1000)
# How many proxies of ours stand in front and append to X-Forwarded-For; 0: nobody's word but the connection's.
TRUSTED_PROXIES = env.int("TRUSTED_PROXIES", 0)
METRICS_TOKEN = read_secret("METRICS_TOKEN")
CODE_VERSION = env.str("CODE_VERSION", "0.1.0")

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "allauth",
    "allauth.account",
    "csp",
    "django_htmx",
    "arena",
    "leaderboard",
]

MIDDLEWARE = [
    "leaderboard.stored_pages.stored_pages",  # outermost: a stored page carries the headers of all others
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "leaderboard.plain_requests.PlainRequests",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "leaderboard.form_addresses.form_addresses",
]

ROOT_URLCONF = "arena.urls"
WSGI_APPLICATION = "arena.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "leaderboard.context.site",
            ]
        },
    }
]

# Database: SQLite in WAL mode with immediate transactions, or whatever DATABASE_URL names.
if IS_EMBEDDED:
    DATABASES = {
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": str(VAR / "db.sqlite3"),
            "CONN_MAX_AGE": 60,  # opening one costs more than all queries of a page
            "OPTIONS": {
                "transaction_mode": "IMMEDIATE",
                "timeout": 30,
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-32000;",
            },
        }
    }
else:
    DATABASES = {"default": env.dj_db_url("DATABASE_URL", default=read_secret("DATABASE_URL"), conn_max_age=60)}
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Redis carries the queue and the cache; without it pages still work.
REDIS_URL = redis_url()
CACHES = {
    "default": {
        "BACKEND": "arena.cache.SteadyCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "proctor",
        "OPTIONS": {"socket_timeout": 2, "socket_connect_timeout": 1},
    }
    if REDIS_URL
    else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
}
# How old the version of stored pages may be, in seconds; None stores no page.
STORED_PAGES_S: float | None = env.float("STORED_PAGES_S", 0.5)
CELERY_BROKER_URL = REDIS_URL or "redis://127.0.0.1:6399/0"
CELERY_RESULT_BACKEND = None
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 900, "socket_timeout": 10, "socket_connect_timeout": 5}
CELERY_TASK_TIME_LIMIT = 820
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR / "beat-schedule")
CELERY_BEAT_SCHEDULE = {
    "requeue-lost-slices": {"task": "arena.tasks.requeue_lost", "schedule": min(15.0, RUN_LEASE_S / 2)},
}

# People
AUTH_USER_MODEL = "arena.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
ACCOUNT_ADAPTER = "arena.accounts.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
ACCOUNT_FORMS = {"signup": "leaderboard.account_forms.AccountForm"}
ACCOUNT_EMAIL_VERIFICATION = "optional"
ACCOUNT_PREVENT_ENUMERATION = True
LOGIN_REDIRECT_URL = "/"
LOGIN_URL = "/accounts/login/"

# Mail: as files in var/ unless EMAIL_URL names a server. They hold links that reset passwords: for the owner alone.
(VAR / "mail").mkdir(mode=0o700, exist_ok=True)
if email_url := read_secret("EMAIL_URL"):
    globals().update(env.dj_email_url("EMAIL_URL", default=email_url))
else:
    EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    EMAIL_FILE_PATH = str(VAR / "mail")
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", "proctor@localhost")

# Languages: by cookie and Accept-Language, no address prefix.
LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("zh-hans", _("Simplified Chinese"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_TZ = True
TIME_ZONE = "UTC"

# Files
STATIC_URL = "/static/"
STATIC_ROOT = VAR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
GENERATED_ROOT = VAR / "generated"
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "leaderboard.rendering.fonts.MathFontFinder",
]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "arena.static_files.SteadyStaticFiles"},
}
# A name with its hash never changes; without this WhiteNoise asks the storage for guessed names at every start.
WHITENOISE_IMMUTABLE_FILE_TEST = r"^.+\.[0-9a-f]{12}\..+$"
WHITENOISE_ROOT = BASE_DIR / "root_files"  # what browsers and robots ask for at the root: /favicon.ico, /robots.txt
WHITENOISE_MAX_AGE = 86_400  # seconds; of names without a hash
MEDIA_ROOT = Path(env.str("MEDIA_ROOT", str(VAR / "media")))
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024
FILE_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024

# Security
_is_https = SITE_URL.startswith("https://")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _is_https
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if _is_https else None
SECURE_HSTS_SECONDS = 31_536_000 if _is_https else 0
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "manifest-src": [SELF],
    }
}

# Logs carry ids, never contents.
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "filters": {"bare_refusals": {"()": "arena.refusal_log.BareRefusals"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["bare_refusals"]}},
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", "WARNING")},
    "loggers": {"arena": {"level": "INFO"}, "leaderboard": {"level": "INFO"}, "celery.beat": {"level": "WARNING"}},
}
