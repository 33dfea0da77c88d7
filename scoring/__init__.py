"""The ruler: one reply against one problem gives one Score. Pure Python, no Django, no network, no clock."""
