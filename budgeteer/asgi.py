"""The ASGI application, for servers that speak it; `budgeteer serve` uses WSGI."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "budgeteer.settings")

application = get_asgi_application()
