"""Which addresses an endpoint may have. The rule is asked at connect time, of the very address about to be used.

A check of the URL alone does not hold (names resolve anew, literals skip resolver hooks), so `check_url` only gives
early, friendly errors; `guarded_socket_factory` is the guard.
"""

from __future__ import annotations

import errno
import ipaddress
import socket
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
IPNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network

REFUSAL_MARK = "not on the allow list"

_SCHEMES = ("http", "https")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")  # RFC 6052: the last 32 bits are an IPv4 address
_METADATA = frozenset(
    ipaddress.ip_address(text)
    for text in ("169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254")
)
# Ranges that this Python's ipaddress does not yet call private or reserved.
_ALSO_REFUSED: tuple[tuple[IPNetwork, str], ...] = (
    (ipaddress.IPv4Network("100.64.0.0/10"), "shared (carrier NAT)"),
    (ipaddress.IPv4Network("192.88.99.0/24"), "reserved"),
    (ipaddress.IPv6Network("64:ff9b:1::/48"), "reserved (local NAT64)"),
    # Deprecated tunnels that carry an IPv4 address, which may be a private one.
    (ipaddress.IPv6Network("2002::/16"), "reserved (6to4)"),
    (ipaddress.IPv6Network("2001::/32"), "reserved (Teredo)"),
    (ipaddress.IPv6Network("::/96"), "reserved (IPv4-compatible)"),
    (ipaddress.IPv6Network("3fff::/20"), "reserved (documentation)"),
    (ipaddress.IPv6Network("5f00::/16"), "reserved (segment routing)"),
)


class UrlRefused(ValueError):
    """The endpoint cannot be used as it is given; the text says why, without repeating credentials."""


class AddressRefused(OSError):
    """The address about to be connected to is not allowed. An OSError, as connectors expect of a failed connect."""

    def __init__(self, address: str, reason: str) -> None:
        self.address = address
        self.reason = reason
        super().__init__(errno.EACCES, f"The address {address} is {reason} and {REFUSAL_MARK}")

    def __str__(self) -> str:
        return str(self.strerror)


@dataclass(frozen=True, slots=True)
class Allowlist:
    """Hosts (exact names, lower case) and networks an endpoint may use although they are not public."""

    hosts: frozenset[str] = frozenset()
    networks: tuple[IPNetwork, ...] = ()

    def has_host(self, host: str) -> bool:
        return _normal_host(host) in self.hosts

    def has_address(self, address: IPAddress) -> bool:
        return any(address.version == network.version and address in network for network in self.networks)


NOTHING_ALLOWED = Allowlist()


def parse_allowlist(entries: Iterable[str]) -> Allowlist:
    """Read `ENDPOINT_ALLOWLIST`: host names, addresses and CIDR networks. Raises ValueError naming the entry."""
    hosts: set[str] = set()
    networks: list[IPNetwork] = []
    for entry in (raw.strip() for raw in entries):
        if not entry:
            continue
        try:
            networks.append(ipaddress.ip_network(entry.strip("[]"), strict=False))
        except ValueError:
            if not _is_host_name(entry):
                raise ValueError(f"allow list entry {entry!r} is neither a host name nor a network") from None
            hosts.add(_normal_host(entry))
    return Allowlist(frozenset(hosts), tuple(networks))


def refusal_reason(address: IPAddress, allowlist: Allowlist = NOTHING_ALLOWED) -> str:
    """Why an address may not be used, in one or two words; empty if it may.

    The IPv6 forms of an IPv4 address that is really reached (mapped, NAT64) are judged as that IPv4 address.
    """
    if isinstance(address, ipaddress.IPv6Address):
        address = ipaddress.IPv6Address(int(address))  # without the scope id, which no network holds
        if address.ipv4_mapped is not None or address in _NAT64:
            return refusal_reason(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF), allowlist)
    return "" if allowlist.has_address(address) else _own_reason(address)


def check_url(url: str, allowlist: Allowlist = NOTHING_ALLOWED) -> None:
    """Refuse early what can be refused without the network: scheme, credentials, literal addresses.

    Raises UrlRefused. Passing this is no permission: names are judged when they are connected to.
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise UrlRefused("This is not a valid URL") from None
    if parts.scheme.lower() not in _SCHEMES:
        raise UrlRefused("The URL must start with http:// or https://")
    if "@" in parts.netloc:
        raise UrlRefused("The URL must not hold a user name or password; give the key in its own field")
    if not host:
        raise UrlRefused("The URL names no host")
    if any(character.isspace() or not character.isprintable() or character == "\\" for character in url):
        raise UrlRefused("The URL must not hold spaces, backslashes or control characters")
    if parts.query or parts.fragment:
        raise UrlRefused("The URL must end with its path: no ? or # part (a key belongs in its own field)")
    if allowlist.has_host(host):
        return
    _check_literal(host, allowlist)
    try:
        host.encode("idna")  # as resolvers do: labels that are empty or longer than 63 bytes
    except UnicodeError:
        raise UrlRefused("The URL holds no valid host name") from None


def guarded_socket_factory(allowlist: Allowlist, *, host: str = "") -> Callable[[Any], socket.socket]:
    """A `socket_factory` for aiohttp's TCPConnector that raises AddressRefused before anything is sent.

    host: the one host this connector serves; where the allow list names it, its addresses are taken as they come.
    """
    is_trusted = bool(host) and allowlist.has_host(host)

    def open_checked_socket(addr_info: tuple[int, int, int, str, Sequence[Any]]) -> socket.socket:
        family, kind, protocol, _, sockaddr = addr_info
        if not is_trusted:
            check_address(str(sockaddr[0]), allowlist)
        return socket.socket(family=family, type=kind, proto=protocol)

    return open_checked_socket


def check_address(text: str, allowlist: Allowlist = NOTHING_ALLOWED) -> None:
    """Raise AddressRefused unless the numeric address is public or on the allow list."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        raise AddressRefused(text, "no numeric address") from None
    if reason := refusal_reason(address, allowlist):
        raise AddressRefused(text, reason)


def _own_reason(address: IPAddress) -> str:
    if address in _METADATA:
        return "a cloud metadata address"
    named = (
        (address.is_unspecified, "unspecified"),
        (address.is_loopback, "loopback"),
        (address.is_link_local, "link-local"),
        (address.is_multicast, "multicast"),
        (getattr(address, "is_site_local", False), "site-local"),
        *((address.version == net.version and address in net, word) for net, word in _ALSO_REFUSED),
        (address.is_reserved, "reserved"),
        (not address.is_global, "private"),
    )
    return next((word for is_kind, word in named if is_kind), "")


def _check_literal(host: str, allowlist: Allowlist) -> None:
    if host == "localhost" or host.endswith(".localhost"):
        if not refusal_reason(ipaddress.ip_address("127.0.0.1"), allowlist):
            return
        raise UrlRefused(f"The host {host} is this machine itself and {REFUSAL_MARK}")
    address = _literal(host)
    if address and (reason := refusal_reason(address, allowlist)):
        raise UrlRefused(f"The address {address} is {reason} and {REFUSAL_MARK}")
    if isinstance(address, ipaddress.IPv4Address) and host != str(address):  # clients read old forms each in its way
        raise UrlRefused(f"Write the address as {address}")


def _literal(host: str) -> IPAddress | None:
    """The address a host text stands for; old forms (`127.1`, `0x7f000001`, `2130706433`) are read as libc does."""
    try:
        return ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        pass
    if not host or host[-1] not in "0123456789abcdefABCDEFxX":
        return None
    try:
        return ipaddress.IPv4Address(socket.inet_aton(host)) if host[0].isdigit() else None
    except (OSError, ValueError):
        return None


def _is_host_name(text: str) -> bool:
    labels = text.rstrip(".").split(".")
    return len(text) <= 253 and all(
        label and len(label) <= 63 and all(c.isalnum() or c in "-_" for c in label) for label in labels
    )


def _normal_host(host: str) -> str:
    return host.strip().strip("[]").rstrip(".").lower()
