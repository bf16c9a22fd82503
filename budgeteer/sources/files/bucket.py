"""Files in an S3-compatible bucket; needs the packages of `budgeteer[s3]`.

Objects are private and have no address: whoever may read a file reads it through a page. No access list is sent, so a
bucket that forbids them works, and the bucket's own policy holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from boto3.exceptions import Boto3Error
from botocore.client import Config
from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError
from django.core.files.base import File
from storages.backends.s3 import S3Storage

from budgeteer.sources.files.range_reader import RangeFile
from budgeteer.sources.files.storage import StorageAway, missing

CONNECT_SECONDS, READ_SECONDS, TRIES = 5, 30, 3
LIST_PAGE = 1000  # the most a server gives
GONE = ("404", "NoSuchKey", "NotFound")
PAST_THE_END = ("416", "InvalidRange")


class BucketStorage(S3Storage):  # type: ignore[misc]  # it ships no types
    """A bucket, or a folder of one. Names are never used twice, so nothing is looked up before a write."""

    def __init__(self, *, bucket: str, folder: str, endpoint: str, region: str, **keys: str) -> None:
        style = "path" if endpoint else "auto"
        config = Config(
            signature_version="s3v4",
            connect_timeout=CONNECT_SECONDS,
            read_timeout=READ_SECONDS,
            retries={"mode": "standard", "total_max_attempts": TRIES},
            s3={"addressing_style": style},
            # Servers other than Amazon's do not all know the checksums that are sent by default; TLS has its own.
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        )
        super().__init__(
            bucket_name=bucket,
            location=folder,
            endpoint_url=endpoint or None,
            region_name=region or None,
            client_config=config,
            default_acl=None,
            file_overwrite=True,
            gzip=False,
            # Never the kind a browser claimed: what lies here is bytes.
            object_parameters={"ContentType": "application/octet-stream"},
            **keys,
        )

    def files_under(self, folder: str) -> Iterator[tuple[str, datetime]]:
        """See storage.Listed; a thousand names a request."""
        prefix = f"{self._normalize_name(folder)}/"
        with self._said(folder):
            pages = self.connection.meta.client.get_paginator("list_objects_v2")
            for page in pages.paginate(
                Bucket=self.bucket_name, Prefix=prefix, PaginationConfig={"PageSize": LIST_PAGE}
            ):
                for entry in page.get("Contents", ()):
                    yield entry["Key"].removeprefix(self.location).lstrip("/"), entry["LastModified"]

    def url(self, name: str, *_options: Any, **_more: Any) -> str:
        """Refused: a stored file has no address of its own."""
        raise ValueError(f"{name} has no address: files are read through pages")

    def delete(self, name: str) -> None:
        """Remove a file; one that is not there is removed already."""
        with self._said(name):
            super().delete(name)

    def exists(self, name: str) -> bool:
        with self._said(name):
            return bool(super().exists(name))

    def size(self, name: str) -> int:
        with self._said(name):
            return int(super().size(name))

    def get_modified_time(self, name: str) -> datetime:
        with self._said(name):
            found: datetime = super().get_modified_time(name)
            return found

    def _save(self, name: str, content: File[Any]) -> str:
        with self._said(name):
            return str(super()._save(name, content))

    def _open(self, name: str, mode: str = "rb") -> File[Any]:
        if mode != "rb":
            raise ValueError(f"A stored file is read as bytes, not opened as {mode!r}")
        key = self._normalize_name(name)

        def fetch(start: int, length: int | None) -> tuple[bytes, int]:
            return self._fetch(key, start, length)

        return RangeFile(name, fetch=fetch, size_of=lambda: self.size(name))

    def _fetch(self, key: str, start: int, length: int | None) -> tuple[bytes, int]:
        """Bytes from `start` on, and the size of the whole object."""
        end = "" if length is None else str(start + length - 1)
        with self._said(key):
            try:
                answer = self.connection.meta.client.get_object(
                    Bucket=self.bucket_name, Key=key, Range=f"bytes={start}-{end}"
                )
                data = answer["Body"].read()
            except ClientError as error:
                if error.response["Error"]["Code"] in PAST_THE_END:
                    return b"", start
                raise
        total = answer.get("ContentRange", "").rpartition("/")[2]
        return data, int(total) if total.isdigit() else start + len(data)

    @contextmanager
    def _said(self, name: str) -> Iterator[None]:
        """What goes wrong with the bucket, in a sentence."""
        try:
            yield
        except FileNotFoundError as error:
            raise missing(name) from error
        except NoCredentialsError as error:
            mend = "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the machine a role"
            raise StorageAway(f"There is no key to the bucket {self.bucket_name}", mend=mend) from error
        except ClientError as error:
            raise self._refusal(error, name) from error
        except (BotoCoreError, Boto3Error) as error:
            what = f"The bucket {self.bucket_name} does not answer"
            mend = f"Nothing is lost: try again when {self.endpoint_url or 'the service'} can be reached"
            raise StorageAway(what, mend=mend) from error

    def _refusal(self, error: ClientError, name: str) -> StorageAway:
        said, status = error.response.get("Error", {}), error.response.get("ResponseMetadata", {})
        code = str(said.get("Code", ""))
        if code == "NoSuchBucket":
            return StorageAway(f"There is no bucket {self.bucket_name}", mend="Make it, or correct BUDGETEER_STORAGE")
        if code in GONE:
            return missing(name)
        if status.get("HTTPStatusCode", 0) >= 500 or code == "SlowDown":
            return StorageAway(f"The bucket {self.bucket_name} is out of order ({code})", mend="Try again in a while")
        mend = "Check that its key is valid and may read, write, delete and list there"
        return StorageAway(f"The bucket {self.bucket_name} refuses ({code})", mend=mend)
