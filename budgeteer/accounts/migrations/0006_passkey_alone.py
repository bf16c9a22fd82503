"""A second factor may be passkeys alone, without an authenticator app."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0005_passkey")]

    operations = [
        migrations.AlterField(
            model_name="secondfactor",
            name="secret",
            field=models.CharField(blank=True, max_length=64),
        ),
    ]
