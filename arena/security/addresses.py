"""From which address a request comes: what limits by address count."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import Any

from django.conf import settings

IPV6_SUBSCRIBER = 64  # bits: one subscriber holds a whole network of this size, and could change address at will


def read_address(meta: Mapping[str, Any]) -> str:
    """The visitor's IPv4 address or IPv6 network, of a request's META; empty where the server names none.

    `X-Forwarded-For` is written by whoever likes to, but for the entries that our own proxies append: with
    TRUSTED_PROXIES = n the n-th from the right is the one that the outermost of them saw. Otherwise it is not read.
    """
    return _plain(_forwarded(meta)) or _plain(str(meta.get("REMOTE_ADDR", "")))


def _forwarded(meta: Mapping[str, Any]) -> str:
    hops = str(meta.get("HTTP_X_FORWARDED_FOR", "")).split(",")
    count = settings.TRUSTED_PROXIES
    return hops[-count] if 0 < count <= len(hops) else ""


def _plain(text: str) -> str:
    """Without port and brackets, as some proxies write them; empty where it is no address."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return ""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((int(address), IPV6_SUBSCRIBER), strict=False))
    return str(address)
