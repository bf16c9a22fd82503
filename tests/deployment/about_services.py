"""What the services of the compose file have to agree on with each other and with Budgeteer's commands."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import click
from django.urls import Resolver404, resolve

from budgeteer.cli.commands.serve import check_usage as check_serve
from budgeteer.cli.program import program
from budgeteer.jobs.services import QUEUES
from budgeteer.serve import foreground
from tests.deployment.reading import Deployment, seconds
from tests.deployment.rules import rule

LIMITS = ("cpus", "memory", "pids")


def run_by(deployment: Deployment, service: str) -> list[str]:
    """The whole command of a container of ours: the image's entry point and the service's words."""
    entry: list[str] = json.loads(deployment.last("ENTRYPOINT"))
    return entry + list(deployment.services[service].get("command", json.loads(deployment.last("CMD"))))


def parsed(command: list[str]) -> tuple[str, dict[str, Any]]:
    """The subcommand of `budgeteer …` and its options, as the program itself takes them.

    Raises:
        click.ClickException: it does not take them.
    """
    if command[:1] != ["budgeteer"]:
        raise click.UsageError(f"{command[0]} is not our program")
    with program.make_context("budgeteer", command[1:], resilient_parsing=False) as outer:
        name, subcommand, rest = program.resolve_command(outer, [*outer._protected_args, *outer.args])
        assert subcommand
        assert name
        with subcommand.make_context(name, rest, parent=outer) as inner:
            if name == "serve":
                from budgeteer.cli.commands.serve import ServeOptions

                check_serve(inner, ServeOptions(**inner.params))
            return name, inner.params


def parts(deployment: Deployment) -> dict[str, dict[str, Any]]:
    """The options of `budgeteer serve` by service."""
    return {name: parsed(run_by(deployment, name))[1] for name in deployment.ours}


def check_of(service: dict[str, Any]) -> list[str]:
    """The words of a service's health check, without the first; [] where there is none."""
    test = service.get("healthcheck", {}).get("test", [])
    return list(test[1:])


@rule
def commands_are_taken_by_the_program(deployment: Deployment) -> Iterator[str]:
    for name in deployment.ours:
        checks = [check_of(deployment.services[name])] if check_of(deployment.services[name]) else []
        for command in [run_by(deployment, name), *(check for check in checks if check[0] == "budgeteer")]:
            try:
                parsed(command)
            except click.ClickException as error:
                yield f"{name}: {' '.join(command)}: {error.format_message()}"


@rule
def every_part_runs_once_and_alone(deployment: Deployment) -> Iterator[str]:
    running = sorted(str(options["only"]) for options in parts(deployment).values())
    if sorted(set(running)) != ["migrate", "scheduler", "web", "worker"]:
        yield f"the services run {running}"
    for once in ("migrate", "web", "scheduler"):
        if running.count(once) != 1:
            yield f"{running.count(once)} services run {once}"
    for name, options in parts(deployment).items():
        replicas = deployment.services[name].get("deploy", {}).get("replicas", 1)
        if options["only"] == "scheduler" and int(replicas) != 1:
            yield f"{name} has {replicas} replicas"


@rule
def every_queue_is_served_and_small_work_has_a_worker_of_its_own(deployment: Deployment) -> Iterator[str]:
    workers = {name: options for name, options in parts(deployment).items() if options["only"] == "worker"}
    served = [set((options["queues"] or ",".join(QUEUES)).split(",")) for options in workers.values()]
    if set().union(*served) != set(QUEUES):
        yield f"the workers serve {sorted(set().union(*served))}, the queues are {sorted(QUEUES)}"
    if {"default"} not in served:
        yield "no worker is there for small work only"
    for name in workers:
        if int(deployment.services[name]["deploy"].get("replicas", 1)) < 1:
            yield f"{name} has no replicas"


@rule
def ports_agree(deployment: Deployment) -> Iterator[str]:
    [web] = [name for name, options in parts(deployment).items() if options["only"] == "web"]
    listened = parts(deployment)[web]["port"]
    image_says = parsed(json.loads(deployment.last("ENTRYPOINT")) + json.loads(deployment.last("CMD")))[1]
    _address, _outer, inner = deployment.services[web]["ports"][0].rsplit(":", 2)
    said = {
        "published": int(inner),
        "EXPOSE": int(deployment.last("EXPOSE")),
        "the image's CMD": image_says["port"],
        "the check": asked_by(check_of(deployment.services[web]))[0],
        "the image's check": asked_by(image_check(deployment))[0],
    }
    for who, port in said.items():
        if port != listened:
            yield f"{web} listens on {listened}, {who} says {port}"
    if parts(deployment)[web]["host"] != "0.0.0.0":
        yield f"{web} cannot be reached from outside its container"


def image_check(deployment: Deployment) -> list[str]:
    """The words of the Dockerfile's HEALTHCHECK."""
    words: list[str] = json.loads(deployment.last("HEALTHCHECK").partition("CMD ")[2])
    return words


def asked_by(check: list[str]) -> tuple[int, str]:
    """Port and path that a check by Python's urllib asks; it has to be a program at least."""
    assert check[:2] == ["python", "-c"], check
    compile(check[2], "check", "exec")
    address = check[2].partition("http://127.0.0.1:")[2].partition("'")[0]
    port, _, path = address.partition("/")
    return int(port), f"/{path}"


@rule
def the_web_part_is_asked_whether_it_is_ready(deployment: Deployment) -> Iterator[str]:
    [web] = [name for name, options in parts(deployment).items() if options["only"] == "web"]
    for check in (check_of(deployment.services[web]), image_check(deployment)):
        try:
            asked = resolve(asked_by(check)[1]).func.__name__
        except Resolver404:
            asked = "nothing"
        if asked != "ready":
            yield f"{check[-1]} asks {asked}"


@rule
def workers_and_scheduler_are_asked_for_themselves(deployment: Deployment) -> Iterator[str]:
    for name, options in parts(deployment).items():
        if options["only"] in ("worker", "scheduler"):
            check = check_of(deployment.services[name])
            if check != ["budgeteer", "doctor", "--only", options["only"]]:
                yield f"{name} is asked by {' '.join(check)}"


@rule
def everything_that_stays_has_a_health_check(deployment: Deployment) -> Iterator[str]:
    for name, service in deployment.services.items():
        if service["restart"] != "no" and not check_of(service):
            yield f"{name} has no health check"
        if service["restart"] == "no" and not service.get("healthcheck", {}).get("disable"):
            yield f"{name} ends by itself and has a health check"


@rule
def what_a_service_waits_for_exists_and_can_come_true(deployment: Deployment) -> Iterator[str]:
    for name, service in deployment.services.items():
        for other, wish in service.get("depends_on", {}).items():
            awaited = deployment.services.get(other)
            if awaited is None:
                yield f"{name} waits for {other}, which is not there"
            elif wish["condition"] == "service_healthy" and not check_of(awaited):
                yield f"{name} waits until {other} is healthy, and nobody asks it"
            elif wish["condition"] == "service_completed_successfully" and awaited["restart"] != "no":
                yield f"{name} waits for the end of {other}, which starts again"


@rule
def nothing_starts_before_the_migration(deployment: Deployment) -> Iterator[str]:
    for name, options in parts(deployment).items():
        waits = {other: wish["condition"] for other, wish in deployment.services[name]["depends_on"].items()}
        wanted = {"postgres": "service_healthy", "redis": "service_healthy"}
        if options["only"] != "migrate":
            wanted["migrate"] = "service_completed_successfully"
        if waits != wanted:
            yield f"{name} waits for {waits}"


@rule
def a_part_has_the_time_it_needs_to_end(deployment: Deployment) -> Iterator[str]:
    for name, service in deployment.ours.items():
        if seconds(service.get("stop_grace_period", "10s")) < foreground.GRACE_SECONDS + 2:
            yield f"{name} is killed after {service.get('stop_grace_period')}"


@rule
def limits_and_restarts_are_set(deployment: Deployment) -> Iterator[str]:
    for name, service in deployment.services.items():
        limits = service.get("deploy", {}).get("resources", {}).get("limits", {})
        if missing := [limit for limit in LIMITS if not limits.get(limit)]:
            yield f"{name} has no limit of {', '.join(missing)}"
        if service.get("restart") != ("no" if name == "migrate" else "unless-stopped"):
            yield f"{name} restarts {service.get('restart')}"
