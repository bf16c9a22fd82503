"""The URLs of one's own access tokens."""

from django.urls import path

from budgeteer.tokens import views

app_name = "tokens"

urlpatterns = [
    path("account/tokens/", views.tokens, name="list"),
    path("account/tokens/<uuid:token_id>/revoke/", views.revoke, name="revoke"),
]
