"""Addresses of all pages (CONTRACT names)."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
