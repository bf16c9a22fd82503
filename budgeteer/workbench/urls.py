"""The URLs of this app."""

from django.urls import URLPattern, URLResolver

app_name = "workbench"

urlpatterns: list[URLPattern | URLResolver] = []
