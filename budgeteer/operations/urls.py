"""The URLs of health, readiness and measurements; the middleware answers them before the host name is checked."""

from django.urls import path

from budgeteer.operations import views

app_name = "operations"

urlpatterns = [
    path("health/", views.health, name="health"),
    path("ready/", views.ready, name="ready"),
    path("metrics", views.metrics, name="metrics"),
]
