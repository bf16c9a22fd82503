"""The WSGI application; `budgeteer serve` has it served through the gateway (asgi.py)."""

import gc
import os

from django.core.wsgi import get_wsgi_application

from budgeteer.logs import name_process

gc.disable()  # until the start is over, see below
name_process("web")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "budgeteer.settings")

application = get_wsgi_application()

# What stands after the start stays: a full collection need not walk through it. What previews keep for the next answer
# are some hundred thousand objects, none of them in a cycle. Python walked through all of them whenever they had grown
# by a quarter: 0.3 s in which nobody was answered. An answer leaves about a thousand objects in cycles; those of some
# ten answers are looked for at a time, after most of them are over, and few grow old enough for a full collection,
# which comes after some thousands of answers.
gc.collect()
gc.freeze()
gc.enable()
gc.set_threshold(10_000, 10, 100)
