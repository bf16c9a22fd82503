"""All URLs of the dashboard: the admin, and each app's own list."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("", include("budgeteer.operations.urls")),
    path("admin/", admin.site.urls),
    path("", include("budgeteer.accounts.urls")),
    path("", include("budgeteer.tokens.urls")),
    path("", include("budgeteer.teams.urls")),
    path("", include("budgeteer.jobs.urls")),
    path("", include("budgeteer.sources.urls")),
    path("", include("budgeteer.presets.urls")),
    path("", include("budgeteer.workbench.urls")),
    path("", include("budgeteer.collections.urls")),
    path("", include("budgeteer.reports.urls")),
    path("", include("budgeteer.personal_data.urls")),
    path("", include("budgeteer.http_api.urls")),
]

handler500 = "budgeteer.operations.views.server_error"
