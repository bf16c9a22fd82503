"""What a prompt calls spec files: no more of their paths than tells them apart."""

from __future__ import annotations

import pytest

from budgeteer.cli.packing_run import spec_names


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["/home/ada/work/spec.md"], ["spec.md"]),
        (["a/spec.md", "b/spec.md", "other.md"], ["a/spec.md", "b/spec.md", "other.md"]),
        (["/home/ada/a/x/spec.md", "/home/ada/b/x/spec.md"], ["a/x/spec.md", "b/x/spec.md"]),
        (["spec.md", "docs/spec.md"], ["spec.md", "docs/spec.md"]),
        (["/spec.md", "/spec.md"], ["spec.md", "spec.md"]),
    ],
)
def test_a_spec_is_called_by_the_end_of_its_path(paths: list[str], names: list[str]) -> None:
    assert spec_names(paths) == names
