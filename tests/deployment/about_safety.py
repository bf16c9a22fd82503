"""What keeps a container that was broken into from harm: rights, networks, secrets."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from budgeteer.env import FILE_SUFFIX, settings_table
from tests.deployment.reading import ROOT, Deployment
from tests.deployment.rules import rule

SECRETS = "/run/secrets/"


def made_secrets(folder: Path) -> dict[str, str]:
    """What the script makes, by name."""
    subprocess.run([ROOT / "scripts" / "make_secrets.sh", folder], check=True, capture_output=True)
    return {path.name: path.read_text() for path in folder.iterdir()}


@rule
def nobody_is_root(deployment: Deployment) -> Iterator[str]:
    for name, service in deployment.services.items():
        user = str(service.get("user", ""))
        if not all(number.isdigit() and int(number) for number in user.split(":")):
            yield f"{name} runs as {user or 'whoever its image says'}"
    image_user = deployment.last("USER")
    for name, service in deployment.ours.items():
        if service.get("user") != image_user:
            yield f"{name} runs as {service.get('user')}, its image is made for {image_user}"
    made = " ".join(each.value for each in deployment.final if each.name == "RUN")
    uid, gid = image_user.split(":")
    for option in (f"--uid {uid}", f"--gid {gid}", f"-o {uid} -g {gid}"):
        if option not in made:
            yield f"the image does not say {option}"


@rule
def containers_can_do_nothing_special(deployment: Deployment) -> Iterator[str]:
    for name, service in deployment.services.items():
        if service.get("read_only") is not True:
            yield f"{name} may change its root folder"
        if service.get("cap_drop") != ["ALL"] or service.get("cap_add") or service.get("privileged"):
            yield f"{name} keeps capabilities"
        if service.get("security_opt") != ["no-new-privileges:true"]:
            yield f"{name} may gain rights"
        if any(service.get(key) for key in ("network_mode", "pid", "ipc", "devices")):
            yield f"{name} shares something with its host"


@rule
def only_the_web_part_is_published_and_on_the_loopback(deployment: Deployment) -> Iterator[str]:
    networks = deployment.compose["networks"]
    for name, service in deployment.services.items():
        for port in service.get("ports", []):
            if name != "web" or not port.startswith("127.0.0.1:"):
                yield f"{name} publishes {port}"
        for network in service["networks"]:
            if network not in networks:
                yield f"{name} is on {network}, which is not there"
            elif name != "web" and not networks[network].get("internal"):
                yield f"{name} can call out over {network}"


@rule
def images_are_pinned(deployment: Deployment) -> Iterator[str]:
    for name, service in deployment.services.items():
        repository, _, tag = service["image"].partition(":")
        if not tag or tag == "latest" or not any(sign.isdigit() for sign in tag):
            yield f"{name} runs {repository} in whatever version"


@rule
def variables_exist(deployment: Deployment) -> Iterator[str]:
    known = {setting.name for setting in settings_table()}
    as_files = {setting.name + FILE_SUFFIX for setting in settings_table() if setting.secret}
    for name in deployment.ours:
        for variable in deployment.services[name]["environment"]:
            if variable not in known | as_files:
                yield f"{name}: there is no setting {variable}"
    for variable in deployment.image_environment:
        if variable not in known and not variable.startswith("PYTHON") and variable != "PATH":
            yield f"the image: there is no setting {variable}"


@rule
def secrets_travel_as_files_only(deployment: Deployment) -> Iterator[str]:
    secret = {setting.name for setting in settings_table() if setting.secret} | {"POSTGRES_PASSWORD"}
    for name in deployment.services:
        for variable, value in deployment.environment(name).items():
            if variable in secret:
                yield f"{name} is given {variable} openly"
            if variable.removesuffix(FILE_SUFFIX) in secret and variable.endswith(FILE_SUFFIX):
                mounted = [SECRETS + each for each in deployment.services[name].get("secrets", [])]
                if value not in mounted:
                    yield f"{name}: {variable}={value} is not mounted there"


@rule
def every_secret_is_defined_made_and_used(deployment: Deployment) -> Iterator[str]:
    defined = {name: each["file"] for name, each in deployment.compose["secrets"].items()}
    with tempfile.TemporaryDirectory() as folder:
        made = made_secrets(Path(folder))
    mounted = {secret for service in deployment.services.values() for secret in service.get("secrets", [])}
    if defined != {name: f"./secrets/{name}" for name in made}:
        yield f"defined are {sorted(defined.values())}, made are {sorted(made)}"
    if mounted != set(defined):
        yield f"mounted are {sorted(mounted)}, defined are {sorted(defined)}"
    for name, service in deployment.services.items():
        told = f"{list(deployment.environment(name).values())} {service.get('command')} {service.get('healthcheck')}"
        for secret in service.get("secrets", []):
            if SECRETS + secret not in told:
                yield f"{name} is given {secret} and does not use it"


@rule
def addresses_lead_to_services(deployment: Deployment) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        made = made_secrets(Path(folder))
    database, broker = urlsplit(made["database_url"]), urlsplit(made["redis_url"])
    for address in (database, broker):
        there = deployment.services.get(str(address.hostname))
        if there is None:
            yield f"no service is called {address.hostname}"
            continue
        for name, service in deployment.ours.items():
            if not set(service["networks"]) & set(there["networks"]):
                yield f"{name} shares no network with {address.hostname}"
    postgres = deployment.services["postgres"]["environment"]
    if (database.username, database.path) != (postgres["POSTGRES_USER"], f"/{postgres['POSTGRES_DB']}"):
        yield f"PostgreSQL makes {postgres['POSTGRES_USER']} and {postgres['POSTGRES_DB']}"
    if database.password != made["postgres_password"] or f"requirepass {broker.password}\n" not in made["redis_config"]:
        yield "the passwords differ"
    for line in ("appendonly yes", "maxmemory-policy noeviction", "dir /data"):
        if line not in made["redis_config"].splitlines():
            yield f"Redis is not told {line}"
