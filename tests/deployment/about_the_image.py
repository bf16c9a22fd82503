"""What the Dockerfile has to agree on with the checkout, with the settings and with the compose file."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from pathlib import PurePosixPath
from unittest import mock

from budgeteer import __version__
from budgeteer.env import FILE_SUFFIX, EnvironmentRefused, read_environment, settings_table
from tests.deployment.reading import ROOT, Deployment
from tests.deployment.rules import rule

MUST_NOT_TRAVEL = (".env", "budgeteer.env", "secrets/secret_key", "var/secret_key", ".git/config", "tests/conftest.py")


def within(path: str, folder: str) -> bool:
    return PurePosixPath(path).is_relative_to(folder)


def writable(deployment: Deployment, service: str) -> list[str]:
    """The folders a container may write to."""
    given = deployment.services[service]
    volumes = [volume.split(":") for volume in given.get("volumes", [])]
    return [parts[1] for parts in volumes if parts[2:] != ["ro"]] + [each.split(":")[0] for each in given["tmpfs"]]


@rule
def what_is_copied_is_there(deployment: Deployment) -> Iterator[str]:
    stages = {each.stage for each in deployment.instructions}
    for each in deployment.instructions:
        if each.name not in ("COPY", "ADD"):
            continue
        flags = [word for word in each.value.split() if word.startswith("--")]
        *sources, _target = [word for word in each.value.split() if not word.startswith("--")]
        if flags:
            if flags[0].removeprefix("--from=") not in stages:
                yield f"{each.value}: there is no such stage"
            continue
        for source in sources:
            if not (ROOT / source).exists() or deployment.is_ignored(source):
                yield f"{source} does not reach the builder"


@rule
def the_wheel_gets_everything_it_is_built_from(deployment: Deployment) -> Iterator[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = ["pyproject.toml", project["project"]["readme"], *project["project"]["license-files"]]
    needed += [*wheel["packages"], *wheel["force-include"]]
    copied = " ".join(each.value for each in deployment.stage("wheel") if each.name == "COPY").split()
    for path in needed:
        if path not in copied:
            yield f"{path} is not copied into the stage that builds the wheel"


@rule
def data_and_secrets_do_not_reach_the_builder(deployment: Deployment) -> Iterator[str]:
    for path in MUST_NOT_TRAVEL:
        if not deployment.is_ignored(path):
            yield f"{path} is sent to the builder"


@rule
def no_secret_stands_in_a_layer(deployment: Deployment) -> Iterator[str]:
    secret = {setting.name for setting in settings_table() if setting.secret}
    for each in deployment.instructions:
        if each.name in ("ARG", "ENV"):
            named = {word.partition("=")[0] for word in each.value.split()}
            yield from (f"{each.name} {name} is kept in the image" for name in sorted(named & secret))
        if each.name == "RUN" and "--mount=type=secret" not in each.value:
            yield from (f"RUN is given {name}" for name in sorted(secret) if f"{name}=" in each.value)
        if each.name == "ADD":
            yield f"ADD {each.value} fetches or unpacks what COPY would not"


@rule
def the_python_is_the_projects(deployment: Deployment) -> Iterator[str]:
    wanted = f"python:{deployment.texts['.python-version'].strip()}-slim"
    images = {each.value.partition(" AS ")[0] for each in deployment.instructions if each.name == "FROM"}
    if images != {"${PYTHON_IMAGE}"}:
        yield f"stages start from {sorted(images)}"
    argument = deployment.instructions[0].value
    if not argument.startswith(f"PYTHON_IMAGE={wanted}"):
        yield f"{argument} is not {wanted}"
    if argument.partition("=")[2] not in deployment.last("LABEL"):
        yield f"the label does not name {argument}"


@rule
def the_versions_are_the_projects(deployment: Deployment) -> Iterator[str]:
    arguments = [each.value for each in deployment.final if each.name == "ARG"]
    if f"VERSION={__version__}" not in arguments:
        yield f"the image is labelled {arguments}"
    for name, service in deployment.ours.items():
        if service["image"] != f"budgeteer:{__version__}":
            yield f"{name} runs {service['image']}"
        if service["build"]["target"] != deployment.instructions[-1].stage:
            yield f"{name} is built up to {service['build']['target']}"


@rule
def the_installation_is_the_tested_one(deployment: Deployment) -> Iterator[str]:
    installs = [each.value for each in deployment.instructions if each.name == "RUN" and " install " in each.value]
    for command in (command for command in installs if "pip" in command):
        if "--require-hashes --requirement /requirements.txt" not in command:
            yield f"{command} takes other files than requirements.txt names by their hashes"
        if "--no-deps /wheels/" not in command:
            yield f"{command} installs more than that and the wheel"
    if not any("pip" in command for command in installs):
        yield "nothing is installed"
    copied = [each.value for each in deployment.stage("installed") if each.name == "COPY"]
    if "requirements.txt /requirements.txt" not in copied:
        yield "requirements.txt is not where it is read"


@rule
def static_files_are_collected_where_they_are_looked_for(deployment: Deployment) -> Iterator[str]:
    collected = [
        each.value
        for each in deployment.instructions
        if each.name == "RUN" and "django-admin collectstatic" in each.value
    ]
    for name in deployment.ours:
        folder = deployment.environment(name).get("BUDGETEER_STATIC_ROOT", "")
        if not any(f"BUDGETEER_STATIC_ROOT={folder} " in command for command in collected):
            yield f"{name} looks for static files in {folder}"
        if any(within(folder, each) for each in writable(deployment, name)):
            yield f"{name}: {folder} is covered by a volume"


@rule
def whatever_is_written_is_on_a_volume_or_in_memory(deployment: Deployment) -> Iterator[str]:
    for name in deployment.ours:
        environment = deployment.environment(name)
        written = {"data": environment.get("BUDGETEER_DATA_DIR", "/app/var"), "temporary files": "/tmp"}
        for what, path in written.items():
            if not any(within(path, folder) for folder in writable(deployment, name)):
                yield f"{name} writes its {what} to {path}, which is read-only"
        if environment.get("PYTHONDONTWRITEBYTECODE") != "1":
            yield f"{name} would write byte code"
    for name, path in {"postgres": "/var/lib/postgresql/data", "redis": "/data"}.items():
        if path not in [volume.split(":")[1] for volume in deployment.services[name].get("volumes", [])]:
            yield f"{name} keeps nothing"


@rule
def volumes_are_defined_and_uploads_are_shared(deployment: Deployment) -> Iterator[str]:
    mounts = {name: service.get("volumes", []) for name, service in deployment.services.items()}
    named = {volume.split(":")[0] for volumes in mounts.values() for volume in volumes}
    if named != set(deployment.compose["volumes"]):
        yield f"mounted are {sorted(named)}, defined are {sorted(deployment.compose['volumes'])}"
    if len({tuple(mounts[name]) for name in deployment.ours}) != 1:
        yield "the parts do not share one data folder"
    if deployment.last("VOLUME") not in [volume.split(":")[1] for volume in mounts["web"]]:
        yield f"the image's volume {deployment.last('VOLUME')} is not the one that is mounted"


@rule
def the_environment_is_one_budgeteer_starts_with(deployment: Deployment) -> Iterator[str]:
    for name in deployment.ours:
        given = {k: v for k, v in deployment.environment(name).items() if not k.endswith(FILE_SUFFIX)}
        with mock.patch.dict(os.environ, given, clear=True):
            try:
                values = read_environment()
            except EnvironmentRefused as refusal:
                yield f"{name}: {refusal}"
                continue
        if values["BUDGETEER_MODE"] != "team" or not values["ALLOWED_HOSTS"]:
            yield f"{name} does not run for a team"
        for secret in ("SECRET_KEY", "DATABASE_URL", "REDIS_URL"):
            if secret + FILE_SUFFIX not in deployment.environment(name):
                yield f"{name} has no {secret}"
