"""The URLs of collections and of their evaluations."""

from __future__ import annotations

from django.urls import path

from budgeteer.collections import run_views, views

app_name = "collections"

urlpatterns = [
    path("collections/", views.list_collections, name="list"),
    path("collections/upload/", views.upload, name="upload"),
    path("collections/choose/", views.choose, name="choose"),
    path("collections/<uuid:collection_id>/", views.detail, name="detail"),
    path("collections/<uuid:collection_id>/add/", views.add, name="add"),
    path("collections/<uuid:collection_id>/evaluate/", views.evaluate, name="evaluate"),
    path("collections/<uuid:collection_id>/rename/", views.rename, name="rename"),
    path("collections/<uuid:collection_id>/team/", views.team, name="team"),
    path("collections/<uuid:collection_id>/sources/<uuid:source_id>/remove/", views.remove, name="remove"),
    path("collections/<uuid:collection_id>/delete/", views.delete, name="delete"),
    path("collections/<uuid:collection_id>/restore/", views.restore, name="restore"),
    path("evaluations/<uuid:run_id>/", run_views.show, name="run"),
    path("evaluations/<uuid:run_id>/cancel/", run_views.cancel, name="cancel_run"),
    path("evaluations/<uuid:run_id>/resume/", run_views.resume, name="resume_run"),
    path("evaluations/<uuid:run_id>/delete/", run_views.remove, name="delete_run"),
    path("evaluations/<uuid:run_id>/open/", run_views.open_conversation, name="open_conversation"),
    path("evaluations/<uuid:run_id>/figures.json", run_views.as_json, name="json"),
    path("evaluations/<uuid:run_id>/rows.csv", run_views.as_csv, name="csv"),
    path("evaluations/<uuid:run_id>/rows.parquet", run_views.as_parquet, name="parquet"),
]
