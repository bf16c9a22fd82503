"""For each rule, changes to the deployment files that have to break it."""

from __future__ import annotations

from dataclasses import dataclass

COMPOSE, DOCKERFILE, IGNORE, PYTHON = "docker-compose.yml", "Dockerfile", ".dockerignore", ".python-version"


@dataclass(frozen=True, slots=True)
class Break:
    """In that file, put `instead` for the first place where `there` stands."""

    file: str
    there: str
    instead: str


def compose(there: str, instead: str) -> Break:
    return Break(COMPOSE, there, instead)


def dockerfile(there: str, instead: str) -> Break:
    return Break(DOCKERFILE, there, instead)


BREAKS: dict[str, tuple[Break, ...]] = {
    "commands_are_taken_by_the_program": (
        compose('"--only", "migrate"]', '"--only", "everything"]'),
        compose('"--only", "migrate"]', '"--only", "migrate", "--port", "80"]'),
        compose('"doctor", "--only", "worker"]', '"doctor", "--part", "worker"]'),
        dockerfile('ENTRYPOINT ["budgeteer"]', 'ENTRYPOINT ["python"]'),
    ),
    "no_secret_stands_in_a_layer": (
        dockerfile("ARG REVISION=unknown", "ARG REVISION=unknown\nARG SECRET_KEY"),
        dockerfile("    BUDGETEER_MODE=team", "    BUDGETEER_MODE=team \\\n    DATABASE_URL=postgresql://a:b@c/d"),
        dockerfile("RUN BUDGETEER_DATA_DIR=/tmp/build", "RUN SECRET_KEY=x BUDGETEER_DATA_DIR=/tmp/build"),
        dockerfile("COPY static static", "ADD static static"),
    ),
    "every_part_runs_once_and_alone": (
        compose('"serve", "--only", "scheduler"]', '"serve", "--only", "worker"]'),
        compose('"serve", "--only", "worker", "--queues"', '"serve", "--only", "web"] #'),
        compose("replicas: 1\n", "replicas: 2\n"),
    ),
    "every_queue_is_served_and_small_work_has_a_worker_of_its_own": (
        compose('"large,default"', '"default"'),
        compose('"--queues", "default", ', ""),
        compose("${SMALL_WORKERS:-1}", "${SMALL_WORKERS:-0}"),
    ),
    "ports_agree": (
        compose(":-8000}:8000", ":-8000}:8080"),
        compose('"--port", "8000"', '"--port", "8080"'),
        compose("http://127.0.0.1:8000/", "http://127.0.0.1:8001/"),
        compose('"0.0.0.0"', '"127.0.0.1"'),
        dockerfile("EXPOSE 8000", "EXPOSE 80"),
        dockerfile('"--port", "8000"', '"--port", "80"'),
        dockerfile("http://127.0.0.1:8000/", "http://127.0.0.1:80/"),
    ),
    "the_web_part_is_asked_whether_it_is_ready": (
        compose("8000/ready/", "8000/health/"),
        dockerfile("8000/ready/", "8000/there-is-no-such-page-here"),
    ),
    "workers_and_scheduler_are_asked_for_themselves": (
        compose('"doctor", "--only", "worker"]', '"doctor"]'),
        compose('"doctor", "--only", "scheduler"]', '"doctor", "--only", "worker"]'),
    ),
    "everything_that_stays_has_a_health_check": (
        compose('"--name", "small"]\n    healthcheck: *part-is-alive', '"--name", "small"]'),
        compose("    healthcheck: {disable: true}\n", ""),
    ),
    "what_a_service_waits_for_exists_and_can_come_true": (
        compose("\n  redis:\n    <<: *hardened", "\n  valkey:\n    <<: *hardened"),
        compose('    restart: "no"\n', "    restart: unless-stopped\n"),
        compose(
            "    migrate: {condition: service_completed_successfully}", "    migrate: {condition: service_healthy}"
        ),
    ),
    "nothing_starts_before_the_migration": (
        compose("    migrate: {condition: service_completed_successfully}\n", ""),
        compose("postgres: {condition: service_healthy}", "postgres: {condition: service_started}"),
    ),
    "a_part_has_the_time_it_needs_to_end": (
        compose("stop_grace_period: 20s", "stop_grace_period: 11s"),
        compose("  stop_grace_period: 20s\n", ""),
    ),
    "limits_and_restarts_are_set": (
        compose("memory: 2G, ", ""),
        compose(", pids: 64}", "}"),
        compose("restart: unless-stopped", "restart: always"),
    ),
    "nobody_is_root": (
        compose('user: "10001:10001"', 'user: "0:0"'),
        compose('user: "10001:10001"', 'user: "10002:10002"'),
        compose('    user: "999:999"\n', ""),
        dockerfile("USER 10001:10001", "USER 0:0"),
        dockerfile("--uid 10001", "--uid 10002"),
        dockerfile("-o 10001 -g 10001", "-o root -g root"),
    ),
    "containers_can_do_nothing_special": (
        compose("read_only: true", "read_only: false"),
        compose("cap_drop: [ALL]", "cap_drop: [NET_RAW]"),
        compose("cap_drop: [ALL]", "cap_drop: [ALL]\n  cap_add: [SYS_ADMIN]"),
        compose("no-new-privileges:true", "no-new-privileges:false"),
        compose("shm_size: 128m", "ipc: host"),
    ),
    "only_the_web_part_is_published_and_on_the_loopback": (
        compose("${PUBLISH_ADDRESS:-127.0.0.1}", "0.0.0.0"),
        compose("shm_size: 128m", 'ports: ["127.0.0.1:5432:5432"]'),
        compose("    internal: true\n", "    internal: false\n"),
        compose("networks: [back]", "networks: [behind]"),
    ),
    "images_are_pinned": (
        compose("redis:7.4-bookworm", "redis"),
        compose("postgres:17-bookworm", "postgres:latest"),
    ),
    "variables_exist": (
        compose("BUDGETEER_HTTPS:", "BUDGETEER_HTTP:"),
        compose("SECRET_KEY_FILE:", "ALLOWED_HOSTS_FILE:"),
        dockerfile("BUDGETEER_LOG_FORMAT=json", "BUDGETEER_LOG_FORM=json"),
    ),
    "secrets_travel_as_files_only": (
        compose("SECRET_KEY_FILE: /run/secrets/secret_key", "SECRET_KEY: 0123456789"),
        compose("POSTGRES_PASSWORD_FILE: /run/secrets/postgres_password", "POSTGRES_PASSWORD: budgeteer"),
        compose("REDIS_URL_FILE: /run/secrets/redis_url", "REDIS_URL_FILE: /run/secrets/redis_address"),
        compose("secrets: [secret_key, database_url, redis_url]", "secrets: [secret_key, database_url]"),
    ),
    "every_secret_is_defined_made_and_used": (
        compose("  redis_url: {file: ./secrets/redis_url}\n", ""),
        compose("file: ./secrets/secret_key", "file: ./secrets/secret-key"),
        compose("secrets: [redis_config]", "secrets: [redis_config, secret_key]"),
    ),
    "addresses_lead_to_services": (
        compose("\n  redis:\n    <<: *hardened", "\n  valkey:\n    <<: *hardened"),
        compose("POSTGRES_DB: budgeteer", "POSTGRES_DB: postgres"),
        compose("networks: [back]\n  # What a large", "networks: [front]\n  # What a large"),
    ),
    "what_is_copied_is_there": (
        dockerfile("COPY static static", "COPY statics static"),
        dockerfile("--from=wheel /wheels", "--from=build /wheels"),
        Break(IGNORE, "!templates\n", ""),
        Break(IGNORE, "!requirements.txt\n", ""),
    ),
    "the_wheel_gets_everything_it_is_built_from": (
        dockerfile("COPY templates templates\n", ""),
        dockerfile("pyproject.toml README.md LICENSE", "pyproject.toml LICENSE"),
    ),
    "data_and_secrets_do_not_reach_the_builder": (
        Break(IGNORE, "\n*\n", "\n"),
        Break(IGNORE, "!static\n", "!static\n!secrets\n"),
        Break(IGNORE, "!static\n", "!static\n!**/.env\n"),
    ),
    "the_python_is_the_projects": (
        dockerfile("ARG PYTHON_IMAGE=python:3.12-slim", "ARG PYTHON_IMAGE=python:3.13-slim"),
        dockerfile("FROM ${PYTHON_IMAGE} AS installed", "FROM python:3.12 AS installed"),
        dockerfile("docker.io/library/python:3.12-slim-bookworm", "docker.io/library/python:3.12"),
        Break(PYTHON, "3.12", "3.13"),
    ),
    "the_versions_are_the_projects": (
        dockerfile("VERSION=0.1.0", "VERSION=0.0.9"),
        compose("budgeteer:0.1.0", "budgeteer:0.0.9"),
        compose("target: budgeteer", "target: installed"),
    ),
    "the_installation_is_the_tested_one": (
        dockerfile("--require-hashes ", ""),
        dockerfile("COPY requirements.txt /requirements.txt\n", ""),
        dockerfile("--no-deps /wheels/*.whl", "/wheels/*.whl"),
        dockerfile("/wheels/*.whl", "budgeteer"),
    ),
    "static_files_are_collected_where_they_are_looked_for": (
        dockerfile(
            "BUDGETEER_STATIC_ROOT=/app/static \\\n      /app", "BUDGETEER_STATIC_ROOT=/app/files \\\n      /app"
        ),
        compose("BUDGETEER_STATIC_ROOT: /app/static", "BUDGETEER_STATIC_ROOT: /data/static"),
        compose('volumes: ["data:/data"]', 'volumes: ["data:/data", "data:/app"]'),
    ),
    "whatever_is_written_is_on_a_volume_or_in_memory": (
        compose("BUDGETEER_DATA_DIR: /data", "BUDGETEER_DATA_DIR: /srv/budgeteer"),
        compose('volumes: ["data:/data"]', 'volumes: ["data:/data:ro"]'),
        compose('tmpfs: ["/tmp:size=512m,mode=1777"]', 'tmpfs: ["/run:size=1m"]'),
        compose('volumes: ["redis:/data"]', 'volumes: ["redis:/var/lib/redis"]'),
        dockerfile("PYTHONDONTWRITEBYTECODE=1 \\\n", ""),
    ),
    "volumes_are_defined_and_uploads_are_shared": (
        compose("\nvolumes:\n  data:\n", "\nvolumes:\n"),
        compose('"--only", "scheduler"]\n', '"--only", "scheduler"]\n    volumes: ["redis:/data"]\n'),
        dockerfile("VOLUME /data", "VOLUME /app"),
    ),
    "the_environment_is_one_budgeteer_starts_with": (
        compose("${BUDGETEER_HTTPS:-yes}", "maybe"),
        compose("BUDGETEER_MODE: team", "BUDGETEER_MODE: local"),
        compose("    SECRET_KEY_FILE: /run/secrets/secret_key\n", ""),
    ),
}
