"""Exceptions of the client."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any


def _header(headers: Mapping[str, str], name: str) -> str | None:
    return next((value for key, value in headers.items() if key.lower() == name.lower()), None)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """`Retry-After` in seconds, which comes as seconds or as a date; None without one."""
    value = _header(headers, "Retry-After")
    if value is None:
        return None
    if value.isdigit():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None


def _message(body: bytes) -> str | None:
    """`{status: {message}}`, or `{error: {message}}` for a 401."""
    try:
        parsed: Any = json.loads(body)
        for name in ("error", "status"):
            if isinstance(parsed.get(name), dict) and "message" in parsed[name]:
                return str(parsed[name]["message"])
    except (ValueError, AttributeError):
        pass
    return None


class HandsetError(Exception):
    """The service refused the request."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        super().__init__(_message(body) or f"HTTP {status}")
        self.status = status
        """The HTTP status."""
        self.request_id = _header(headers, "X-Request-Id")
        """Finds the request in the log of the service."""
        self.reason = _header(headers, "Handset-Reason")
        """A word to compare, such as `number_not_on_network`; None where something in front of the service answered."""
        self.retry_after = retry_after(headers)
        """Seconds to wait before the next try; None if the service did not say."""


class WebhookVerificationError(Exception):
    """The delivery is not genuine, or too old."""
