"""The URLs of this app."""

from django.urls import URLPattern, URLResolver

app_name = "sources"

urlpatterns: list[URLPattern | URLResolver] = []
