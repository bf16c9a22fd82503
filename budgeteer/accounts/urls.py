"""The URLs of signing in and out, and of one's own account."""

from django.urls import path

from budgeteer.accounts import views

app_name = "accounts"

urlpatterns = [
    path("enter/<str:token>/", views.enter, name="enter"),
    path("sign-in/", views.SignIn.as_view(), name="sign_in"),
    path("sign-out/", views.SignOut.as_view(), name="sign_out"),
    path("account/lost-password/", views.LostPassword.as_view(), name="lost_password"),
    path("account/new-password/<str:uidb64>/<str:token>/", views.NewPassword.as_view(), name="new_password"),
    path("account/password/", views.Password.as_view(), name="password"),
]
