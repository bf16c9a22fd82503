"""The URLs of signing in and out, and of one's own account."""

from django.urls import path

from budgeteer.accounts import views
from budgeteer.accounts.second_factor import views as second_factor

app_name = "accounts"

urlpatterns = [
    path("enter/<str:token>/", views.enter, name="enter"),
    path("sign-in/", views.SignIn.as_view(), name="sign_in"),
    path("sign-in/code/", second_factor.sign_in_code, name="sign_in_code"),
    path("sign-out/", views.SignOut.as_view(), name="sign_out"),
    path("account/lost-password/", views.LostPassword.as_view(), name="lost_password"),
    path("account/new-password/<str:uidb64>/<str:token>/", views.NewPassword.as_view(), name="new_password"),
    path("account/password/", views.Password.as_view(), name="password"),
    path("account/second-factor/", second_factor.second_factor, name="second_factor"),
    path("account/second-factor/remove/", second_factor.remove_second_factor, name="remove_second_factor"),
    path("account/second-factor/codes/", second_factor.renew_recovery_codes, name="renew_recovery_codes"),
]
