"""The job that deletes an account, and the clean-up of deletions that did not end and of letters about them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib.auth.models import User

from budgeteer.accounts.change_letters import JOB as LETTER_JOB
from budgeteer.jobs.cleanup import sweep
from budgeteer.jobs.context import JobContext
from budgeteer.jobs.models import FINISHED, Job, JobState
from budgeteer.jobs.registry import job
from budgeteer.jobs.services import retry
from budgeteer.personal_data import deletion
from budgeteer.personal_data.services import JOB


@job(JOB, title="Delete an account")
def delete_account(context: JobContext, *, account: int) -> dict[str, Any]:
    """Delete everything that an account has, and the account; `account` is its key."""
    context.progress(0, 1, "accounts", "Deleting the account")
    return deletion.delete_account(context, account)


@sweep("deletions of accounts that did not end")
def delete_again(_now: datetime) -> int:
    """Try deletions again that failed or were called off: an account that was closed for it goes in the end."""
    stopped = Job.objects.filter(kind=JOB, state__in=(JobState.FAILED, JobState.CANCELLED))
    again = [one for one in stopped if User.objects.filter(pk=one.arguments["account"], is_active=False).exists()]
    for one in again:
        retry(one)
    return len(again)


@sweep("letters about deleted accounts")
def forget_letters(_now: datetime) -> int:
    """Letters that were sent about accounts which are gone: their jobs hold a mail address."""
    sent = Job.objects.filter(kind=LETTER_JOB, state__in=FINISHED)
    named = {one.pk: one.arguments.get("account") for one in sent.only("pk", "arguments")}
    there = set(User.objects.filter(pk__in=set(named.values())).values_list("pk", flat=True))
    gone = [pk for pk, account in named.items() if account not in there]
    return sent.filter(pk__in=gone).delete()[0]
