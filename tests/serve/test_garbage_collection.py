"""How a web process collects garbage: full collections, in which nobody is answered, are rare."""

import json
import subprocess
import sys

ASKED = """
import gc, json
import budgeteer.wsgi
print(json.dumps([gc.isenabled(), gc.get_freeze_count(), *gc.get_threshold()]))
"""


def test_full_collections_are_rare_and_leave_out_what_the_start_made() -> None:
    answered = subprocess.run([sys.executable, "-c", ASKED], capture_output=True, text=True, check=True, timeout=60)
    enabled, frozen, young, middle, full = json.loads(answered.stdout.splitlines()[-1])
    assert enabled
    assert frozen > 50_000, "what the start made is walked through by every full collection"
    assert young * middle * full >= 10_000_000, "a full collection after less than ten million new objects"
    assert young * middle <= 500_000, "the garbage of hundreds of answers stays"
