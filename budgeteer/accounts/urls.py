"""The URLs of signing in and out, and of one's own account."""

from django.urls import path

from budgeteer.accounts import views
from budgeteer.accounts.second_factor import passkey_views as passkeys
from budgeteer.accounts.second_factor import views as second_factor
from budgeteer.accounts.sessions import views as sessions
from budgeteer.accounts.single_sign_on import views as single_sign_on

app_name = "accounts"

urlpatterns = [
    path("enter/<str:token>/", views.enter, name="enter"),
    path("sign-in/", views.SignIn.as_view(), name="sign_in"),
    path("sign-in/code/", second_factor.sign_in_code, name="sign_in_code"),
    path("sign-in/passkey/", passkeys.sign_in_with_passkey, name="sign_in_with_passkey"),
    path("sign-in/passkey/options/", passkeys.sign_in_options, name="passkey_sign_in_options"),
    path("sign-in/provider/", single_sign_on.provider_start, name="provider_start"),
    path("sign-in/provider/return/", single_sign_on.provider_return, name="provider_return"),
    path("sign-out/provider/", single_sign_on.provider_sign_out, name="provider_sign_out"),
    path("sign-out/", views.SignOut.as_view(), name="sign_out"),
    path("account/lost-password/", views.LostPassword.as_view(), name="lost_password"),
    path("account/new-password/<str:uidb64>/<str:token>/", views.NewPassword.as_view(), name="new_password"),
    path("account/password/", views.Password.as_view(), name="password"),
    path("account/sessions/", sessions.sessions, name="sessions"),
    path("account/sessions/end/", sessions.end_one_session, name="end_session"),
    path("account/sessions/end-others/", sessions.end_other_sessions, name="end_other_sessions"),
    path("account/passkeys/", passkeys.add_passkey, name="add_passkey"),
    path("account/passkeys/options/", passkeys.creation_options, name="passkey_creation_options"),
    path("account/passkeys/<int:passkey_id>/remove/", passkeys.remove_passkey, name="remove_passkey"),
    path("account/single-sign-on/", single_sign_on.single_sign_on, name="single_sign_on"),
    path("account/single-sign-on/remove/", single_sign_on.disconnect, name="disconnect"),
    path("account/second-factor/", second_factor.second_factor, name="second_factor"),
    path("account/second-factor/remove/", second_factor.remove_second_factor, name="remove_second_factor"),
    path("account/second-factor/passkeys/", second_factor.set_up_with_passkeys, name="set_up_with_passkeys"),
    path("account/second-factor/codes/", second_factor.renew_recovery_codes, name="renew_recovery_codes"),
]
