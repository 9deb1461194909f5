"""Requests over HTTP, with retries that are safe, and lists that are read page by page."""

from __future__ import annotations

import json
import random
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from typing import Any, BinaryIO, Generic, TypeVar, cast

from ._errors import HandsetError
from ._numbers import plain_numbers


class _Unset:
    def __repr__(self) -> str:
        return "UNSET"


UNSET: Any = _Unset()
"""The value of an argument that is left out; None is `null`."""

_sends = re.compile(r"/devices/[^/]+/(?:messages/(?:\w+|[^/]+/forward)|groups)$")
_repeatable = {"GET", "PUT", "DELETE"}
_passing = {408, 425, 500, 502, 503, 504}

Body = TypeVar("Body")
Item = TypeVar("Item")


@dataclass(frozen=True)
class Retry:
    """How often and after how long a request is repeated."""

    attempts: int = 3
    """Repetitions at most; 0 turns them off."""
    delay: float = 0.5
    """Seconds before the first one, doubled for each further one. `Retry-After` takes precedence."""
    max_delay: float = 60.0
    """Seconds at most. If `Retry-After` is longer, the error is raised instead."""


@dataclass(frozen=True)
class File:
    """An answer that is a file."""

    content: bytes
    content_type: str


class Pages(Generic[Body, Item]):
    """A list: iterated over, it is every item of all pages; `page()` is one page as it came."""

    def __init__(self, fetch: Callable[[str | None], Body]) -> None:
        self._fetch = fetch

    def page(self, cursor: str | None = None) -> Body:
        """The page at `cursor`, which is `nextCursor` of the one before; the first one without it."""
        return self._fetch(cursor)

    def __iter__(self) -> Iterator[Item]:
        cursor: str | None = None
        while True:
            page = cast("dict[str, Any]", self._fetch(cursor))
            yield from next(cast("list[Item]", value) for value in page.values() if isinstance(value, list))
            cursor = page.get("nextCursor")
            if cursor is None:
                return


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(map(_text, cast("list[Any]", value)))
    return str(value)


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not UNSET}


class Requests:
    """Requests below `/v1` of a service, with its key."""

    def __init__(self, url: str, key: str, retry: Retry, timeout: float) -> None:
        self._base = re.sub(r"/*(?:/v1)?/*$", "", url) + "/v1"
        self._key = key
        self._retry = retry
        self._timeout = timeout

    def open(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str] = {},
        data: bytes | BinaryIO | None = None,
        timeout: float | None = None,
    ) -> HTTPResponse:
        """One request. Raises HandsetError when it is refused, and OSError when the service cannot be reached."""
        request = urllib.request.Request(self._base + path, data, method=method)
        for name, value in {"Authorization": f"Bearer {self._key}", **headers}.items():
            request.add_header(name, value)
        try:
            return urllib.request.urlopen(request, timeout=timeout or self._timeout)
        except urllib.error.HTTPError as error:
            with error:
                raise HandsetError(error.code, dict(error.headers), error.read()) from None
        except urllib.error.URLError as error:
            raise OSError(f"{self._base[:-3]} cannot be reached: {error.reason}") from error

    def _wait(self, attempt: int, repeatable: bool, keyed: bool, error: Exception) -> float | None:
        """Seconds until the request may be repeated; None when it may not."""
        refused = error if isinstance(error, HandsetError) else None
        status = None if refused is None else refused.status
        # A request refused with 429 had no effect. After 409 the first request with this key still runs, and its answer is wanted.
        if status != 429:
            if not repeatable:
                return None
            if status is not None and status not in _passing and not (keyed and status == 409):
                return None
        backoff = min(self._retry.delay * 2**attempt * random.uniform(0.75, 1.25), self._retry.max_delay)
        told = None if refused is None else refused.retry_after
        wait = backoff if told is None else told
        return None if attempt >= self._retry.attempts or wait > self._retry.max_delay else wait

    def _read(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None,
        idempotency_key: str | None,
    ) -> File:
        headers: dict[str, str] = {}
        if method == "POST" and idempotency_key is None and _sends.search(path.partition("?")[0]):
            idempotency_key = str(uuid.uuid4())
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(_given(body)).encode()
        keyed = idempotency_key is not None
        attempt = 0
        while True:
            try:
                with self.open(method, path, headers, data) as response:
                    return File(response.read(), response.headers.get("Content-Type", ""))
            except (HandsetError, OSError, HTTPException) as error:
                wait = self._wait(attempt, keyed or method in _repeatable, keyed, error)
                if wait is None:
                    raise
            time.sleep(wait)
            attempt += 1

    @staticmethod
    def _path(template: str, path: Mapping[str, Any], query: Mapping[str, Any]) -> str:
        for name, value in path.items():
            if value is None or value == "":
                raise ValueError(f"{name} is missing")
            template = template.replace(f"{{{name}}}", urllib.parse.quote(_text(value), safe=""))
        words = urllib.parse.urlencode({name: _text(value) for name, value in _given(query).items()})
        return f"{template}?{words}" if words else template

    def file(
        self,
        method: str,
        template: str,
        path: Mapping[str, Any],
        *,
        query: Mapping[str, Any] = {},
        body: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> File:
        whole = self._path(template, plain_numbers(path), plain_numbers(query))
        return self._read(method, whole, None if body is None else plain_numbers(body), idempotency_key)

    def call(
        self,
        method: str,
        template: str,
        path: Mapping[str, Any],
        *,
        query: Mapping[str, Any] = {},
        body: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> Any:
        found = self.file(method, template, path, query=query, body=body, idempotency_key=idempotency_key)
        return json.loads(found.content)

    def pages(
        self, method: str, template: str, path: Mapping[str, Any], *, query: Mapping[str, Any] = {}
    ) -> Pages[Any, Any]:
        return Pages(
            lambda cursor: self.call(
                method, template, path, query={**query, "cursor": UNSET if cursor is None else cursor}
            )
        )
