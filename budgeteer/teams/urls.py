"""The URLs of teams."""

from django.urls import path

from budgeteer.teams import views

app_name = "teams"

urlpatterns = [
    path("account/teams/", views.list_teams, name="list"),
    path("account/teams/<int:team_id>/", views.detail, name="detail"),
    path("account/teams/<int:team_id>/add/", views.add, name="add"),
    path("account/teams/<int:team_id>/members/<int:membership_id>/role/", views.set_role, name="set_role"),
    path("account/teams/<int:team_id>/members/<int:membership_id>/remove/", views.remove, name="remove"),
]
