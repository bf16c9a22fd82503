"""Django's admin with our sign-in page instead of its own; apart from apps.py, where Django would take it for ours."""

from django.contrib.admin.apps import AdminConfig


class AdminSiteConfig(AdminConfig):
    """Registers `django.contrib.admin` with the site of site.py."""

    default_site = "budgeteer.accounts.site.Site"
