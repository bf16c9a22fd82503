"""The URLs of jobs."""

from django.urls import path

from budgeteer.jobs import views

app_name = "jobs"

urlpatterns = [
    path("jobs/<uuid:job_id>/", views.detail, name="detail"),
    path("jobs/<uuid:job_id>/cancel/", views.cancel, name="cancel"),
    path("jobs/<uuid:job_id>/retry/", views.retry, name="retry"),
]
