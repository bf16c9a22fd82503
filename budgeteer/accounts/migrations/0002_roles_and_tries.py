import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

EDITORS = "editors"


def keep_what_people_could_do(apps, schema_editor):
    """Before there were roles everybody who could sign in could change their own things: they go on as editors.

    Staff stay what they are: staff is what makes an administrator.
    """
    people = apps.get_model(settings.AUTH_USER_MODEL).objects.using(schema_editor.connection.alias)
    editors = people.filter(is_active=True, is_staff=False)
    if editors.exists():
        group, _ = (
            apps.get_model("auth", "Group").objects.using(schema_editor.connection.alias).get_or_create(name=EDITORS)
        )
        group.user_set.add(*editors)


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("accounts", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="SignInTry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=64)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                "verbose_name_plural": "sign-in tries",
                "indexes": [
                    models.Index(fields=["key", "at"], name="accounts_tries_by_key"),
                    models.Index(fields=["at"], name="accounts_tries_by_age"),
                ],
            },
        ),
        migrations.RunPython(keep_what_people_could_do, migrations.RunPython.noop),
    ]
