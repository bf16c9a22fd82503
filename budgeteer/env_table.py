"""The table of all environment settings; `env.py` reads by it, and the documentation is generated from it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Setting:
    """One row: how a variable is read, what it means and what is used without it.

    Attributes:
        kind: a key of `EXPECTED`.
        default: as it would be written in the environment; "" where there is none.
        local_default: the default of local mode, where it is another one.
        secret: it may be given as a file, and its value is never repeated in a message.
        bounds: least and greatest value of a number.
    """

    name: str
    kind: str
    default: str
    meaning: str
    secret: bool = False
    choices: tuple[str, ...] = ()
    bounds: tuple[float, float] | None = None
    local_default: str | None = None

    def default_in(self, mode: str) -> str:
        """The default in that mode."""
        return self.default if self.local_default is None or mode != "local" else self.local_default

    @property
    def expected(self) -> str:
        """What the value has to be, as a clause."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        if self.bounds:
            return f"{EXPECTED[self.kind]} from {self.bounds[0]:g} to {self.bounds[1]:g}"
        return EXPECTED[self.kind]


EXPECTED = {
    "text": "text",
    "choice": "one of the listed words",
    "whole number": "a whole number",
    "number": "a number",
    "yes or no": "yes or no (also true/false, on/off, 1/0)",
    "list": "values separated by commas",
    "folder": "the path of a folder",
    "database": "an address like postgresql://user:password@host:5432/name or sqlite:///path/to/file",
    "address": "an address like https://host/path",
    "redis": "an address like redis://host:6379/0",
    "mail server": "an address like smtps://user:password@host, smtp+starttls://host, file:///folder or console:",
    "bucket": "an address like s3://bucket/folder?endpoint=https://host&region=name",
}

SETTINGS: tuple[Setting, ...] = (
    Setting(
        "BUDGETEER_MODE",
        "choice",
        "local",
        "local: one user on this computer, loopback only, signed in by a one-time link. team: real sign-in.",
        choices=("local", "team"),
    ),
    Setting("BUDGETEER_DATA_DIR", "folder", "var", "Where uploads, the SQLite database and the local broker live."),
    Setting(
        "SECRET_KEY",
        "text",
        "",
        "Signs sessions and links. Local mode makes its own and keeps it in the data folder; team mode needs one.",
        secret=True,
    ),
    Setting("DATABASE_URL", "database", "", "The database; without it, SQLite in the data folder.", secret=True),
    Setting("REDIS_URL", "redis", "", "The broker; without it, files in the data folder.", secret=True),
    Setting(
        "BUDGETEER_STORAGE",
        "bucket",
        "",
        "A bucket for uploads and what is read from them; without it, the data folder.",
    ),
    Setting(
        "AWS_ACCESS_KEY_ID",
        "text",
        "",
        "The key to the bucket; without it, what the machine itself is given (a role, a profile).",
        secret=True,
    ),
    Setting("AWS_SECRET_ACCESS_KEY", "text", "", "The secret of that key.", secret=True),
    Setting("ALLOWED_HOSTS", "list", "", "Host names the dashboard answers to in team mode; local mode: loopback."),
    Setting("CSRF_TRUSTED_ORIGINS", "list", "", "Origins whose forms are taken, such as https://budget.example.org."),
    Setting("BUDGETEER_HTTPS", "yes or no", "yes", "Team mode: secure cookies, strict transport security, redirects."),
    Setting(
        "BUDGETEER_TRUST_PROXY",
        "yes or no",
        "no",
        "Believe X-Forwarded-Proto and X-Forwarded-For, where a proxy of ours sets both.",
    ),
    Setting(
        "BUDGETEER_PROXY_HOPS",
        "whole number",
        "1",
        "How many proxies of ours a request passes; the client's address is that many from the right of "
        "X-Forwarded-For.",
        bounds=(1, 10),
    ),
    Setting(
        "BUDGETEER_SIGN_IN_TRIES",
        "whole number",
        "10",
        "Tries to sign in with one account name that may fail within the window; then it has to wait.",
        bounds=(1, 10_000),
    ),
    Setting(
        "BUDGETEER_SIGN_IN_TRIES_PER_ADDRESS",
        "whole number",
        "50",
        "The same for all tries from one address, one-time links counted apart.",
        bounds=(1, 10_000),
    ),
    Setting(
        "BUDGETEER_SIGN_IN_WINDOW_MINUTES",
        "whole number",
        "15",
        "How long a failed try to sign in counts.",
        bounds=(1, 1440),
    ),
    Setting(
        "BUDGETEER_MAIL_URL",
        "mail server",
        "",
        "The mail server that sends links for a lost password, and tells people of changes to their sign-in. Without "
        "it an administrator hands such links out.",
        secret=True,
    ),
    Setting("BUDGETEER_MAIL_FROM", "text", "budgeteer@localhost", "The sender of those letters."),
    Setting(
        "BUDGETEER_MAIL_SITE",
        "address",
        "",
        "The dashboard's address in those letters. Without it, the one that whoever asks for a letter has called.",
    ),
    Setting(
        "BUDGETEER_PASSWORD_LINK_HOURS",
        "whole number",
        "24",
        "How long a link that sets a password can be used.",
        bounds=(1, 168),
    ),
    Setting(
        "BUDGETEER_OIDC_ISSUER",
        "address",
        "",
        "Team mode: an OpenID Connect provider that signs people in, such as https://accounts.example.org. Without it "
        "they sign in with a password.",
    ),
    Setting("BUDGETEER_OIDC_CLIENT_ID", "text", "", "What that provider knows this dashboard by."),
    Setting(
        "BUDGETEER_OIDC_CLIENT_SECRET",
        "text",
        "",
        "The secret of that client; without it, a public client that PKCE protects.",
        secret=True,
    ),
    Setting("BUDGETEER_OIDC_TITLE", "text", "single sign-on", "What people call the provider, on the sign-in page."),
    Setting(
        "BUDGETEER_OIDC_DOMAINS",
        "list",
        "",
        "Domains of verified mail addresses whose people get an account as viewers when they first come; without it, "
        "only those for whose address an administrator has made one.",
    ),
    Setting(
        "BUDGETEER_METRICS_TOKEN",
        "text",
        "",
        "What Prometheus sends as its bearer token to read `/metrics`; without it there is no such page.",
        secret=True,
    ),
    Setting(
        "BUDGETEER_TRACES_URL",
        "address",
        "",
        "Where traces are sent, in OpenTelemetry's protocol over HTTP, such as http://collector:4318.",
    ),
    Setting(
        "SENTRY_DSN",
        "address",
        "",
        "Where unexpected errors are reported to, in Sentry's protocol: https://key@host/project.",
        secret=True,
    ),
    Setting(
        "BUDGETEER_API_REQUESTS_PER_MINUTE",
        "whole number",
        "600",
        "Requests of the HTTP API that one token may send within a minute.",
        bounds=(1, 100_000),
    ),
    Setting(
        "BUDGETEER_API_STRANGERS_PER_MINUTE",
        "whole number",
        "60",
        "The same for requests without a valid token, all from one address together.",
        bounds=(1, 100_000),
    ),
    Setting(
        "BUDGETEER_EVALUATIONS_AT_ONCE",
        "whole number",
        "4",
        "Evaluations of collections that are worked on at a time; others wait, everybody's in turn.",
        bounds=(1, 1_000),
    ),
    Setting(
        "BUDGETEER_EVALUATIONS_EACH",
        "whole number",
        "10",
        "Evaluations of one person that may be under way or wait.",
        bounds=(1, 10_000),
    ),
    Setting(
        "BUDGETEER_EVALUATIONS_WAITING",
        "whole number",
        "100",
        "Evaluations of all people together that may be under way or wait.",
        bounds=(1, 100_000),
    ),
    Setting("BUDGETEER_STATIC_ROOT", "folder", "", "A folder filled by collectstatic; without it, the packaged files."),
    Setting(
        "BUDGETEER_WEB_PROCESSES",
        "whole number",
        "1",
        "Processes that answer requests; each keeps its own copy of what previews read.",
        bounds=(1, 64),
    ),
    Setting(
        "BUDGETEER_WEB_THREADS",
        "whole number",
        "2",
        "Requests that each of these processes answers at a time.",
        bounds=(1, 256),
    ),
    Setting(
        "BUDGETEER_WEB_WAITING",
        "whole number",
        "500",
        "Requests more that may wait in each of these processes; one past them is refused (503) with `Retry-After`.",
        bounds=(0, 5000),
    ),
    Setting("BUDGETEER_DEBUG", "yes or no", "no", "Django's debug pages, for work on Budgeteer; local mode only."),
    Setting("BUDGETEER_LOG_FORMAT", "choice", "console", "How log lines are written.", choices=("console", "json")),
    Setting(
        "BUDGETEER_LOG_LEVEL",
        "choice",
        "info",
        "The least important lines that are written.",
        choices=("debug", "info", "warning", "error"),
    ),
    Setting("BUDGETEER_UPLOAD_MAX_MB", "whole number", "200", "The largest upload, in megabytes.", bounds=(1, 10_000)),
    Setting(
        "BUDGETEER_STORAGE_EACH_MB",
        "whole number",
        "10000",
        "How much the uploads of one person may take together, in megabytes; 0: any amount.",
        bounds=(0, 100_000_000),
        local_default="0",
    ),
    Setting(
        "BUDGETEER_JOB_HEARTBEAT_SECONDS", "number", "2", "How often a worker says it is alive.", bounds=(0.05, 60)
    ),
    Setting(
        "BUDGETEER_JOB_STALE_SECONDS",
        "number",
        "20",
        "Silence after which a running job is given to another worker.",
        bounds=(0.5, 3600),
    ),
    Setting(
        "BUDGETEER_JOB_RESEND_SECONDS",
        "number",
        "10",
        "How long a queued job may wait unclaimed before it is sent again (doubled each time).",
        bounds=(0.2, 3600),
    ),
    Setting("BUDGETEER_JOB_REAP_SECONDS", "number", "5", "How often lost jobs are looked for.", bounds=(0.2, 3600)),
    Setting(
        "BUDGETEER_JOB_MAX_ATTEMPTS",
        "whole number",
        "5",
        "How many workers a job may lose before it has failed.",
        bounds=(1, 100),
    ),
    Setting(
        "BUDGETEER_JOB_STEP_SECONDS",
        "number",
        "3600",
        "How long a job may go without a step; its worker is then taken for stuck and ends itself.",
        bounds=(0.5, 86_400),
    ),
    Setting(
        "BUDGETEER_WORKER_SILENT_SECONDS",
        "number",
        "60",
        "How long a worker with nothing at hand may leave a message to itself unanswered before it ends itself.",
        bounds=(0.5, 3600),
    ),
    Setting(
        "BUDGETEER_WORKER_MEMORY_MB",
        "whole number",
        "0",
        "How much memory a worker may use, in megabytes, at least 500; a job that needs more fails with a sentence. "
        "0: three quarters of its container's, or half of the machine's, at most 4,000. Linux only.",
        bounds=(0, 1_000_000),
    ),
    Setting(
        "BUDGETEER_JOBS_DAYS",
        "whole number",
        "30",
        "How many days a finished job is kept for its page.",
        bounds=(1, 3650),
    ),
    Setting(
        "BUDGETEER_AUDIT_DAYS",
        "whole number",
        "400",
        "How many days entries of the audit log are kept.",
        bounds=(1, 3650),
    ),
    Setting(
        "BUDGETEER_COUNTS_DAYS",
        "whole number",
        "60",
        "How many days counts of texts are kept after their last use.",
        bounds=(1, 3650),
    ),
    Setting(
        "BUDGETEER_LLM_URL",
        "address",
        "",
        "A language model that writes summaries: the base address of any endpoint that speaks OpenAI's chat "
        "completions, such as http://127.0.0.1:11434/v1. Without it, summaries are extracted, and nothing leaves "
        "this machine.",
    ),
    Setting(
        "BUDGETEER_LLM_MODEL",
        "text",
        "",
        "The name the endpoint knows that model by; several, comma separated, are asked in turn where one gives no "
        "answer.",
    ),
    Setting("BUDGETEER_LLM_KEY", "text", "", "The key to the endpoint, where it wants one.", secret=True),
    Setting(
        "BUDGETEER_LLM_TIMEOUT_SECONDS",
        "number",
        "60",
        "How long the endpoint may be silent before a try is given up.",
        bounds=(0.1, 3600),
    ),
    Setting(
        "BUDGETEER_LLM_TRIES",
        "whole number",
        "3",
        "How often a question is sent at most; after that the summary is extracted.",
        bounds=(1, 10),
    ),
    Setting("BUDGETEER_CORPUS", "text", "", "Tests only: a folder of real files to run over as well."),
)
