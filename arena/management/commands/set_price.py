"""Say what a model's tokens cost from a day on."""

from __future__ import annotations

from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from arena.commands import ArenaCommand
from arena.errors import Refused
from arena.services.prices import set_price


class Command(ArenaCommand):
    help = "Store or correct a model's price: US dollars a million tokens, from a day on. Also editable in the admin."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("model", help="as its endpoint names it; judges too")
        parser.add_argument("--input", required=True, metavar="USD", help="a million input tokens")
        parser.add_argument("--output", required=True, metavar="USD", help="a million output tokens")
        parser.add_argument("--from", dest="valid_from", default="", metavar="YYYY-MM-DD", help="default: today")
        parser.add_argument("--source", default="")

    def handle(self, *args: Any, **options: Any) -> None:
        price = set_price(
            options["model"],
            _read_day(options["valid_from"]),
            _read_amount("input", options["input"]),
            _read_amount("output", options["output"]),
            options["source"],
        )
        self.stdout.write(f"{price}: {price.input_usd:f} in, {price.output_usd:f} out, US dollars a million tokens")


def _read_day(text: str) -> date:
    try:
        return date.fromisoformat(text) if text else timezone.now().date()
    except ValueError as error:
        raise Refused("from", f"{text!r} is no date like 2026-01-31") from error


def _read_amount(name: str, text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation as error:
        raise Refused(name, f"{text!r} is no number") from error
