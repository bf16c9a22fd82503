"""Reports that exist: those of numbers only are made again by the allow-list, and what has ended is erased."""

import zlib

import structlog
from django.db import migrations, models
from django.db.models import Q
from django.utils import timezone

import budgeteer.reports.models
from budgeteer.engine.errors import FormatError
from budgeteer.reports.document import dump, pack_bytes, parse, unpack_bytes
from budgeteer.reports.redaction import numbers_only

log = structlog.get_logger(__name__)


def make_again(apps, _schema_editor):
    """Redact frozen reports of numbers only from what they hold; close one that cannot be.

    Their titles were filled in with the workspace's name, which is mostly a file's, so the public page loses them; the
    owner's list keeps them. One that a worker has not frozen yet loses its title altogether.
    """
    reports = apps.get_model("reports", "Report").objects
    numbers = reports.filter(content="numbers", revoked_at=None)
    numbers.filter(frozen_at=None).update(title="")
    for pk in list(numbers.exclude(document=None).values_list("pk", flat=True)):
        reports.filter(pk=pk).update(**_redacted(reports.only("document").get(pk=pk)))


def _redacted(report):
    """The columns that change."""
    try:
        document = parse(unpack_bytes(report.document))
        document["report"]["title"] = ""
        return {"document": pack_bytes(dump(numbers_only(document)))}
    except (FormatError, ArithmeticError, LookupError, TypeError, ValueError, AttributeError, zlib.error) as error:
        log.warning("report closed", report=str(report.pk), reason=type(error).__name__)
        return {"revoked_at": timezone.now(), "document": None}


def erase_ended(apps, _schema_editor):
    """Clear what revoked and expired reports were made from, and what frozen ones need no longer."""
    reports = apps.get_model("reports", "Report").objects
    ended = Q(revoked_at__isnull=False) | Q(expires_at__lt=timezone.now())
    reports.filter(ended).update(document=None, snapshot={}, token="")
    reports.filter(frozen_at__isnull=False).update(snapshot={})


class Migration(migrations.Migration):
    dependencies = [
        ("reports", "0002_snapshot"),
    ]

    operations = [
        migrations.AlterField(
            model_name="report",
            name="content",
            field=models.CharField(
                choices=[
                    ("numbers", "Numbers only: no names, no text"),
                    ("full", "Full: names, reasons and the packed prompt"),
                ],
                default="numbers",
                max_length=8,
            ),
        ),
        migrations.AlterField(
            model_name="report",
            name="title",
            field=models.CharField(blank=True, max_length=120),
        ),
        migrations.AlterField(
            model_name="report",
            name="token",
            field=models.CharField(
                blank=True, default=budgeteer.reports.models.new_token, editable=False, max_length=64
            ),
        ),
        migrations.RunPython(make_again, migrations.RunPython.noop),
        migrations.RunPython(erase_ended, migrations.RunPython.noop),
    ]
