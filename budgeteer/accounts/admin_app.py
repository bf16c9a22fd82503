"""Django's admin with our sign-in page; a module of its own, since Django discovers app configurations in apps.py."""

from django.contrib.admin.apps import AdminConfig


class AdminSiteConfig(AdminConfig):
    """Registers `django.contrib.admin` with the site of site.py."""

    default_site = "budgeteer.accounts.site.Site"
