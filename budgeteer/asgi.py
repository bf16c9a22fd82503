"""The application that granian serves: Django behind the gateway."""

from django.conf import settings

from budgeteer.serve.gateway import Gateway
from budgeteer.wsgi import application as wsgi_application

application = Gateway(wsgi_application, threads=settings.WEB_THREADS)
