"""The WSGI application; `budgeteer serve` has it served through the gateway (asgi.py)."""

import gc
import os

from django.core.wsgi import get_wsgi_application

from budgeteer.logs import name_process
from budgeteer.serve import garbage_collection

gc.disable()  # until the start is over, see below
name_process("web")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "budgeteer.settings")

application = get_wsgi_application()

garbage_collection.begin()  # what stands after the start stays
