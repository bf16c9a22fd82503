"""What a process reads when it starts: nothing that only certain pages need."""

from __future__ import annotations

import subprocess
import sys

from budgeteer.http_api.interface import ROUTERS

#: Libraries that take a twentieth of a second and more, which one kind of page or of job asks for.
LATER = ("authlib", "cryptography", "jsonpath", "openai", "pyarrow", "reportlab", "webauthn")


def test_the_web_process_leaves_to_its_pages_what_they_alone_need() -> None:
    look = f"import django, sys; django.setup(); import budgeteer.urls; print(*(set({LATER}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_an_operation_has_a_model_of_what_it_answers_and_none_of_each_problem() -> None:
    operations = [
        one for router in ROUTERS.values() for view in router.path_operations.values() for one in view.operations
    ]
    assert len(operations) > 20
    for one in operations:
        assert one.response_models
        assert all(status < 400 for status in one.response_models if isinstance(status, int)), one.operation_id
