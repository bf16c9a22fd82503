"""The WSGI application; `budgeteer serve` has it served through the gateway (asgi.py)."""

import gc
import os

from django.core.wsgi import get_wsgi_application

from budgeteer.logs import name_process

name_process("web")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "budgeteer.settings")

application = get_wsgi_application()

# What stands after the start stays: a full collection need not walk through it. What previews keep for the next answer
# are some hundred thousand objects, none of them in a cycle. Python walked through all of them whenever they had grown
# by a quarter: 0.3 s in which nobody was answered. It does so now after some 15,000 answers; the young garbage of an
# answer is looked for as often as before (2,000 objects at a time instead of 700).
gc.collect()
gc.freeze()
gc.set_threshold(2_000, 10, 1_000)
