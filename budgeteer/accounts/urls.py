"""The URLs of signing in and out."""

from django.contrib.auth.views import LogoutView
from django.urls import path

from budgeteer.accounts import views

app_name = "accounts"

urlpatterns = [
    path("enter/<str:token>/", views.enter, name="enter"),
    path("sign-in/", views.SignIn.as_view(), name="sign_in"),
    path("sign-out/", LogoutView.as_view(), name="sign_out"),
]
