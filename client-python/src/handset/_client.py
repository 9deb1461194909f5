"""The client: the calls of all resources, and the event stream of a device."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator, Sequence
from http.client import HTTPException, HTTPResponse
from os import PathLike
from typing import BinaryIO, TypedDict

from ._errors import HandsetError
from ._requests import Requests, Retry
from ._resources import Resources
from ._types import Event, Status

class UploadedFile(TypedDict):
    """A file that is kept for an hour."""

    id: str
    bytes: int
    mimetype: str
    expiresAt: str


class Uploaded(TypedDict):
    """The answer to an upload."""

    file: UploadedFile
    status: Status


_silence = 45.0
"""The service sends a keep-alive every 15 s; a longer silence means that the connection is dead."""


def _blocks(response: HTTPResponse) -> Iterator[tuple[str | None, str | None]]:
    """Id and data of each block of a server-sent event stream."""
    last: str | None = None
    data: list[str] = []
    for raw in response:
        line = raw.decode().rstrip("\r\n")
        if line.startswith("id:"):
            last = line[3:].strip()
        elif line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif line == "":
            yield last, "\n".join(data) if data else None
            last, data = None, []


class Handset(Resources):
    """A service and a key: `handset.messages.send_text(1, to_number="…", message="…")`."""

    def __init__(self, url: str, key: str, *, retry: Retry = Retry(), timeout: float = 90.0) -> None:
        """`url`: of the service, as `https://handset.example.com`; `key`: an API key, `hs_…`; `timeout`: seconds."""
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"url must be the address of the service, as http://127.0.0.1:8080; it is {url!r}")
        if not key:
            raise ValueError("key must be an API key (hs_…)")
        self._requests = Requests(url, key, retry, timeout)
        super().__init__(self._requests)

    def upload(
        self,
        id: int,
        file: str | PathLike[str] | bytes | BinaryIO,
        *,
        content_type: str = "application/octet-stream",
        timeout: float | None = None,
    ) -> Uploaded:
        """Uploads a file of any allowed size, as it is read; `file.id` of the answer is the `file_id` of sends, for an hour.

        file: A path, bytes, or a file that is open for reading bytes

        timeout: Seconds without a byte that goes or comes
        """
        headers = {"Content-Type": content_type}
        path = f"/devices/{id}/files"
        if isinstance(file, (str, PathLike)):
            with open(file, "rb") as opened:
                return self.upload(id, opened, content_type=content_type, timeout=timeout)
        with self._requests.open("POST", path, headers, file, timeout) as response:
            return json.loads(response.read())

    def events(
        self, id: int, *, after: str | None = None, types: Sequence[str] | None = None
    ) -> Iterator[Event]:
        """New events of the device, each once and in order. Reconnects by itself and resumes without a gap.

        after: Id of the last event that you have processed; without it, new events only

        types: Only events of these kinds
        """
        path = f"/devices/{id}/events" + ("" if types is None else f"?types={','.join(types)}")
        failures = 0
        while True:
            wait = 0.0
            try:
                headers = {"Accept": "text/event-stream"}
                if after is not None:
                    headers["Last-Event-ID"] = after
                with self._requests.open("GET", path, headers, timeout=_silence) as response:
                    failures = 0
                    for last, data in _blocks(response):
                        after = after if last is None else last
                        if data is not None:
                            yield json.loads(data)
            except HandsetError as error:
                if error.status < 500 and error.status not in (408, 429):
                    raise
                wait = error.retry_after or 0.0
            except (OSError, HTTPException):
                pass
            time.sleep(max(wait, min(0.5 * 2**failures, 30.0)) * random.uniform(0.75, 1.25))
            failures += 1
