#!/usr/bin/env python3
"""Print a bill of materials (CycloneDX 1.6, JSON) of what production installs: versions, hashes, licences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import License
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from budgeteer import __version__

ROOT = Path(__file__).resolve().parent.parent
PINNED = re.compile(r"^(?P<name>[a-z0-9-]+)==(?P<version>[^ ]+)")
HASH = re.compile(r"sha256:([0-9a-f]{64})")


def components() -> Iterator[Component]:
    """Everything that requirements.txt names, in its order."""
    blocks = re.split(r"\n(?=\S)", (ROOT / "requirements.txt").read_text().rstrip("\n"))
    for block in blocks:
        if pinned := PINNED.match(block):
            yield component(pinned["name"], pinned["version"], HASH.findall(block))


def component(name: str, version: str, hashes: list[str]) -> Component:
    """One package. Its licence is the one its installed metadata names; none where it is not installed here."""
    return Component(
        name=name,
        version=version,
        type=ComponentType.LIBRARY,
        bom_ref=f"{name}@{version}",
        purl=PackageURL("pypi", None, name, version),
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=one) for one in hashes],
        licenses=list(licences(name)),
    )


def licences(name: str) -> Iterator[License]:
    """The expression of its metadata, else its classifiers, else the first line of its own words."""
    try:
        said = metadata(name)
    except PackageNotFoundError:
        return
    if expression := said.get("License-Expression"):
        yield LicenseFactory().make_from_string(expression)
        return
    classifiers = [text for text in said.get_all("Classifier") or [] if text.startswith("License ::")]
    for text in classifiers:
        yield LicenseFactory().make_with_name(text.rpartition(" :: ")[2])
    if not classifiers and (words := (said.get("License") or "").strip()):
        yield LicenseFactory().make_with_name(words.splitlines()[0])


def bill() -> str:
    """The whole document."""
    bom = Bom(components=components())
    product = Component(name="budgeteer", version=__version__, type=ComponentType.APPLICATION, bom_ref="budgeteer")
    bom.metadata.component = product
    bom.register_dependency(product, bom.components)
    return JsonV1Dot6(bom).output_as_string(indent=2)


if __name__ == "__main__":
    print(bill())
