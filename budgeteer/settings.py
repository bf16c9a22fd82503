"""Django settings, all derived from the table in `env.py`.

Importing this module in an environment that cannot be used ends the process with status 2 and
one sentence for each reason: no traceback, through `manage.py`, celery and `budgeteer` alike.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import secrets
import sys
import tempfile
from pathlib import Path
from typing import Any

from django.utils.csp import CSP

from budgeteer.accounts.single_sign_on.settings import ProviderSettings, is_protected
from budgeteer.env import EnvironmentRefused, read_environment
from budgeteer.llm.settings import Endpoint
from budgeteer.logs import logging_config


def _refuse(*problems: str) -> SystemExit:
    sys.stderr.write("Budgeteer cannot start with this environment:\n")
    sys.stderr.writelines(f"  {problem}\n" for problem in problems)
    return SystemExit(2)


def _kept_secret(folder: Path) -> str:
    """Local mode's own key: made on the first start, readable by its owner only.

    It appears whole or not at all, so that of two processes that start at once one makes it and both use it.
    """
    path = folder / "secret_key"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if path.exists():
            if key := path.read_text():
                return key
            path.unlink()
        descriptor, written = tempfile.mkstemp(dir=folder, prefix="secret_key.")
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(50))
        with contextlib.suppress(FileExistsError):
            os.link(written, path)
        Path(written).unlink()
        return path.read_text()
    except OSError as error:
        raise _refuse(f"BUDGETEER_DATA_DIR={str(folder)!r} cannot be written to ({error.strerror}).") from None


try:
    _env = read_environment()
except EnvironmentRefused as refusal:
    raise _refuse(*refusal.problems) from None

LOOPBACK_HOSTS = ["127.0.0.1", "localhost", "[::1]"]
PACKAGE = Path(__file__).resolve().parent
ASSETS = next((p for p in (PACKAGE / "_assets", PACKAGE.parent) if (p / "templates").is_dir()), PACKAGE.parent)

#: The least that Django's own check takes; team mode does not start with less.
_SHORTEST_KEY = 50

BUDGETEER_MODE: str = _env["BUDGETEER_MODE"]
LOCAL = BUDGETEER_MODE == "local"
DATA_DIR: Path = _env["BUDGETEER_DATA_DIR"]
DEBUG: bool = _env["BUDGETEER_DEBUG"]
SECRET_KEY: str = _env["SECRET_KEY"]
ALLOWED_HOSTS: list[str] = _env["ALLOWED_HOSTS"]
if LOCAL:
    if foreign := [host for host in ALLOWED_HOSTS if host not in LOOPBACK_HOSTS]:
        raise _refuse(f"ALLOWED_HOSTS={foreign[0]!r} is not a loopback name; set BUDGETEER_MODE=team to serve others.")
    ALLOWED_HOSTS = LOOPBACK_HOSTS
    SECRET_KEY = SECRET_KEY or _kept_secret(DATA_DIR)
else:
    _missing = [
        sentence
        for lacking, sentence in (
            (not SECRET_KEY, "SECRET_KEY is not set; team mode needs a long random value (or SECRET_KEY_FILE)."),
            (
                0 < len(SECRET_KEY) < _SHORTEST_KEY,
                f"SECRET_KEY has fewer than {_SHORTEST_KEY} characters; it signs sessions and must not be guessed.",
            ),
            (not ALLOWED_HOSTS, "ALLOWED_HOSTS is not set; team mode needs the host names it answers to."),
            (DEBUG, "BUDGETEER_DEBUG='yes' is for local mode only."),
        )
        if lacking
    ]
    if _missing:
        raise _refuse(*_missing)

INSTALLED_APPS = [
    "budgeteer.accounts.admin_app.AdminSiteConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "budgeteer.accounts",
    "budgeteer.tokens",
    "budgeteer.teams",
    "budgeteer.jobs",
    "budgeteer.sources",
    "budgeteer.presets",
    "budgeteer.workbench",
    "budgeteer.collections",
    "budgeteer.reports",
    "budgeteer.personal_data",
    "budgeteer.http_api",
]
MIDDLEWARE = [
    "budgeteer.operations.metrics.requests.RequestMetricsMiddleware",
    "budgeteer.telemetry.middleware.RequestTraceMiddleware",
    "budgeteer.request_log.RequestLogMiddleware",
    "django.middleware.gzip.GZipMiddleware",  # static files too, where whitenoise has them uncompressed
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "budgeteer.access.middleware.PrivacyHeadersMiddleware",
    "budgeteer.operations.middleware.ProbeMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "budgeteer.access.bearer.BearerMiddleware",
    "budgeteer.http_api.middleware.ApiMiddleware",
    "budgeteer.sources.upload_limit.UploadLimitMiddleware",
    "budgeteer.access.middleware.AccessMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "budgeteer.operations.middleware.MethodMiddleware",
    "budgeteer.sources.middleware.StorageAwayMiddleware",
    "budgeteer.operations.middleware.PanicMiddleware",
    "budgeteer.workbench.views.unusable_config.UnusableConfigMiddleware",
]
if LOCAL:
    MIDDLEWARE.insert(0, "budgeteer.access.middleware.LoopbackOnlyMiddleware")
ROOT_URLCONF = "budgeteer.urls"
WSGI_APPLICATION = "budgeteer.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ASSETS / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.csp",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "budgeteer.accounts.context_processors.mode",
                "budgeteer.accounts.context_processors.reader",
            ],
            "builtins": ["budgeteer.icons", "budgeteer.kept_fragments"],
        },
    },
]
LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = False
FORMAT_MODULE_PATH = "budgeteer.presentation.dates"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- data ---------------------------------------------------------------------------------------
_database: dict[str, Any] = _env["DATABASE_URL"] or {
    "ENGINE": "django.db.backends.sqlite3",
    "NAME": str(DATA_DIR / "budgeteer.sqlite3"),
}
if _database["ENGINE"].endswith("sqlite3"):
    Path(_database["NAME"]).absolute().parent.mkdir(parents=True, exist_ok=True)
    _database["OPTIONS"] = {
        # Write locks are taken at BEGIN, so two writers queue instead of failing half-way.
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    }
else:
    _database |= {"CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True}
    # A server or a network that went silent is an error after so long (in s, the second in ms), not for ever.
    _database["OPTIONS"] = {"connect_timeout": 5, "tcp_user_timeout": 30_000} | _database["OPTIONS"]
# A file, since tests run real workers and servers in processes of their own.
_test_name = {"NAME": str(DATA_DIR / "test.sqlite3")} if _database["ENGINE"].endswith("sqlite3") else {}
DATABASES = {"default": _database | {"TEST": _test_name}}
MEDIA_ROOT = DATA_DIR / "media"
STORAGES: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": "budgeteer.sources.files.storage.FolderStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
if LOCAL:  # elsewhere the account is the service's own, and a group may be let in on purpose
    STORAGES["default"]["OPTIONS"] = {"file_permissions_mode": 0o600, "directory_permissions_mode": 0o700}
if _env["BUDGETEER_STORAGE"]:
    if lacking := [name for name in ("boto3", "storages") if not importlib.util.find_spec(name)]:
        raise _refuse(f"BUDGETEER_STORAGE needs the package {lacking[0]}; install Budgeteer as `budgeteer[s3]`.")
    _keys = {"access_key": _env["AWS_ACCESS_KEY_ID"], "secret_key": _env["AWS_SECRET_ACCESS_KEY"]}
    if not all(_keys.values()) and any(_keys.values()):
        raise _refuse("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY belong together; only one of them is set.")
    STORAGES["default"] = {
        "BACKEND": "budgeteer.sources.files.bucket.BucketStorage",
        "OPTIONS": _env["BUDGETEER_STORAGE"] | (_keys if all(_keys.values()) else {}),
    }
UPLOAD_MAX_BYTES = _env["BUDGETEER_UPLOAD_MAX_MB"] * 1_000_000
STORAGE_EACH_BYTES: int = _env["BUDGETEER_STORAGE_EACH_MB"] * 1_000_000
# Pasted text travels as a form field, which is held in memory; a larger text is uploaded as a file, in pieces.
DATA_UPLOAD_MAX_MEMORY_SIZE = min(UPLOAD_MAX_BYTES, 20_000_000)
FILE_UPLOAD_HANDLERS = [
    "budgeteer.sources.upload_limit.UploadLimitHandler",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]
# A folder travels as its files; as many as an archive may list (formats.limits.Limits.archive_entries).
DATA_UPLOAD_MAX_NUMBER_FILES = 20_000

# --- static files: whitenoise serves them, from the packaged folders or from collectstatic's -----
STATIC_URL = "static/"
STATICFILES_DIRS = [folder for folder in (ASSETS / "static",) if folder.is_dir()]
STATIC_ROOT: Path | None = _env["BUDGETEER_STATIC_ROOT"]
if STATIC_ROOT:
    STORAGES["staticfiles"] = {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"}
WHITENOISE_USE_FINDERS = STATIC_ROOT is None
WHITENOISE_AUTOREFRESH = STATIC_ROOT is None and LOCAL
# No page of another origin needs them.
WHITENOISE_ALLOW_ALL_ORIGINS = False

# --- web ----------------------------------------------------------------------------------------
WEB_PROCESSES: int = _env["BUDGETEER_WEB_PROCESSES"]
WEB_THREADS: int = _env["BUDGETEER_WEB_THREADS"]
WEB_WAITING: int = _env["BUDGETEER_WEB_WAITING"]

# --- sign-in ------------------------------------------------------------------------------------
LOGIN_URL = "accounts:sign_in"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "accounts:sign_in"
SIGN_IN_LINK_MINUTES = 10
SIGN_IN_TRIES: int = _env["BUDGETEER_SIGN_IN_TRIES"]
SIGN_IN_TRIES_PER_ADDRESS: int = _env["BUDGETEER_SIGN_IN_TRIES_PER_ADDRESS"]
SIGN_IN_WINDOW_MINUTES: int = _env["BUDGETEER_SIGN_IN_WINDOW_MINUTES"]
TRUST_PROXY: bool = _env["BUDGETEER_TRUST_PROXY"]
PROXY_HOPS: int = _env["BUDGETEER_PROXY_HOPS"]
MAILERS: dict[str, Any] = {"default": _env["BUDGETEER_MAIL_URL"]} if _env["BUDGETEER_MAIL_URL"] else {}
DEFAULT_FROM_EMAIL: str = _env["BUDGETEER_MAIL_FROM"]
MAIL_SITE: str = _env["BUDGETEER_MAIL_SITE"]
PASSWORD_RESET_TIMEOUT: int = _env["BUDGETEER_PASSWORD_LINK_HOURS"] * 3600
_oidc = {name: _env[f"BUDGETEER_OIDC_{name}"] for name in ("ISSUER", "CLIENT_ID", "CLIENT_SECRET", "DOMAINS")}
if any(_oidc.values()):
    if unset := [name for name in ("ISSUER", "CLIENT_ID") if not _oidc[name]]:
        raise _refuse(
            f"BUDGETEER_OIDC_{unset[0]} is not set; sign-in by a provider needs its issuer and the client's id."
        )
    if LOCAL:
        raise _refuse("BUDGETEER_OIDC_ISSUER is for team mode; local mode signs one person in by a link.")
    if not is_protected(_oidc["ISSUER"]):
        raise _refuse(f"BUDGETEER_OIDC_ISSUER={_oidc['ISSUER']!r} has to be an https address: it decides who comes in.")
OIDC_PROVIDER = (
    ProviderSettings(
        issuer=_oidc["ISSUER"],
        client_id=_oidc["CLIENT_ID"],
        client_secret=_oidc["CLIENT_SECRET"],
        title=_env["BUDGETEER_OIDC_TITLE"] or "single sign-on",
        domains=tuple(domain.lower().removeprefix("@") for domain in _oidc["DOMAINS"]),
    )
    if _oidc["ISSUER"]
    else None
)
METRICS_TOKEN: str = _env["BUDGETEER_METRICS_TOKEN"]
EVALUATIONS_AT_ONCE: int = _env["BUDGETEER_EVALUATIONS_AT_ONCE"]
EVALUATIONS_EACH: int = _env["BUDGETEER_EVALUATIONS_EACH"]
EVALUATIONS_WAITING: int = _env["BUDGETEER_EVALUATIONS_WAITING"]
API_REQUESTS_PER_MINUTE: int = _env["BUDGETEER_API_REQUESTS_PER_MINUTE"]
API_STRANGERS_PER_MINUTE: int = _env["BUDGETEER_API_STRANGERS_PER_MINUTE"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
AUTH_PASSWORD_VALIDATORS.append({"NAME": "budgeteer.accounts.password_rules.VariedPasswordValidator"})
# Cookies do not tell ports apart, and other things run on localhost too.
SESSION_COOKIE_NAME = "budgeteer_session"
CSRF_COOKIE_NAME = "budgeteer_csrf"
CSRF_COOKIE_HTTPONLY = True
CSRF_TRUSTED_ORIGINS: list[str] = _env["CSRF_TRUSTED_ORIGINS"]
SESSION_COOKIE_AGE = 30 * 24 * 3600

# --- headers ------------------------------------------------------------------------------------
_https = not LOCAL and _env["BUDGETEER_HTTPS"]
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _https
SECURE_SSL_REDIRECT = _https
SECURE_REDIRECT_EXEMPT = [r"^health/$", r"^ready/$", r"^metrics$"]
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if _https else 0
# Whether other hosts of the domain speak HTTPS too is for whoever runs the domain to say.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
if not MAILERS:  # without a mail server nothing is mailed, and the pages say so
    SILENCED_SYSTEM_CHECKS.append("mail.W001")
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if TRUST_PROXY else None
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SECURE_CSP = {
    "default-src": [CSP.NONE],
    "script-src": [CSP.SELF],
    "style-src": [CSP.SELF],
    "img-src": [CSP.SELF, "data:"],
    "font-src": [CSP.SELF],
    "connect-src": [CSP.SELF],
    "manifest-src": [CSP.SELF],
    "form-action": [CSP.SELF],
    "frame-ancestors": [CSP.NONE],
    "base-uri": [CSP.NONE],
}

# --- jobs ---------------------------------------------------------------------------------------
REDIS_URL: str = _env["REDIS_URL"]
JOB_HEARTBEAT_SECONDS: float = _env["BUDGETEER_JOB_HEARTBEAT_SECONDS"]
JOB_STALE_SECONDS: float = _env["BUDGETEER_JOB_STALE_SECONDS"]
JOB_RESEND_SECONDS: float = _env["BUDGETEER_JOB_RESEND_SECONDS"]
JOB_REAP_SECONDS: float = _env["BUDGETEER_JOB_REAP_SECONDS"]
JOB_MAX_ATTEMPTS: int = _env["BUDGETEER_JOB_MAX_ATTEMPTS"]
JOB_STEP_SECONDS: float = _env["BUDGETEER_JOB_STEP_SECONDS"]
WORKER_SILENT_SECONDS: float = _env["BUDGETEER_WORKER_SILENT_SECONDS"]
WORKER_MEMORY_MB: int = _env["BUDGETEER_WORKER_MEMORY_MB"]
if 0 < WORKER_MEMORY_MB < 500:
    raise _refuse(f"BUDGETEER_WORKER_MEMORY_MB={WORKER_MEMORY_MB} is too little to work with; give 500 or more, or 0.")
JOBS_DAYS: int = _env["BUDGETEER_JOBS_DAYS"]
AUDIT_DAYS: int = _env["BUDGETEER_AUDIT_DAYS"]
COUNTS_DAYS: int = _env["BUDGETEER_COUNTS_DAYS"]

# --- summaries by a language model ---------------------------------------------------------------
if _env["BUDGETEER_LLM_URL"] and not _env["BUDGETEER_LLM_MODEL"].strip(" ,"):
    raise _refuse("BUDGETEER_LLM_MODEL is not set; BUDGETEER_LLM_URL needs the name of the model to ask for.")
_models = [name.strip() for name in _env["BUDGETEER_LLM_MODEL"].split(",") if name.strip()]
LLM_ENDPOINT = (
    Endpoint(
        url=_env["BUDGETEER_LLM_URL"],
        model=_models[0],
        others=tuple(_models[1:]),
        key=_env["BUDGETEER_LLM_KEY"],
        timeout_seconds=_env["BUDGETEER_LLM_TIMEOUT_SECONDS"],
        tries=_env["BUDGETEER_LLM_TRIES"],
    )
    if _env["BUDGETEER_LLM_URL"]
    else None
)

# --- what watches it ----------------------------------------------------------------------------
TRACES_URL: str = _env["BUDGETEER_TRACES_URL"].rstrip("/")
ERRORS_TO: str = _env["SENTRY_DSN"]
for _given, _name, _package in (
    (TRACES_URL, "BUDGETEER_TRACES_URL", "opentelemetry.sdk"),
    (ERRORS_TO, "SENTRY_DSN", "sentry_sdk"),
):
    if _given and not importlib.util.find_spec(_package):
        raise _refuse(f"{_name} needs the package {_package}; install Budgeteer as `budgeteer[telemetry]`.")

# --- logs ---------------------------------------------------------------------------------------
_form: str = _env["BUDGETEER_LOG_FORMAT"]
LOGGING = logging_config(
    form=_form, level=_env["BUDGETEER_LOG_LEVEL"], quiet=LOCAL and _form == "console", reports_to=ERRORS_TO
)
LOGGING_CONFIG = "budgeteer.logs.configure"
