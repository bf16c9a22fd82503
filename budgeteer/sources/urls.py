"""The URLs of sources."""

from __future__ import annotations

from django.urls import path

from budgeteer.sources import views

app_name = "sources"

urlpatterns = [
    path("sources/", views.list_sources, name="list"),
    path("sources/upload/", views.upload, name="upload"),
    path("sources/detect/", views.detect, name="detect"),
    path("sources/formats/<uuid:format_id>/", views.own_format, name="own_format"),
    path("sources/formats/<uuid:format_id>/delete/", views.delete_own_format, name="delete_own_format"),
    path("sources/<uuid:source_id>/mapping/", views.map_fields, name="mapping"),
    path("sources/<uuid:source_id>/", views.detail, name="detail"),
    path("sources/<uuid:source_id>/raw/", views.raw, name="raw"),
    path("sources/<uuid:source_id>/skipped/", views.skipped, name="skipped"),
    path("sources/<uuid:source_id>/rename/", views.rename, name="rename"),
    path("sources/<uuid:source_id>/import/", views.import_again, name="import"),
    path("sources/<uuid:source_id>/mask/", views.mask, name="mask"),
    path("sources/<uuid:source_id>/delete/", views.delete, name="delete"),
    path("sources/<uuid:source_id>/restore/", views.restore, name="restore"),
]
