"""Verifies webhook deliveries: the signatures are those of Standard Webhooks."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence

from ._errors import WebhookVerificationError
from ._types import Event, TestEvent


def _key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        key = b""
    if not key:
        raise ValueError("the secret must be a webhook secret (whsec_…)")
    return key


def verify_webhook(
    body: bytes | str,
    headers: Mapping[str, str],
    secret: str | Sequence[str],
    *,
    tolerance: float = 300.0,
    now: float | None = None,
) -> Event | TestEvent:
    """The event of a delivery.

    body: The body of the request as it came, not parsed

    secret: The secret of the webhook (`whsec_…`); while it is changed, the new and the old one

    tolerance: Seconds that a delivery may be old

    Raises WebhookVerificationError if the signature is wrong, a header is missing or the delivery is too old.
    """
    found = {name.lower(): value for name, value in headers.items()}
    try:
        id, timestamp, signatures = (found[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
    except KeyError as missing:
        raise WebhookVerificationError(f"the header {missing.args[0]} is missing") from None
    age = (time.time() if now is None else now) - (int(timestamp) if timestamp.isdigit() else float("inf"))
    if abs(age) > tolerance:
        raise WebhookVerificationError("the timestamp is outside the tolerance")
    raw = body.encode() if isinstance(body, str) else body
    content = f"{id}.{timestamp}.".encode() + raw
    for one in [secret] if isinstance(secret, str) else secret:
        wanted = base64.b64encode(hmac.new(_key(one), content, hashlib.sha256).digest()).decode()
        for signature in signatures.split(" "):
            version, _, value = signature.partition(",")
            if version == "v1" and hmac.compare_digest(value.encode(), wanted.encode()):
                return json.loads(raw)
    raise WebhookVerificationError("the signature is wrong")
