"""Addresses of reports: the owner's, and the public ones under /r/."""

from __future__ import annotations

from django.urls import path

from budgeteer.reports import shared_views, views

app_name = "reports"
urlpatterns = [
    path("reports/", views.listing, name="list"),
    path("reports/<uuid:report_id>/", views.row, name="row"),
    path("reports/<uuid:report_id>/review/", views.review, name="review"),
    path("reports/<uuid:report_id>/revoke/", views.revoke, name="revoke"),
    path("w/<uuid:workspace_id>/share/", views.share, name="share"),
    path("w/<uuid:workspace_id>/publish/", views.publish, name="publish"),
    path("evaluations/<uuid:run_id>/share/", views.share_evaluation, name="share_evaluation"),
    path("evaluations/<uuid:run_id>/publish/", views.publish_evaluation, name="publish_evaluation"),
    path("r/<str:token>/", shared_views.page, name="shared"),
    path("r/<str:token>/open/", shared_views.unlock, name="unlock"),
    path("r/<str:token>/prompt/", shared_views.prompt, name="prompt"),
    path("r/<str:token>/prompt.txt", shared_views.prompt_file, name="prompt_file"),
    path("r/<str:token>/embed/", shared_views.embed, name="embed"),
    path("r/<str:token>/picture.png", shared_views.picture, name="picture"),
    path("r/<str:token>/report.html", shared_views.html_file, name="html"),
    path("r/<str:token>/report.json", shared_views.json_file, name="json"),
    path("r/<str:token>/report.csv", shared_views.csv_file, name="csv"),
    path("r/<str:token>/report.pdf", shared_views.pdf_file, name="pdf"),
    path("r/<str:token>/report.md", shared_views.markdown_file, name="markdown"),
]
