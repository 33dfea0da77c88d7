"""The address rule: what an endpoint may be, asked of the very address about to be connected to."""

import ipaddress
import socket

import pytest

from arena.security.url_guard import (
    AddressRefused,
    UrlRefused,
    check_address,
    check_url,
    guarded_socket_factory,
    parse_allowlist,
    refusal_reason,
)

REFUSED = {
    "127.0.0.1": "loopback",
    "127.255.3.4": "loopback",
    "0.0.0.0": "unspecified",
    "10.0.0.3": "private",
    "172.16.0.1": "private",
    "192.168.1.1": "private",
    "198.18.0.1": "private",
    "100.64.0.1": "shared (carrier NAT)",
    "169.254.1.1": "link-local",
    "169.254.169.254": "a cloud metadata address",
    "100.100.100.200": "a cloud metadata address",
    "168.63.129.16": "a cloud metadata address",
    "224.0.0.1": "multicast",
    "240.0.0.1": "reserved",
    "255.255.255.255": "reserved",
    "::1": "loopback",
    "::": "unspecified",
    "fe80::1": "link-local",
    "fe80::1%eth0": "link-local",
    "fec0::1": "site-local",
    "fc00::1": "private",
    "fd00:ec2::254": "a cloud metadata address",
    "ff02::1": "multicast",
    "2001:db8::1": "private",
    "::ffff:127.0.0.1": "loopback",
    "::ffff:169.254.169.254": "a cloud metadata address",
    "::ffff:10.0.0.3": "private",
    "64:ff9b::7f00:1": "loopback",
    "64:ff9b::a00:3": "private",
    "64:ff9b:1::808:808": "reserved (local NAT64)",
    "2002:7f00:1::": "reserved (6to4)",
    "2002:a00:3::1": "reserved (6to4)",
    "2001:0:7f00:1::": "reserved (Teredo)",
    "::10.0.0.3": "reserved (IPv4-compatible)",
}
PUBLIC = ("8.8.8.8", "1.1.1.1", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808")


@pytest.mark.parametrize(("address", "reason"), REFUSED.items())
def test_address_that_is_not_public_is_refused_by_its_kind(address: str, reason: str) -> None:
    with pytest.raises(AddressRefused) as refusal:
        check_address(address)
    assert refusal.value.reason == reason
    assert str(refusal.value) == f"The address {address} is {reason} and not on the allow list"


@pytest.mark.parametrize("address", PUBLIC)
def test_public_address_passes(address: str) -> None:
    check_address(address)


@pytest.mark.parametrize(
    ("entry", "address"),
    [
        ("127.0.0.0/8", "127.0.0.1"),
        ("127.0.0.1", "::ffff:127.0.0.1"),
        ("10.0.0.0/24", "64:ff9b::a00:3"),
        ("10.1.2.3/8", "10.9.9.9"),
        ("[::1]", "::1"),
        ("fd00::/8", "fd00::7"),
    ],
)
def test_allow_listed_network_passes(entry: str, address: str) -> None:
    assert refusal_reason(ipaddress.ip_address(address)) != ""
    assert refusal_reason(ipaddress.ip_address(address), parse_allowlist([entry])) == ""


def test_allow_list_opens_nothing_beside_what_it_names() -> None:
    allowlist = parse_allowlist(["10.0.0.0/24", "llm.internal"])
    for address in ("10.0.1.1", "127.0.0.1", "2002:a00:1::"):
        with pytest.raises(AddressRefused):
            check_address(address, allowlist)


@pytest.mark.parametrize("entry", ["http://x", "10.0.0.0/40", "a b", "x..y", "host:80"])
def test_bad_allow_list_entry_is_named(entry: str) -> None:
    with pytest.raises(ValueError, match="allow list entry") as error:
        parse_allowlist(["127.0.0.1", entry])
    assert entry in str(error.value)


def test_empty_allow_list_entries_are_skipped() -> None:
    assert parse_allowlist(["", "  "]) == parse_allowlist([])


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("ftp://example.org/v1", "http:// or https://"),
        ("file:///etc/passwd", "http:// or https://"),
        ("example.org/v1", "http:// or https://"),
        ("https://", "no host"),
        ("https:///v1", "no host"),
        ("https://user:sk-secret@example.org/v1", "user name or password"),
        ("https://example.org@10.0.0.3/v1", "user name or password"),
        ("https://example.org:99999/v1", "not a valid URL"),
        ("https://[::1/v1", "not a valid URL"),
        ("https://exa mple.org/v1", "spaces"),
        ("https://example.org\\\\evil/v1", "backslash"),
        ("https://example.org/v1\n", "control"),
        ("https://example.org/v1?key=sk-secret", "? or #"),
        ("http://127.0.0.1:9000/v1", "loopback"),
        ("http://[::1]:9000/v1", "loopback"),
        ("http://[::ffff:10.0.0.3]/v1", "private"),
        ("http://127.1/v1", "loopback"),
        ("http://2130706433/v1", "loopback"),
        ("http://0x7f000001/v1", "loopback"),
        ("http://0177.0.0.1/v1", "loopback"),
        ("http://localhost:9000/v1", "this machine"),
        ("http://a..example/v1", "no valid host name"),
        (f"http://{'a' * 64}.example/v1", "no valid host name"),
        ("http://134744072/v1", "Write the address as 8.8.8.8"),
        ("http://010.8.8.8/v1", "Write the address as 8.8.8.8"),
        ("http://169.254.169.254/latest/meta-data", "metadata"),
    ],
)
def test_unusable_url_is_refused_early_and_repeats_no_secret(url: str, words: str) -> None:
    with pytest.raises(UrlRefused) as refusal:
        check_url(url)
    assert words in str(refusal.value)
    assert "sk-secret" not in str(refusal.value)


@pytest.mark.parametrize("url", ["https://api.example.org/v1", "http://8.8.8.8:8000/v1", "https://[2606:4700::1]/v1"])
def test_usable_url_passes(url: str) -> None:
    check_url(url)


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/v1", "http://localhost:9/v1", "http://LLM.internal./v1"])
def test_allow_listed_url_passes(url: str) -> None:
    check_url(url, parse_allowlist(["127.0.0.0/8", "llm.internal"]))


def addr_info(address: str) -> tuple[int, int, int, str, tuple[str, int]]:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return (family, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (address, 80))


def test_factory_opens_no_socket_for_a_refused_address() -> None:
    with pytest.raises(AddressRefused):
        guarded_socket_factory(parse_allowlist([]))(addr_info("169.254.169.254"))


def test_factory_trusts_a_host_only_where_the_list_names_it() -> None:
    allowlist = parse_allowlist(["llm.internal"])
    guarded_socket_factory(allowlist, host="LLM.internal")(addr_info("10.0.0.3")).close()
    with pytest.raises(AddressRefused):
        guarded_socket_factory(allowlist, host="evil.example")(addr_info("10.0.0.3"))
