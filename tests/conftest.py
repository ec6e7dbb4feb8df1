"""Settings that all tests share."""

import os

from hypothesis import settings

# Smaller in `make check`, so that it stays quick; ACP_HYPOTHESIS=thorough digs deeper.
settings.register_profile("glance", max_examples=8, deadline=None)
settings.register_profile("quick", max_examples=30, deadline=None)
settings.register_profile("thorough", max_examples=2000, deadline=None)
settings.load_profile(os.environ.get("ACP_HYPOTHESIS", "quick"))
