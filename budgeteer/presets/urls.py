"""Addresses of presets."""

from __future__ import annotations

from django.urls import path

from budgeteer.presets import views

app_name = "presets"
urlpatterns = [
    path("presets/", views.catalogue, name="list"),
    path("presets/<slug:slug>/v<int:number>/", views.version, name="version"),
    path("presets/<slug:slug>/v<int:number>/publish/", views.roll_back, name="roll_back"),
    path("presets/<slug:slug>/offer/", views.offer, name="offer"),
]
