"""Views: permission, form or selector, service, render."""
