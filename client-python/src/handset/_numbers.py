"""Phone numbers as people write them: every client of the interface has the same function, and one table of cases tests all."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any, cast

_max_length = 64
"""Longer texts are no numbers."""


def _is_between(sign: str) -> bool:
    return sign.isspace() or sign in "().·/\u2212" or unicodedata.category(sign) == "Pd"


def plain_number(text: str) -> str:
    """The digits of a phone number that is written as people do: `+49 (0)155 500-02222`. Any other text stays as it is."""
    if len(text) > _max_length:
        return text
    normal = unicodedata.normalize("NFKC", text)
    shown = "".join(sign for sign in normal if unicodedata.category(sign) != "Cf").strip()
    if shown.startswith(("+", "00")):
        shown = re.sub(r"^(?:\+|00)", "", shown.replace("(0)", "", 1))
    digits = "".join(sign for sign in shown if not _is_between(sign))
    return digits if re.fullmatch(r"[0-9]+", digits) else text


_numbered = {
    "chat",
    "except",
    "from",
    "mentions",
    "members",
    "number",
    "only",
    "person",
    "phoneNumber",
    "presence",
    "toNumber",
}
"""Members that name chats and people, wherever they are in what a caller gives."""


def _with_plain(name: str, value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_with_plain(name, one) for one in cast("list[Any]", value)]
    if isinstance(value, str):
        if name == "numbers":
            return ",".join(map(plain_number, value.split(",")))
        return plain_number(value) if name in _numbered else value
    return plain_numbers(cast("Mapping[str, Any]", value)) if isinstance(value, Mapping) else value


def plain_numbers(given: Mapping[str, Any]) -> dict[str, Any]:
    """The same members with plain numbers in those that name chats and people."""
    return {name: _with_plain(name, value) for name, value in given.items()}
