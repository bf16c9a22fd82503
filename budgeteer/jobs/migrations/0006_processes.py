from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("jobs", "0005_only_one"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="presence",
            options={
                "ordering": ["part", "name"],
                "verbose_name": "process",
                "verbose_name_plural": "processes",
            },
        ),
    ]
