"""The application that granian serves: Django behind the gateway."""

from django.conf import settings

from budgeteer.serve.capacity import Threads
from budgeteer.serve.gateway import Gateway
from budgeteer.wsgi import application as wsgi_application

# Only now, when Django's apps are there.
from budgeteer.operations.urls import urlpatterns as _probes  # isort: skip

application = Gateway(
    wsgi_application,
    Threads(settings.WEB_THREADS, waiting=settings.WEB_WAITING),
    probes=[f"/{probe.pattern}" for probe in _probes],
)
