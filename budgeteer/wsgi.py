"""The WSGI application; `budgeteer serve` has it served through the gateway (asgi.py)."""

import gc
import os

from django.core.wsgi import get_wsgi_application

from budgeteer.logs import name_process

name_process("web")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "budgeteer.settings")

application = get_wsgi_application()

# What stands after the start stays: a full collection in the middle of an answer need not walk through it.
gc.collect()
gc.freeze()
