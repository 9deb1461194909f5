"""Client of the Handset interface: typed calls, signed webhooks, event streams, and retries that never send a message twice."""

from ._client import Handset
from ._errors import HandsetError, WebhookVerificationError
from ._requests import File, Pages, Retry
from ._types import Device, Event, Message, TestEvent
from ._webhook import verify_webhook

__all__ = [
    "Device",
    "Event",
    "File",
    "Handset",
    "HandsetError",
    "Message",
    "Pages",
    "Retry",
    "TestEvent",
    "WebhookVerificationError",
    "verify_webhook",
]
