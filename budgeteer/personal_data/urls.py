"""The URLs of one's own data."""

from django.urls import path

from budgeteer.personal_data import views

app_name = "personal_data"

urlpatterns = [
    path("account/data/", views.own_data, name="overview"),
    path("account/data/download/", views.download, name="download"),
    path("account/data/delete/", views.delete, name="delete"),
]
