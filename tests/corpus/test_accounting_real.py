"""Real files: nothing of one is passed over, beyond what is tolerated, without the sentence that says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from tests.corpus.test_formats_real import CORPUS, FILES

READS_LITTLE = {"tavily-search-response.json", "ragchecker-checking_outputs.json", "ragchecker-checking_inputs.json"}
"""Search results whose pages and answers stand beside the passages."""


@pytest.mark.parametrize("path", [pytest.param(path, id=str(path.relative_to(CORPUS))) for path in FILES])
def test_nothing_of_a_real_file_is_passed_over(path: Path) -> None:
    try:
        account = import_bytes(path.read_bytes(), name=path.name).accounting
    except FormatError:
        return
    assert account is not None
    assert not account.is_lossy, account.sentence()
    words = account.characters - account.metadata
    assert account.read * 5 >= words or path.name in READS_LITTLE or account.left_out_keys, account
